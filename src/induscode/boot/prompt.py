"""The system prompt of a session, whatever its run mode: the one place where it is composed.

The recipe of the briefing makes it, from what the session is set up with at that moment. Each piece
is a span with its producer, and with the files and lines behind it for `indus why`. `--system`
takes the recipe's place, `--append-system` follows either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from induscode.boot.features import Fragment
from induscode.boot.materials import Materials
from induscode.briefing.compose import BRIEFING_SECTION_IDS, BRIEFING_SECTIONS
from induscode.briefing.contract import BriefingInput, ComposeOptions, SubagentBrief, ToolDoc
from induscode.briefing.sections import SOURCED, lasting_footer
from induscode.briefing.sourced import Sourced
from induscode.conductor.ports import BriefSpan
from induscode.kernel.clock import Clock
from induscode.kernel.tool import AgentTool

__all__ = ["Prompt"]

_BY = "builtin:briefing"
_FOOTER = "footer"
_ROLE = "role"
_OF_A_SERVER = "__"
"""Parts a server from its tool. Such tools are left to their definitions: the words of a server
never become ours, and cost their tokens once."""


class Prompt(Struct, frozen=True):
    """How the prompt of one session is written. `fragments` is what features add now: each after
    the section that its slot names, else before the footer. `subagents` are those that can be sent;
    `errand` is what a delegate is told of its task."""

    options: ComposeOptions
    workspace: str
    cwd: str
    clock: Clock
    materials: Materials
    subagents: Callable[[], Sequence[SubagentBrief]]
    fragments: Callable[[], Sequence[Fragment]]
    errand: tuple[BriefSpan, ...] = ()

    def spans(self, tools: Sequence[AgentTool]) -> list[BriefSpan]:
        """The prompt for these tools, as of now. What is empty is left out."""
        options, made = self.options, [self._around("prelude", self.options.prelude, "[briefing]")]
        if options.system is not None:
            made += [self._around("system", options.system, "--system"), *self.errand]
        else:
            made += self._recipe(self._input(tools))
        made.append(self._around("append", options.append_system, "--append-system"))
        return [span for span in made if span.text.strip()]

    def _input(self, tools: Sequence[AgentTool]) -> BriefingInput:
        documents = self.materials.documents()
        skills, unlisted = self.materials.listed()
        return BriefingInput(
            workspace=self.workspace,
            cwd=self.cwd,
            tools=tuple(
                ToolDoc(tool.name, tool.description, tool.parameters)
                for tool in tools
                if _OF_A_SERVER not in tool.name
            ),
            skills=tuple(skills),
            unlisted=unlisted,
            subagents=tuple(self.subagents()),
            context_docs=documents.docs,
            left_out=documents.left_out,
            now_ms=self.clock.now_ms(),
        )

    def _recipe(self, ctx: BriefingInput) -> Iterator[BriefSpan]:
        fragments = self.fragments()
        for name, section in zip(BRIEFING_SECTION_IDS, BRIEFING_SECTIONS, strict=True):
            if name == _FOOTER:
                yield from (f.span for f in fragments if f.slot not in BRIEFING_SECTION_IDS)
            if name in SOURCED:
                yield from _sourced(name, SOURCED[name](ctx))
            else:
                lasting = lasting_footer(ctx) if name == _FOOTER else None
                yield BriefSpan(name, (section(ctx) or "").strip(), _BY, lasting=lasting)
            if name == _ROLE:
                yield from self.errand
            yield from (fragment.span for fragment in fragments if fragment.slot == name)

    def _around(self, name: str, text: str | None, source: str) -> BriefSpan:
        return BriefSpan(name, (text or "").strip(), _BY, source)


def _sourced(name: str, blocks: Sequence[Sourced]) -> Iterator[BriefSpan]:
    """Each document is a piece of its own, under its own name."""
    for block in blocks:
        own = f"{name}/{block.source}" if block.source else name
        yield BriefSpan(own, block.text, _BY, block.source, block.parts)
