"""Hostile features, in what they say and how they install: the others are installed and work, the
report names the culprit, and nothing of it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import msgspec
import pytest

import induscode.feature.registry as registering
from induscode.errors import FeatureInstallError, HandleClosed
from induscode.feature.capability import (
    EmitAlert,
)
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.fragment import FragmentDeclaration
from induscode.feature.limits import (
    DESCRIPTOR_BYTES,
    DIAGNOSTICS_MOST,
    SKIPPED_MOST,
)
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.tool import ToolContribution
from tests.features.among import CULPRIT, Among, culprit, declared, everything
from tests.features.hosting import TestHost, package
from tests.features.modules import (
    Echo,
    Module,
    greeter,
    report_of,
    tool_names,
)
from tests.requirements import requirement

# Its descriptor


class Described:
    """A feature whose descriptor is what it is."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def descriptor(self) -> Any:
        if issubclass(type(self._answer), BaseException):
            raise self._answer
        return self._answer

    def install(self, ctx: FeatureInstallContext) -> None:
        everything(ctx)


class Fatal(BaseException):
    pass


class Unspeakable(Exception):
    def __repr__(self) -> str:
        raise RuntimeError("no words")

    __str__ = __repr__


class UnspeakableInstall(FeatureInstallError):
    def __str__(self) -> str:
        raise RuntimeError("no words")


RAISED = [
    ValueError("bad"), SystemExit(1), KeyboardInterrupt(), Fatal("down"), Unspeakable(),
    UnspeakableInstall("x"), FeatureInstallError("not me"), RecursionError(), GeneratorExit(),
    StopIteration(),
]  # fmt: skip


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_one_that_raises_in_its_descriptor(error: BaseException) -> None:
    Among(Described(error)).assert_gone(named="user package", because="not installed: ")


class Impostor:
    """Says it is a descriptor; has nothing of one."""

    @property
    def __class__(self) -> Any:
        return FeatureDescriptor


class Explosive:
    @property
    def __class__(self) -> Any:
        raise ValueError("do not look")


@pytest.mark.parametrize(
    "answer",
    [
        lambda: None,
        lambda: "builtin:bash",
        lambda: {"id": "user:culprit"},
        lambda: FeatureDescriptor,
        Impostor,
        Explosive,
    ],
    ids=["None", "text", "dict", "class", "impostor", "explosive"],
)
def test_one_that_returns_a_descriptor_that_is_none(answer: Callable[[], object]) -> None:
    Among(Described(answer())).assert_gone(named="user package", because="descriptor")


@pytest.mark.parametrize(
    "fields",
    [
        {"display_name": 5},
        {"runtime": "kernel-module"},
        {"declared_tools": ("echo",)},
        {"declared_fragments": (FragmentDeclaration("about", characters="many"),)},
        {"requested_capabilities": ("root",)},
        {"id": "user:culprit"},
        {"display_name": "x" * (DESCRIPTOR_BYTES + 1)},
        {"display_name": "\ud800"},
    ],
    ids=["name 5", "runtime", "tools", "no number", "requests", "id", "endless", "surrogate"],
)
def test_one_whose_descriptor_holds_junk(fields: dict[str, Any]) -> None:
    made = FeatureDescriptor(**{"id": CULPRIT, **fields})
    Among(Described(made)).assert_gone(named="user package", because="not installed: ")


def test_one_that_claims_to_be_built_in() -> None:
    made = FeatureDescriptor.builder(FeatureId.builtin("bash")).build()
    told = "it calls itself builtin:bash, but comes from user"
    Among(Described(made)).assert_gone(named="user package", because=told)


def test_one_that_claims_an_id_that_is_taken() -> None:
    host = TestHost()
    registry = host.registry(
        package(greeter("first", "one")),
        package(greeter("first", "three")),
        package(greeter("last", "two")),
    )
    assert tool_names(registry) == ["one", "two"]
    report = registry.reports()[1]
    assert not report.enabled
    assert "builtin:first is there already: builtin package" in report.diagnostics[0].message


def test_one_that_changes_its_descriptor_afterwards() -> None:
    declarations: list[Any] = []
    made = FeatureDescriptor(id=CULPRIT, declared_tools=declarations)

    class Later(Described):
        def install(self, ctx: FeatureInstallContext) -> None:
            from induscode.feature.tool import ToolDeclaration

            declarations.append(ToolDeclaration("echo"))
            ctx.tools.register(ToolContribution("echo", Echo()))

    among = Among(Later(made))
    among.assert_others_work()
    report = report_of(among.registry, str(CULPRIT))
    assert [one.reason for one in report.skipped_contributions] == ["it was not declared"]


def test_one_without_any_of_the_methods() -> None:
    Among(object()).assert_gone(named="user package", because="AttributeError")


# Its install


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_one_that_raises_after_it_registered_all_it_has(error: BaseException) -> None:
    def breaks(ctx: FeatureInstallContext) -> None:
        everything(ctx)
        raise error

    module = Module(declared(), breaks)
    Among(module).assert_gone(because="not installed: ")
    assert module.context is not None
    with pytest.raises(HandleClosed):
        module.context.alerts.alert("still here")
    with pytest.raises(HandleClosed):
        module.context.grants.allows(EmitAlert())


@pytest.fixture
def let_go(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """A short deadline, and a way to end those who missed it."""
    monkeypatch.setattr(registering, "INSTALL_SECONDS", 0.05)
    event = Event()
    yield event
    event.set()


@pytest.mark.parametrize("what", ["descriptor", "install"])
def test_one_that_hangs(let_go: Event, what: str) -> None:
    class Hangs(Module):
        def descriptor(self) -> FeatureDescriptor:
            if what == "descriptor":
                let_go.wait(30)
            return super().descriptor()

    def install(ctx: FeatureInstallContext) -> None:
        everything(ctx)
        let_go.wait(30)

    named = "user package" if what == "descriptor" else str(CULPRIT)
    among = Among(Hangs(declared(), install))
    among.assert_gone(named=named, because=f"its {what} took longer than 0.05 s")


def test_one_that_goes_on_registering_after_its_deadline(let_go: Event) -> None:
    refused: list[BaseException] = []
    ended = Event()

    def install(ctx: FeatureInstallContext) -> None:
        let_go.wait(30)
        try:
            everything(ctx)
        except HandleClosed as error:
            refused.append(error)
        ended.set()

    among = Among(Module(declared(), install))
    let_go.set()
    assert ended.wait(10)
    assert len(refused) == 1
    among.assert_gone(because="took longer")


@requirement("feature.startup.frozen")
def test_one_that_is_in_the_middle_of_registering_when_its_installation_ends() -> None:
    """A definition that blocks while it is read, in a thread that install left behind."""
    reading, go_on, ended = Event(), Event(), Event()
    refused: list[BaseException] = []

    class Slow(Echo):
        @property
        def label(self) -> str:
            reading.set()
            go_on.wait(30)
            return "Slow"

    def register(ctx: FeatureInstallContext) -> None:
        try:
            ctx.tools.register(ToolContribution("echo", Slow()))
        except HandleClosed as error:
            refused.append(error)
        ended.set()

    def install(ctx: FeatureInstallContext) -> None:
        Thread(target=register, args=(ctx,), daemon=True).start()
        assert reading.wait(10)

    among = Among(Module(culprit().tool("echo"), install))
    go_on.set()
    assert ended.wait(10)
    assert len(refused) == 1
    among.assert_others_work()
    assert report_of(among.registry, str(CULPRIT)).installed_tools == ()


def test_one_that_contributes_what_it_did_not_declare() -> None:
    among = Among(Module(culprit(), everything))
    among.assert_others_work()
    among.assert_nothing_but_tools()
    report = report_of(among.registry, str(CULPRIT))
    assert [one.kind for one in report.skipped_contributions] == [
        "tool", "hook", "task", "command", "fragment",
    ]  # fmt: skip
    assert {one.reason for one in report.skipped_contributions} == {"it was not declared"}
    assert len(report.diagnostics) == 5


def test_one_that_contributes_after_its_installation() -> None:
    module = Module(declared())
    among = Among(module)
    assert module.context is not None
    with pytest.raises(HandleClosed, match="taken back"):
        everything(module.context)
    among.assert_others_work()


def test_one_that_floods_its_report_with_what_it_never_declared() -> None:
    def floods(ctx: FeatureInstallContext) -> None:
        for number in range(5_000):
            ctx.tools.register(ToolContribution(f"tool-{number}" + "x" * 10_000, Echo()))

    among = Among(Module(declared(), floods))
    among.assert_others_work()
    report = report_of(among.registry, str(CULPRIT))
    assert len(report.skipped_contributions) == SKIPPED_MOST + 5
    assert len(report.diagnostics) == DIAGNOSTICS_MOST
    assert len(msgspec.json.encode(report)) < 250_000
    told = {(one.kind, one.name) for one in report.skipped_contributions}
    assert {("tool", "echo"), ("hook", "audit"), ("task", "watch")} <= told


@pytest.mark.parametrize(
    "junk", [None, 5, "echo", object(), {"name": "echo"}], ids=lambda junk: type(junk).__name__
)
def test_one_that_registers_junk(junk: Any) -> None:
    def install(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(junk)

    Among(Module(declared(), install)).assert_gone(because="AttributeError")
