"""The process beside us ends with us, and nothing of it is loaded before it is needed."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from tests.tools.waiting import BOUND, until_gone

SEARCH = """
import asyncio, sys
from induscode.tools.web.aside import aside
job = {"job": "search", "query": "x", "limit": 1, "proxy": sys.argv[1], "certificates": None,
       "seconds": 300}
asyncio.run(aside(job, seconds=300, purpose="Searching"))
"""
HEAVY = {"h11", "ssl", "urllib.parse", "ipaddress", "html", "trafilatura", "ddgs", "lxml", "bs4"}


async def test_when_we_are_killed_the_process_beside_us_ends_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        proxy = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with subprocess.Popen([sys.executable, "-c", SEARCH, proxy]) as parent:
            silent.settimeout(BOUND)
            asking, _ = silent.accept()  # for as long as this is open, the search goes on
            children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
            (worker,) = children.read_text().split()
            parent.kill()
        with asking:
            await until_gone(int(worker))


def modules(code: str) -> set[str]:
    told = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=30
    )
    return set(done.stdout.split())


def test_what_the_gate_needs_costs_nothing_at_the_start() -> None:
    before = modules("import asyncio, induscode.policy.subject")
    code = "import induscode.tools.web.subject, induscode.tools.web.settings"
    after = modules(f"import asyncio, induscode.policy.subject\n{code}")
    assert not (after - before) & HEAVY
    ours = {name for name in after - before if not name.startswith("induscode")}
    assert len(ours) <= 2


def test_no_page_is_read_and_no_search_made_in_our_own_process() -> None:
    code = "import induscode.tools.web.webfetch, induscode.tools.web.websearch"
    assert not modules(code) & {"trafilatura", "markdownify", "ddgs", "lxml", "bs4", "primp"}
