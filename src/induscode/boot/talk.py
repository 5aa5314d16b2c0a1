"""`indus` in plain lines: the session backstage, the terminal in front."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper

from induscode.boot.assemble import open_session
from induscode.boot.invocation import Invocation
from induscode.boot.running import RunningSession
from induscode.boot.surroundings import Surroundings
from induscode.channels.backstage import Backstage
from induscode.channels.history import History
from induscode.channels.keyboard import Keyboard, PipeKeyboard, TerminalKeyboard
from induscode.channels.lineprompt import LinePrompt, TalkMail
from induscode.channels.lineview import LineView
from induscode.channels.mailbox import Mailbox
from induscode.channels.mailedperson import MailedPerson
from induscode.kernel.events import Event
from induscode.kernel.person import Person

__all__ = ["talk"]

_HISTORY = "history"
_SECONDS_TO_CLOSE = 5.0


def talk(invocation: Invocation, around: Surroundings) -> int:
    """Raises as `open_session` does. Without a terminal the lines of standard input are prompts,
    and nobody is asked: a question must not be answered by the next prompt."""
    _tolerant_streams()
    watched = sys.stdin.isatty()
    keyboard: Keyboard = (
        TerminalKeyboard(History(around.places.data / _HISTORY, around.secrets.text))
        if watched
        else PipeKeyboard()
    )
    view = LineView(
        sys.stdout, sys.stderr, around.environ, lambda: shutil.get_terminal_size().columns
    )
    mailbox: Mailbox[TalkMail] = Mailbox()
    person = MailedPerson(mailbox.put) if watched else None
    with Backstage() as stage:
        opening = _opened(invocation, around, mailbox.put, person)
        session = stage.start(opening).result()
        try:
            prompt = LinePrompt(session, stage, mailbox, view, keyboard, watched=watched)
            return prompt.run(invocation.prompt)
        finally:
            # What cannot be stopped must not keep the person; the log is valid at every moment.
            with suppress(TimeoutError):
                stage.start(session.close()).result(_SECONDS_TO_CLOSE)


async def _opened(
    invocation: Invocation,
    around: Surroundings,
    emit: Callable[[Event], None],
    person: Person | None,
) -> RunningSession:
    session = open_session(invocation, around, emit, person=person, waits=person is None)
    session.open(cwd=str(around.cwd))
    return session


def _tolerant_streams() -> None:
    """Text that the terminal's encoding does not have is shown as a mark, never an error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
