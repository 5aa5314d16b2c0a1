"""What the briefing costs: files are read once, and composing stays cheap with many of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.home import BOUND, Home, answer

SKILLS, DOCUMENTS = 200, 50
TURNS = """
import asyncio, json, os, sys
from induscode.sdk import Agent

opened = []
def hear(event, args):
    if event == "open" and str(args[0]).endswith(".md"):
        opened.append(os.path.basename(str(args[0])))
    if event == "os.scandir":
        opened.append("listing")

async def main():
    found = []
    async with Agent(model=sys.argv[1], cwd=".") as agent:
        sys.addaudithook(hear)
        for turn in range(3):
            if turn == 2:
                with open(sys.argv[2], "a") as file:
                    file.write("And one more thing.\\n")
                opened.clear()
            async for _ in agent.run("hi"):
                pass
            found.append(sorted(opened))
            opened.clear()
    print(json.dumps(found))

asyncio.run(main())
"""
COMPOSING = """
import os, sys, time
from pathlib import Path
from induscode.boot.invocation import Invocation
from induscode.boot.materials import Materials
from induscode.boot.prompt import Prompt
from induscode.boot.surroundings import surroundings
from induscode.briefing.contract import ComposeOptions

around = surroundings(Invocation(), dict(os.environ))
materials = Materials(around)
prompt = Prompt(ComposeOptions(), str(around.workspace), str(around.cwd), around.clock, materials,
                tuple, tuple)
spans = prompt.spans([])
text = "\\n\\n".join(span.text for span in spans)
times = []
for _ in range(15):
    began = time.perf_counter()
    materials.refresh()
    again = prompt.spans([])
    times.append(time.perf_counter() - began)
print(text.count("<skill>"), text.count("## "), min(times) * 1000)
"""


def kept(home: Home) -> Path:
    """Many skills and documents of the user's; returns one of the documents."""
    for number in range(SKILLS):
        folder = home.root / ".claude" / "skills" / f"skill-{number}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(
            f"---\nname: skill-{number}\ndescription: Does {number}.\n---\n" + "Do it so.\n" * 50
        )
    names = [f"notes/{number}.md" for number in range(DOCUMENTS - 1)]
    (home.root / "notes").mkdir()
    for name in names:
        (home.root / name).write_text(f"# {name}\n\n" + "Mind this.\n" * 50)
    (home.root / "AGENTS.md").write_text("\n".join(f"@{name}" for name in names))
    return home.root / names[7]


def ran(home: Home, program: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=home.work,
        env=home.environ(),
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_second_turn_reads_nothing_that_did_not_change(home: Home) -> None:
    changed = kept(home)
    model = home.script(answer("Yes.") * 3)
    _, second, third = json.loads(ran(home, TURNS, model, str(changed)))
    assert second == []
    assert third == [changed.name]
    first, last = home.entries("briefing")
    blobs = {span["name"]: span["sha256"] for span in first["spans"]}
    news = [span["name"] for span in last["spans"] if blobs.get(span["name"]) != span["sha256"]]
    assert news == [f"project-context/{changed}", "footer"]


def test_composing_with_many_skills_and_documents_takes_under_30_ms(home: Home) -> None:
    kept(home)
    home.config("[briefing]\nmax_skills_characters = 1000000\n")
    skills, documents, milliseconds = ran(home, COMPOSING).split()
    assert (int(skills), int(documents)) == (SKILLS, DOCUMENTS)
    assert float(milliseconds) < 30
