"""Random stories of an agent, a person and rewinds in one workspace, with a model kept beside.

The model is the whole tree after every event; it knows nothing of stores, marks or git. What a
rewind must lead to is worked out from those trees alone, and compared byte for byte.
"""

from __future__ import annotations

import os
import random
import shlex
from dataclasses import dataclass
from pathlib import Path

from induscode.checkpoint.points import Point
from tests.checkpoint.scene import Stage, bash, git
from tests.checkpoint.trees import Tree, difference, digest_of, tree_of

NAMES = ["a", "b.txt", "c", "sub/d", "sub/e.txt", "sub/in/f", "two words", "build/g", "build/h"]
ODD = ["*", "new\nline", "-n", "ümlaut", "\udcff\udcfe"]
FOLDERS = ["sub", "sub/in", "build", "more", "more/deep"]


class Wrong(Exception):
    """The workspace is not what the model says."""


@dataclass(frozen=True)
class Event:
    """Something happened: who did it, and the tree before and after."""

    who: str
    before: Tree
    after: Tree


class Story:
    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.stage = Stage(folder)
        self.work = self.stage.work
        self.events: list[Event] = []
        self.moments: list[tuple[Point, Tree, int]] = []
        self.counts = {"agent": 0, "person": 0, "rewind": 0, "undone": 0, "conflicts": 0}
        self._begin()

    def _begin(self) -> None:
        kind = self.random.choice(["git", "git", "git", "crlf", "filter", "plain"])
        for name in NAMES:
            self._file(name)
        if kind == "plain":
            return
        (self.work / ".gitignore").write_text("build/\n")
        if kind == "filter":
            (self.work / ".gitattributes").write_text("*.txt working-tree-encoding=UTF-16LE\n")
        if kind == "crlf":
            (self.work / ".gitattributes").write_text("* text=auto\n")
            (self.work / "b.txt").write_bytes(b"one\r\ntwo\r\n")
            (self.work / "c").write_bytes(b"one\r\ntwo\nthree\r\n")
        git(self.work, "init", "-q")
        chosen = self.random.sample([n for n in NAMES if not n.startswith("build/")], 5)
        if kind == "filter":
            chosen = [name for name in chosen if not name.endswith(".txt")]
        git(self.work, "add", ".gitignore", *chosen)
        git(self.work, "commit", "-q", "-m", "first")
        if self.random.random() < 0.7:
            past = self.random.randrange(10**9)
            for name in chosen:
                os.utime(self.work / name, (past, past))
            git(self.work, "status")

    def _file(self, name: str) -> None:
        place = self.work / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(self.random.randbytes(self.random.choice([0, 4, 40, 4000])))

    # Events

    def tell(self, length: int) -> None:
        try:
            for _ in range(length):
                self._event()
        finally:
            self.stage.close()

    def _event(self) -> None:
        self.moments.append((self.stage.here(), tree_of(self.work), len(self.events)))
        pick = self.random.random()
        if pick < 0.40:
            self._agent(self._by_shell)
        elif pick < 0.55:
            self._agent(self._by_write)
        elif pick < 0.72:
            self._person()
        else:
            self._rewind()

    def _agent(self, deed: object) -> None:
        assert callable(deed)
        self.counts["agent"] += 1
        self.stage.say()
        before = tree_of(self.work)
        deed()
        self._note("agent", before)

    def _by_shell(self) -> None:
        script = "; ".join(self._deed() for _ in range(self.random.randint(1, 4)))
        apart = self.random.random() < 0.1 and (self.work / ".git").exists()
        if apart:
            script += "; git add -A 2>/dev/null; git commit -qm more"
        before = digest_of(self.work / ".git")
        self.stage.shell(script)
        if not apart and digest_of(self.work / ".git") != before:
            raise Wrong("git's own files were touched by a step")

    def _by_write(self) -> None:
        name = self.random.choice([*NAMES, "new/deep/file"])
        place = self.work / name
        if place.is_dir() or place.is_symlink():
            return
        if any(up.is_symlink() or up.is_file() for up in place.parents if up != self.work):
            return
        self.stage.write(name, self.random.randbytes(40))

    def _person(self) -> None:
        self.counts["person"] += 1
        before = tree_of(self.work)
        bash(self.work, self._deed())
        self._note("person", before)

    def _note(self, who: str, before: Tree) -> None:
        self.events.append(Event(who, before, tree_of(self.work)))

    def _deed(self) -> str:
        roll = self.random
        one = self._word(roll.choice(NAMES + ODD[: roll.randint(1, 5)]))
        other, folder = self._word(roll.choice(NAMES)), self._word(roll.choice(FOLDERS))
        text = roll.choice(["x", "yy", "zzzz", "same", "SAME"])
        return roll.choice(
            [
                f"mkdir -p -- $(dirname -- {one}) && echo {text} > {one}",
                f"printf {text} >> {one}",
                f"printf {text} | dd of={one} conv=notrunc 2>/dev/null",
                f"rm -f -- {one}",
                f"rm -rf -- {folder}",
                f"mkdir -p -- {folder}",
                f"mv -f -- {one} {other}",
                f"mv -- {folder} {folder}-moved; true",
                f"chmod {roll.choice(['600', '755', '444', '4711'])} -- {one}",
                f"chmod {roll.choice(['700', '755', '555'])} -- {folder}",
                f"ln -sfn -- {roll.choice(['nowhere', 'sub', '../x', text])} {one}",
                f"rm -rf -- {one}; mkdir -p -- {one}/inner; echo {text} > {one}/inner/file",
                f"rm -rf -- {folder}; echo {text} > {folder}",
                f"touch -- {one}",
                f"cp -a -- {one} {other}",
                f"truncate -s {roll.randint(0, 9)} -- {one}",
            ]
        )

    def _word(self, name: str) -> str:
        quoted = shlex.quote(f"./{name}")
        return quoted if name.isprintable() else f"./$'{_escaped(name)}'"

    # Rewinds

    def _rewind(self) -> None:
        self.counts["rewind"] += 1
        point, tree, index = self.random.choice(self.moments)
        before = tree_of(self.work)
        expected = self._expected(self.events[index:], before)
        own = digest_of(self.work / ".git")
        done = self.stage.rewind(point, self.random.choice(["files", "both"]))
        if done.plan.unrestorable or done.failed:
            raise Wrong(f"not restored: {done.plan.unrestorable} {done.failed}")
        self.counts["conflicts"] += len(done.plan.conflicts)
        self._compare(expected, "a rewind")
        if all(event.who == "agent" for event in self.events[index:]):
            self._compare(tree, "a rewind with nobody in between")
        self._note("agent", before)
        if self.random.random() < 0.4:
            self.counts["undone"] += 1
            after = tree_of(self.work)
            undo = next(e for e in self.stage.log.entries if e.id == done.undo)
            self.stage.rewind(Point(undo.id, undo.seq), "files")
            self._compare(before, "an undone rewind")
            self._note("agent", after)
        if digest_of(self.work / ".git") != own:
            raise Wrong("git's own files were touched by a rewind")

    def _compare(self, expected: Tree, what: str) -> None:
        if found := difference(expected, tree_of(self.work)):
            raise Wrong(f"after {what}: " + "; ".join(found))

    def _expected(self, later: list[Event], now: Tree) -> Tree:
        """From the trees alone: what agents did since goes, where no person meddled."""
        wanted = dict(now)
        agents = [event for event in later if event.who == "agent"]
        for path in {path for event in agents for path in event.before.keys() | event.after.keys()}:
            did = [event for event in agents if event.before.get(path) != event.after.get(path)]
            found = [*(event.before.get(path) for event in did[1:]), now.get(path)]
            if did and [event.after.get(path) for event in did] == found:
                _set(wanted, path, did[0].before)
        return _possible(wanted, now)


def _set(tree: Tree, path: str, source: Tree) -> None:
    if path in source:
        tree[path] = source[path]
    else:
        tree.pop(path, None)


def _possible(wanted: Tree, now: Tree) -> Tree:
    """A tree that can exist: where a file would hang in the air, one side stays as it is now."""
    while True:
        for path in sorted(wanted, key=lambda p: -p.count("/")):
            above = path.rpartition("/")[0]
            if not above or wanted.get(above, ("",))[0] == "dir":
                continue
            meddled = wanted.get(path) == now.get(path)
            stays = above if meddled and wanted.get(above) != now.get(above) else path
            _set(wanted, stays, now)
            break
        else:
            return wanted


def _escaped(name: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(name))


def tell(folder: Path, seed: int, length: int = 12) -> dict[str, int]:
    """One story; raises `Wrong`."""
    story = Story(folder, seed)
    try:
        story.tell(length)
    except Wrong as wrong:
        raise Wrong(f"seed {seed}: {wrong}") from None
    return story.counts
