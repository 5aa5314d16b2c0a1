"""A conversation in plain lines: the main thread's side of a session that runs backstage.

The main thread owns the terminal. Everything that happens backstage comes to it as mail: events to
show, questions to ask. Lines typed while a turn runs steer it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from msgspec import Struct

from induscode.channels.backstage import Backstage
from induscode.channels.formprompt import FormPrompt
from induscode.channels.interrupts import Interrupts, Terminated
from induscode.channels.keyboard import Keyboard
from induscode.channels.lineview import LineView
from induscode.channels.mailbox import Mailbox
from induscode.channels.mailedperson import Asked, ToFill
from induscode.channels.message import read_message
from induscode.channels.ports import Driver
from induscode.channels.question import answer_prompt, parse_answer, question_lines
from induscode.channels.slash import about, help_text, unknown_command
from induscode.channels.terminal import exact
from induscode.errors import Cancelled, IndusError
from induscode.kernel.events import Alert, Event, RunResult
from induscode.kernel.form import Declined, Dismissed
from induscode.kernel.person import PersonAnswer, Question

__all__ = ["LinePrompt", "TalkMail"]

T = TypeVar("T")
_LAST_CHANCES = 3
_INTERRUPTED = 130


class Stop(Struct, frozen=True):
    """Ctrl-C while the agent works."""


class End(Struct, frozen=True):
    """The process is to end."""


class Over(Struct, frozen=True):
    """What ran backstage has ended."""


TalkMail = Event | Asked | ToFill | Stop | End | Over


class LinePrompt:
    """Talks until the person leaves. `watched` is whether a person sits there; `run` returns 0 for
    a person who left, and for a pipe the exit code of its last turn."""

    def __init__(
        self,
        driver: Driver,
        stage: Backstage,
        mailbox: Mailbox[TalkMail],
        view: LineView,
        keyboard: Keyboard,
        *,
        watched: bool,
    ) -> None:
        self._driver = driver
        self._stage = stage
        self._mailbox = mailbox
        self._view = view
        self._keyboard = keyboard
        self._watched = watched
        self._interrupts = Interrupts(lambda: mailbox.put(Stop()), lambda: mailbox.put(End()))
        self._waiting: list[str] = []
        self._steers: list[Future[None]] = []
        self._stops = 0
        self._put_away = 0
        self._leaving = False
        self._ended = False
        self._code = 0

    def run(self, first: str | None) -> int:
        if first:
            self._waiting.append(first)
        with self._interrupts:
            self._serve_idle_mail()
            if self._driver.unfinished and not first:
                self._view.line("the last turn broke off: /continue goes on with it")
            while not self._leaving:
                message = self._next_message()
                if message is None:
                    break
                if message.startswith("/"):
                    self._command(message)
                elif message.strip():
                    self._turn(self._driver.submit(message))
        if self._ended:
            return _INTERRUPTED
        return 0 if self._watched else self._code

    # Between turns

    def _next_message(self) -> str | None:
        """What to do next; None to leave."""
        self._serve_idle_mail()
        if self._waiting:
            return self._waiting.pop(0)
        warned = False
        while True:
            try:
                message = read_message(self._ask, first=self._paint("> "), more=self._paint("… "))
            except EOFError:
                if self._watched:
                    self._view.line("")
                return None
            except Terminated:
                self._ended = True
                return None
            except KeyboardInterrupt:
                self._view.line("")
                self._ended = not self._watched
                if warned or self._ended:
                    return None
                warned = not self._keyboard.begun()
                if warned:
                    self._view.line(self._view.ink("Ctrl-C again, or Ctrl-D, leaves", "dim"))
            else:
                self._keyboard.keep(message)
                return message

    def _ask(self, prompt: str) -> str:
        self._interrupts.typing = True
        try:
            return self._keyboard.ask(prompt)
        finally:
            self._interrupts.typing = False

    def _paint(self, prompt: str) -> str:
        """Colour that readline does not count."""
        plain = self._view.ink(prompt, "cyan", "bold")
        before, found, after = plain.partition(prompt)
        return f"\001{before}\002{found}\001{after}\002" if before else plain

    def _serve_idle_mail(self) -> None:
        for mail in self._mailbox.take():
            match mail:
                case Stop() | Over():
                    pass
                case End():
                    self._leave()
                case Asked(reply=reply):
                    reply(PersonAnswer("no"))
                case ToFill(form=form, reply=reply):
                    reply(Declined())
                    self._view.line(f"· {exact(form.by)} asked while no turn ran: declined")
                case event:
                    self._view.show(event)

    # Turns

    def _turn(self, work: Coroutine[Any, Any, RunResult]) -> None:
        self._code = self._work(work, self._steer).exit

    def _work(self, work: Coroutine[Any, Any, T], typed: Callable[[str], None]) -> T:
        """Run `work` backstage and serve the terminal until it ends. Raises what it raises."""
        self._serve_idle_mail()
        self._stops = self._put_away = 0
        running = self._stage.start(work)
        running.add_done_callback(lambda _: self._mailbox.put(Over()))
        while not self._served(running):
            if self._mailbox.wait(self._keyboard.descriptor):
                line = self._keyboard.unasked()
                self._view.line_was_ended()
                if line is None:
                    self._view.line(self._view.ink("leaving after this turn", "dim"))
                    self._leaving = True
                elif line.strip():
                    typed(line)
        self._finish_steering()
        return running.result()

    def _served(self, running: Future[Any]) -> bool:
        """Serve the mail there is; True when `running` has ended and all it said is shown."""
        over = False
        for mail in self._mailbox.take():
            match mail:
                case Over():
                    over = running.done()
                case Stop():
                    self._stop()
                case End():
                    self._leave()
                case Asked():
                    self._answer(mail)
                case ToFill():
                    self._fill(mail)
                case event:
                    self._view.show(event)
        return over

    def _stop(self) -> None:
        self._stops += 1
        self._stage.soon(self._driver.cancel)
        if self._watched:
            self._view.line("")  # after the ^C that the terminal has shown
        else:
            self._leaving = True
        if self._stops >= _LAST_CHANCES:
            raise Cancelled("left while something could not be stopped")
        if self._stops > 1:
            self._view.line(self._view.ink("stopping … once more leaves at once", "dim"))

    def _leave(self) -> None:
        self._leaving = self._ended = True
        self._stage.soon(self._driver.cancel)

    def _steer(self, text: str) -> None:
        self._steers.append(self._stage.start(self._steered(text)))

    async def _steered(self, text: str) -> None:
        """Backstage, where `busy` cannot change between the look and the act."""
        if self._driver.busy:
            await self._driver.steer(text)
            self._mailbox.put(Alert(text="heard: the model reads it with its next step"))
        else:
            self._waiting.append(text)

    def _finish_steering(self) -> None:
        for steer in self._steers:
            try:
                steer.result()
            except IndusError as error:
                self._view.fault(str(error))
        self._steers.clear()

    # Questions

    def _answer(self, asked: Asked) -> None:
        if self._stops or self._ended:  # withdrawn with its turn
            return
        question = asked.question
        self._keyboard.forget_typed()
        for line in question_lines(question, self._view.ink):
            self._view.line(line)
        prompt = answer_prompt(question.choices, self._paint)
        try:
            asked.reply(self._clear_answer(question, prompt))
        except EOFError:
            self._view.line("")
            asked.reply(PersonAnswer("no"))
        except KeyboardInterrupt:
            self._stop()
        except Terminated:
            self._leave()

    def _clear_answer(self, question: Question, prompt: str) -> PersonAnswer:
        while True:
            answer = parse_answer(self._ask(prompt), question.choices)
            if answer is not None:
                return answer
            self._view.line(self._view.ink("one letter to allow it; n and words to refuse", "dim"))

    def _fill(self, wanted: ToFill) -> None:
        if wanted.over():
            return
        if self._stops or self._ended:  # its turn is being stopped
            wanted.reply(Dismissed())
            return
        self._keyboard.forget_typed()
        prompt = FormPrompt(
            lambda words: self._ask(self._paint(words)),
            self._view.line,
            self._view.ink,
            wanted.over,
        )
        try:
            wanted.reply(prompt.answer(wanted.form))
        except EOFError:
            self._view.line("")
            wanted.reply(Declined())
        except KeyboardInterrupt:
            wanted.reply(Dismissed())
            self._dismissed()
        except Terminated:
            wanted.reply(Dismissed())
            self._leave()

    def _dismissed(self) -> None:
        """The turn goes on without an answer; a server that asks again and again does not keep the
        person from stopping it."""
        self._put_away += 1
        if self._put_away > 1:
            self._stop()
            return
        self._view.line("")
        words = "nothing was sent, and the turn goes on; Ctrl-C again stops it"
        self._view.line(self._view.ink(words, "dim"))

    # Commands

    def _command(self, message: str) -> None:
        name = message.split(maxsplit=1)[0]
        match name:
            case "/help":
                self._view.line(help_text(self._driver.commands()))
            case "/quit" | "/exit":
                self._leaving = True
            case "/session":
                self._view.line(about(self._driver.snapshot()))
            case "/continue":
                self._continue()
            case "/compact":
                self._compact()
            case _ if name.removeprefix("/") in self._driver.commands():
                self._turn(self._driver.submit(message))
            case _:
                self._view.line(unknown_command(name, self._driver.commands()))

    def _continue(self) -> None:
        if self._driver.unfinished:
            self._turn(self._driver.go_on())
        else:
            self._view.line("there is nothing to continue: the last turn came to its end")

    def _compact(self) -> None:
        try:
            done = self._work(self._driver.compact(), self._waiting.append)
        except IndusError as error:
            self._code = error.exit_code
            self._view.fault(str(error))
        else:
            self._view.line("condensed" if done else "there is nothing to condense yet")
