"""What a feature is given leads nowhere: everything that can be reached from it is looked at.

Followed are slots, instance dictionaries (private names too), containers, closures, the object of
a bound method and the parts of a partial; not modules, classes or a function's globals, which any
Python code has anyway.
"""

from __future__ import annotations

import asyncio
import functools
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from msgspec import Struct

from induscode.conductor.recorder import Recorder
from induscode.conductor.turn import Conductor
from induscode.feature.background import BackgroundTaskContribution, FeatureTaskContext
from induscode.feature.capability import CapabilityGrantSet
from induscode.feature.hosting.draft import Draft
from induscode.feature.hosting.grant_store import GrantStore
from induscode.feature.hosting.handles import FeaturePorts, Handles
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.hosting.sinks import Alerts, Diagnostics, Notices, SinkPaths
from induscode.feature.hosting.supervisor import Supervisor
from induscode.feature.lending import Lease
from induscode.feature.notify import FeatureAlertSink
from induscode.feature.registry import (
    FeatureHost,
    FeatureInstallContext,
    FeatureRegistryBuilder,
)
from induscode.feature.services import Denied, Unavailable
from induscode.kernel.cancel import CancelToken
from induscode.session.log import SessionLog
from tests.features.hosting import Grants, NoServices, TestHost, package
from tests.features.modules import Module, Task, describe, until
from tests.requirements import requirement

INTERNALS = (
    SessionLog, Recorder, Conductor, FeatureRegistry, FeatureRegistryBuilder, FeatureHost,
    InstalledFeature,
    FeaturePorts, Handles, Draft, GrantStore, Grants, NoServices, FeatureRecord, SinkPaths,
    Notices, Alerts, Diagnostics, Supervisor, TestHost, asyncio.AbstractEventLoop, asyncio.Task,
)  # fmt: skip
PLAIN = (str, bytes, int, float, bool, type(None))


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """What one object holds, by the way to it."""
    match value:
        case types.FunctionType():
            for cell in value.__closure__ or ():
                yield "closure", cell.cell_contents
            yield "defaults", value.__defaults__
        case types.MethodType():
            yield "__self__", value.__self__
            yield "__func__", value.__func__
        case types.BuiltinFunctionType():
            yield "__self__", value.__self__
        case functools.partial():
            yield from (("func", value.func), ("args", value.args), ("keywords", value.keywords))
        case Mapping():
            yield from (("key", key) for key in value)
            yield from ((f"[{key!r}]", value[key]) for key in value)
        case list() | tuple() | set() | frozenset():
            yield from (("item", item) for item in value)
        case _:
            pass
    yield from attributes_of(value)


def attributes_of(value: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(value, "__dict__", {}).items()
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in {"__weakref__", "__dict__"} and hasattr(value, slot):
                yield slot, getattr(value, slot)
    for field in getattr(type(value), "__struct_fields__", ()):
        yield field, getattr(value, field)
    for name, member in vars(type(value)).items():
        if isinstance(member, property):
            yield name, member.fget


def walk(root: object) -> list[tuple[str, object]]:
    """Everything that can be reached, each with one way to it."""
    found: dict[int, tuple[str, object]] = {id(root): ("context", root)}
    ahead = [("context", root)]
    while ahead:
        way, value = ahead.pop()
        if isinstance(value, (type, types.ModuleType, *PLAIN)):
            continue
        for name, part in parts_of(value):
            if id(part) not in found:
                found[id(part)] = (f"{way}.{name}", part)
                ahead.append((f"{way}.{name}", part))
    return list(found.values())


def internals_in(root: object, *also: object) -> list[str]:
    return [
        way
        for way, value in walk(root)
        if isinstance(value, INTERNALS)
        or any(value is one for one in also)
        or (callable(value) and not isinstance(value, (type, types.FunctionType)))
    ]


def installed() -> tuple[TestHost, FeatureInstallContext]:
    host, module = TestHost(), Module(describe("curious"))
    host.registry(package(module))
    assert module.context is not None
    return host, module.context


async def task_context() -> FeatureTaskContext:
    task = Task(lambda context: asyncio.sleep(0))

    def install(ctx: FeatureInstallContext) -> None:
        ctx.background_tasks.register(BackgroundTaskContribution("watch", task))

    module = Module(describe("curious").background_task("watch"), install)
    supervisor = Supervisor(TestHost().registry(package(module)))
    supervisor.start()
    await until(lambda: task.contexts)
    await supervisor.close()
    return task.contexts[0]


@requirement("feature.context.no-internals", "feature.no-event-channel")
def test_nothing_of_the_host_can_be_reached_from_an_install_context() -> None:
    host, context = installed()
    assert internals_in(context, host, host.grants, host.notices, host.alerts, host.told) == []


@requirement("feature.context.no-internals")
async def test_nothing_of_the_host_can_be_reached_from_a_task_context() -> None:
    assert internals_in(await task_context()) == []


def test_the_walk_finds_only_handles_leases_and_plain_values() -> None:
    """A closed list, so that whatever comes in later is looked at once."""
    _, context = installed()
    kinds = {type(value) for _, value in walk(context)}
    house = {kind.__name__ for kind in kinds if kind.__module__.startswith(("induscode", "tests"))}
    assert house == {
        "BackgroundTaskRegistrar", "CapabilityGrantSet", "CommandRegistrar", "FeatureAlertSink",
        "FeatureDiagnosticSink", "FeatureId", "FeatureInstallContext", "FeatureNotifySink",
        "FeatureServiceProvider", "FragmentRegistrar", "Lease", "PublicHookRegistrar",
        "ToolRegistrar",
    }  # fmt: skip


async def test_a_task_context_adds_its_cancellation_and_nothing_else() -> None:
    kinds = {type(value) for _, value in walk(await task_context())}
    house = {kind.__name__ for kind in kinds if kind.__module__.startswith(("induscode", "tests"))}
    assert house == {
        "CancelToken", "FeatureAlertSink", "FeatureDiagnosticSink", "FeatureNotifySink",
        "FeatureServiceProvider", "FeatureTaskContext", "Lease",
    }  # fmt: skip


def test_what_a_service_answers_leads_nowhere_either() -> None:
    from induscode.feature.capability import ScopedFs

    _, context = installed()
    answer = context.services.files(ScopedFs(read=True))
    assert isinstance(answer, (Denied, Unavailable))
    assert internals_in(answer) == []


# The walk itself: it finds what is hidden in each of the ways that are followed


class Held:
    def __init__(self, value: object) -> None:
        self._private = value

    def method(self) -> None: ...


class Slotted:
    __slots__ = ("_hidden",)

    def __init__(self, value: object) -> None:
        self._hidden = value


class Framed(Struct):
    value: Any


def closing_over(value: object) -> Callable[[], object]:
    return lambda: value


def listening(value: object) -> CancelToken:
    token = CancelToken()
    token.on_cancel(lambda: value)
    return token


HIDING: dict[str, Callable[[object], object]] = {
    "attribute": Held,
    "slot": Slotted,
    "struct": Framed,
    "closure": closing_over,
    "default": lambda value: eval("lambda kept=value: kept", {"value": value}),
    "bound method": lambda value: Held(value).method,
    "bound method of its own": lambda value: value.host,
    "partial": lambda value: functools.partial(print, value),
    "partial of a method": lambda value: functools.partial(value.host),
    "dict": lambda value: {"a": [value]},
    "key": lambda value: {(value,): 1},
    "set": lambda value: {value},
    "second item": lambda value: [1, "two", value, 3],
    "listener of a token": listening,
}


@pytest.mark.parametrize("way", list(HIDING))
def test_the_walk_finds_what_is_held_as(way: str) -> None:
    host = TestHost()
    assert internals_in(HIDING[way](host))
    assert any(value is host for _, value in walk(HIDING[way](host)))


@pytest.mark.parametrize("kind", [FeatureAlertSink, CapabilityGrantSet])
def test_a_handle_that_held_its_port_would_be_found(kind: Callable[[Any], object]) -> None:
    host = TestHost()
    record = host.record("one")
    port = Alerts(record, host.grants, host.paths) if kind is FeatureAlertSink else host.grants
    assert internals_in(kind(Lease())) == []
    assert internals_in(kind(port))
