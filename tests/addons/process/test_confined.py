"""What an addon's program may reach, tried by a program that wants more; and what outlives us."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from induscode.addons.process import started
from induscode.addons.process.addon import ProcessAddon
from induscode.addons.process.confine import Reach, Wall, told_of
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.sandbox import SandboxPolicy
from induscode.kernel.content import plain_text
from tests.addons.process.nursery import BAD, Nursery, asked, called
from tests.requirements import requirement
from tests.tools.processes.escapes import alive, new_marker
from tests.tools.waiting import until, until_written

PROBE = """
import json, os, signal, socket
from indus_addon import Addon

addon = Addon("probe")

def tried(work):
    try:
        return work()
    except OSError as error:
        return error.strerror

@addon.tool("probe", "Tries.")
def probe(args):
    what, target = args["what"], args.get("target")
    match what:
        case "read":
            found = tried(lambda: open(target).read())
        case "write":
            found = tried(lambda: open(target, "w").write("x"))
        case "signal":
            found = tried(lambda: os.kill(target, 0))
        case "socket":
            found = tried(lambda: socket.socket(getattr(socket, target)).close())
        case "environ":
            found = dict(os.environ)
        case "umask":
            found = os.umask(0o077)
        case "open":
            found = sorted(os.listdir("/proc/self/fd"))
    return json.dumps(found)

addon.run()
"""
DENIED = "Permission denied"
WALLS = tuple(Wall)


async def tried(addon: ProcessAddon, what: str, target: object = None) -> Any:
    result = await called(addon, "probe", {"what": what, "target": target})
    return json.loads(plain_text(result.content))


@pytest.fixture
async def probe(nursery: Nursery) -> ProcessAddon:
    return await nursery.addon(nursery.write("own/probe.py", PROBE))


async def test_on_this_machine_every_wall_stands(probe: ProcessAddon) -> None:
    await probe.start()
    assert probe.unconfined == ""


async def test_files_outside_its_own_folder_are_neither_read_nor_written(
    probe: ProcessAddon, nursery: Nursery
) -> None:
    secret = nursery.write("secret.txt", "secret")
    assert await tried(probe, "read", str(secret)) == DENIED
    assert await tried(probe, "write", str(nursery.folder / "new")) == DENIED
    assert await tried(probe, "write", str(nursery.folder / "own" / "new")) == DENIED
    assert await tried(probe, "write", "/dev/null") == 1


@requirement("addons.sandbox.real-path-behind")
async def test_a_granted_folder_is_read_and_written_but_no_link_leads_out_of_it(
    nursery: Nursery,
) -> None:
    root, secret = nursery.folder / "work", nursery.write("secret.txt", "secret")
    root.mkdir()
    (root / "link").symlink_to(secret)
    path = nursery.write("own/probe.py", PROBE)
    addon = await nursery.addon(path, policy=SandboxPolicy.confined_to(root))
    assert SandboxPolicy.confined_to(root).permits_path(root / "link")
    assert await tried(addon, "write", str(root / "new")) == 1
    assert await tried(addon, "read", str(root / "new")) == "x"
    assert await tried(addon, "read", str(root / "link")) == DENIED
    assert await tried(addon, "write", str(root / "link")) == DENIED
    assert secret.read_text() == "secret"


async def test_our_own_environment_cannot_be_looked_up(probe: ProcessAddon) -> None:
    assert await tried(probe, "read", f"/proc/{os.getpid()}/environ") == DENIED


async def test_processes_outside_cannot_be_signalled(probe: ProcessAddon) -> None:
    with subprocess.Popen(["sleep", "60"]) as victim:
        try:
            assert await tried(probe, "signal", victim.pid) in {
                "No such process",
                "Operation not permitted",
            }
        finally:
            victim.kill()


async def test_without_namespaces_the_other_walls_stand_alone_and_the_person_is_told(
    probe: ProcessAddon, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = started._attempt
    monkeypatch.setattr(
        started, "_attempt", lambda *given, namespaces: attempt(*given, namespaces=False)
    )
    with subprocess.Popen(["sleep", "60"]) as victim:
        try:
            assert await tried(probe, "signal", victim.pid) == "Operation not permitted"
        finally:
            victim.kill()
    assert await tried(probe, "socket", "AF_INET") == DENIED
    assert await tried(probe, "read", f"/proc/{os.getpid()}/environ") == DENIED
    assert "start any number of processes" in probe.unconfined


async def test_there_is_no_network_and_no_socket_of_the_file_system(probe: ProcessAddon) -> None:
    for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"):
        assert await tried(probe, "socket", family) == DENIED


async def test_a_granted_network_leaves_out_the_sockets_of_the_file_system(
    nursery: Nursery,
) -> None:
    addon = await nursery.addon(nursery.write("own/probe.py", PROBE), network=True)
    assert await tried(addon, "socket", "AF_INET") is None
    assert await tried(addon, "socket", "AF_UNIX") == DENIED
    assert addon.unconfined == ""


@requirement("addons.sandbox.env-reaches-process")
async def test_the_program_gets_only_listed_names_and_never_a_secret(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LISTED", "OTHER", "LISTED_API_KEY"):
        monkeypatch.setenv(name, "a-value-of-ours")
    policy = SandboxPolicy(env_allowlist=("LISTED", "LISTED_API_KEY"))
    path = nursery.write("own/probe.py", PROBE)
    listed = await tried(await nursery.addon(path, policy=policy), "environ")
    nothing = await tried(await nursery.addon(path), "environ")
    assert set(listed) - set(nothing) == {"LISTED"}
    assert "a-value-of-ours" not in nothing.values()
    ours = {"PATH", "LANG", "MARK", "INDUS_ADDON_JS", "PAGER", "LC_CTYPE"}
    assert {name for name in nothing if not name.startswith("GIT_")} <= ours


async def test_the_program_has_three_streams_and_a_strict_mask(probe: ProcessAddon) -> None:
    assert await tried(probe, "umask") == 0o077
    streams = await tried(probe, "open")
    assert len(streams) == 3 + 3  # the SDK keeps copies of two of them, and one is the listing's


def test_the_person_is_told_what_does_not_hold() -> None:
    reach = Reach()
    assert told_of(reach, WALLS) == ""
    assert "read and change your files" in told_of(reach, [Wall.NETWORK, Wall.NAMESPACES])
    assert "keys" not in told_of(reach, [Wall.NETWORK, Wall.NAMESPACES])
    assert "read the keys of this session" in told_of(reach, [Wall.NETWORK])
    assert "use the network" in told_of(reach, [Wall.LANDLOCK])
    assert "any number of processes" in told_of(reach, [Wall.LANDLOCK, Wall.NETWORK])
    assert "whatever you can" in told_of(Reach(confined=False), [])


@requirement("addons.sandbox.timeout-enforced")
async def test_a_call_that_takes_longer_than_allowed_is_ended_and_reported(
    nursery: Nursery,
) -> None:
    limits = ProcessLimits(call_seconds=0.2, cancel_seconds=0.2)
    addon = await nursery.addon(BAD / "hangs.py", limits=limits)
    outcome, faults = await asked(addon)
    assert outcome.gate is not None
    assert "within 0.2 s" in faults[0].message
    await until(lambda: bool(nursery.told))
    await nursery.until_nothing_is_left()


async def test_stderr_is_kept_up_to_its_limit_and_without_secrets(nursery: Nursery) -> None:
    nursery.secrets.add("MY_KEY", "sk-canary-9f2c41d7e8")
    script = "import sys\nsys.stderr.write('x' * 200_000 + 'sk-canary-9f2c41d7e8!')\nsys.exit(1)\n"
    addon = await nursery.addon(nursery.write("own/loud.py", script))
    await asked(addon)
    assert len(addon.complaints) <= ProcessLimits().stderr_bytes
    assert addon.complaints.endswith("x[redacted: MY_KEY]!")
    assert "canary" not in str(nursery.told[0])


async def test_progress_and_errors_are_told_without_secrets(nursery: Nursery) -> None:
    nursery.secrets.add("MY_KEY", "sk-canary-9f2c41d7e8")
    told: list[str] = []
    addon = await nursery.addon(nursery.write("own/leaky.py", LEAKY))
    with pytest.raises(ProcessFault) as raised:
        await called(addon, "leak", {}, progress=told.append)
    assert told == ["at [redacted: MY_KEY]"]
    assert "ValueError: [redacted: MY_KEY]" in str(raised.value)


LEAKY = """
from indus_addon import Addon

addon = Addon("leaky")

@addon.tool("leak", "Leaks.")
def leak(args, call):
    call.progress("at sk-canary-9f2c41d7e8")
    raise ValueError("sk-canary-9f2c41d7e8")

addon.run()
"""
HOST = """
import asyncio, os, sys
from pathlib import Path
from induscode.addons.contract import AddonId
from induscode.addons.process.addon import Hosting, Identity, ProcessAddon
from induscode.addons.process.confine import reach_of
from induscode.addons.process.started import Program
from induscode.addons.sandbox import SandboxPolicy
from induscode.tools.processes.line import Keeper

async def main():
    script, marker, root = sys.argv[1:]
    reach = reach_of(SandboxPolicy.confined_to(root), Path(sys.prefix), Path(sys.base_prefix))
    environ = {"PATH": os.environ["PATH"], "MARKER": marker}
    program = Program(("/bin/sh", script), Path(root), environ, reach)
    async def find():
        return program
    addon = ProcessAddon(Identity(AddonId("x"), ""), find, Hosting(Keeper()))
    await addon.start()

asyncio.run(main())
"""
ESCAPING = """
(setsid sleep 300 &) ; setsid setsid sleep 300 & nohup sleep 300 >/dev/null 2>&1 &
trap '' TERM
echo > ready
while :; do sleep 1; done
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda n: n.name)
async def test_nothing_of_an_addon_outlives_a_host_that_was_killed(
    tmp_path: Path, number: signal.Signals
) -> None:
    marker = new_marker()
    (tmp_path / "addon.sh").write_text(ESCAPING)
    words = [sys.executable, "-c", HOST, "addon.sh", marker, str(tmp_path)]
    with subprocess.Popen(words, cwd=tmp_path) as host:
        await until_written(tmp_path / "ready")
        assert len(alive(marker)) >= 4
        host.send_signal(number)
        await until(lambda: alive(marker) == [])
