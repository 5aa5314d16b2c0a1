"""A repository's own configuration never makes a command run something without a question."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from induscode.policy.git_table import GIT
from induscode.policy.gitconfig import program_named_by_git
from induscode.policy.modes import Mode
from induscode.policy.verdict import Allow, Ask, Deny
from tests.policy.calls import allow, bash, judge
from tests.policy.hostile_git import READING, age, canary, git, repository, run

# What each setting is, and whether some command of the table runs it when it is left alone.
SETTINGS = {
    "[diff]\nexternal = {0}": True,
    "[DIFF] External={0}": True,
    '[diff "evil"]\ncommand = {0}': True,
    "[diff.evil]\ncommand = {0}": True,
    '[diff "evil"]\n\ttextconv = {0}': True,
    '[filter "evil"]\nclean = {0}': True,
    '[filter "evil"] clean = {0}': True,
    '[core][filter "evil"]clean={0}': True,
    '[filter "evil"]\nprocess = {0}': True,
    "[include]\npath = more": True,
    '[includeIf "gitdir:**"]\npath = more': True,
    '[filter "evil"]\nsmudge = {0}': False,
    "[gpg]\nprogram = {0}": False,
    '[gpg "ssh"]\nprogram = {0}': False,
    "[core]\nalternateRefsCommand = {0}": False,
    "[extensions]\npartialClone = origin": False,
    "[core]\nworktree = /": False,
    "[diff]\nsubmodule = diff": False,
    "[status]\nsubmoduleSummary = true": False,
}
# Settings that name programs which these commands do not run, or that the environment overrides.
HARMLESS = (
    "[core]\nfsmonitor = {0}",
    "[core]\npager = {0}",
    "[pager]\nlog = {0}\nstatus = {0}\ndiff = {0}",
    "[core]\neditor = {0}\nsshCommand = {0}\naskPass = {0}",
    "[alias]\nstatus = !{0}\nst = !{0}",
    "[credential]\nhelper = {0}",
    '[merge "evil"]\ndriver = {0}',
    "[interactive]\ndiffFilter = {0}",
    "[log]\nshowSignature = true",
    '[diff]\ntool = evil\n[difftool "evil"]\ncmd = {0}',
    "# [diff]\n; external = {0}",
)


def configure(repo: Path, setting: str, program: Path) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write("\n" + setting.format(program) + "\n")
    (repo / ".git/more").write_text(f"[diff]\nexternal = {program}\n")


def test_every_command_of_the_table_is_tried() -> None:
    tried = {command.split()[1] for command in READING}

    assert set(GIT) <= tried


@pytest.mark.parametrize("setting", SETTINGS)
async def test_a_repository_that_names_a_program_is_asked_about_and_never_runs_it(
    tmp_path: Path, setting: str
) -> None:
    repo = repository(tmp_path / "repo")
    program, trace = canary(tmp_path / "bin")
    configure(repo, setting, program)

    for command in READING:
        verdict = judge(bash(repo, command), repo)
        assert isinstance(verdict, Ask), command
        assert "git configuration names programs" in verdict.question
        assert isinstance(judge(bash(repo, command), repo, mode=Mode.PLAN), Deny), command
    assert isinstance(judge(bash(repo, "git status"), repo, allow("bash(git *)")), Ask)
    assert not trace.exists()


@pytest.mark.parametrize("setting", [setting for setting, live in SETTINGS.items() if live])
async def test_the_canary_is_alive(tmp_path: Path, setting: str) -> None:
    repo = repository(tmp_path / "repo")
    program, trace = canary(tmp_path / "bin")
    configure(repo, setting, program)

    for command in ("git diff", "git log -p", "git show HEAD:file.x", "git status"):
        await run(command, repo, tmp_path)

    assert trace.exists()


@pytest.mark.parametrize("setting", HARMLESS)
async def test_what_the_gate_allows_in_a_prepared_repository_runs_nothing_of_it(
    tmp_path: Path, setting: str
) -> None:
    repo = repository(tmp_path / "repo")
    program, trace = canary(tmp_path / "bin")
    configure(repo, setting, program)
    (repo / "pre").mkdir()
    shutil.copy(program, repo / "pre/git-status")

    await run_what_is_allowed(repo, tmp_path)

    assert not trace.exists()


HOOKS = """
applypatch-msg
commit-msg
fsmonitor-watchman
post-applypatch
post-checkout
post-commit
post-merge
post-rewrite
pre-applypatch
pre-auto-gc
pre-commit
pre-merge-commit
pre-push
pre-rebase
prepare-commit-msg
reference-transaction
""".strip().splitlines()


def hooks(folder: Path, program: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(program, folder / name)


async def test_commands_that_only_read_run_no_hook_but_one(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    program, trace = canary(tmp_path / "bin")
    hooks(repo / ".git/hooks", program, HOOKS)
    hooks(repo / ".husky/_", program, HOOKS)
    await run_what_is_allowed(repo, tmp_path)
    configure(repo, "[core]\nhooksPath = .husky/_", program)
    await run_what_is_allowed(repo, tmp_path)
    assert not trace.exists()

    for folder in (".husky/_", ".git/hooks"):
        hooks(repo / folder, program, ["post-index-change"])
        assert isinstance(judge(bash(repo, "git diff"), repo), Ask), folder
        (repo / ".git/config").write_text("[core]\nbare = false\n")
    age(repo)
    await run("git diff", repo, tmp_path)
    assert trace.exists()


async def run_what_is_allowed(repo: Path, spill: Path) -> None:
    for command in READING:
        assert isinstance(judge(bash(repo, command), repo), Allow), command
        age(repo)
        await run(command, repo, spill)


async def test_a_submodule_may_not_name_a_program_either(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin")
    repo = repository(tmp_path / "repo")
    program, trace = canary(tmp_path / "bin")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(origin), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    assert isinstance(judge(bash(repo, "git status"), repo), Allow)

    modules = repo / ".git/modules/sub/config"
    before = modules.read_text()
    modules.write_text(f"{before}[core]\nfsmonitor = {program}\n")
    assert isinstance(judge(bash(repo, "git status"), repo), Ask)

    modules.write_text(f'{before}[filter "evil"]\nclean = {program}\n')
    age(repo / "sub")
    assert isinstance(judge(bash(repo, "git status"), repo), Ask)
    await run("git status", repo, tmp_path)
    assert trace.exists()


def test_a_submodule_that_only_history_knows_counts(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    module = repo / ".git/modules/group/old"
    module.mkdir(parents=True)
    (module / "config").write_text("[core]\nworktree = ../../../../old\n")
    assert program_named_by_git(repo) == ""

    (module / "config").write_text("[diff]\nexternal = x\n")
    assert program_named_by_git(repo) == "diff.external"


async def test_a_repository_in_the_tree_that_the_index_links_to_counts(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    program, trace = canary(tmp_path / "bin")
    inner = repository(repo / "vendor/inner")
    git(repo, "add", "vendor/inner")
    assert isinstance(judge(bash(repo, "git status"), repo), Allow)

    configure(inner, '[filter "evil"]\nclean = {0}', program)

    assert isinstance(judge(bash(repo, "git status"), repo), Ask)
    await run("git status", repo, tmp_path)
    assert trace.exists()


def test_a_bare_repository_in_the_tree_counts_where_git_would_find_it(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    bare = repo / "docs/fixture"
    bare.mkdir(parents=True)
    git(bare, "init", "-q", "--bare")
    (bare / "config").write_text("[core]\nbare = true\n[diff]\nexternal = ./evil\n")

    assert program_named_by_git(bare) == "diff.external"
    assert program_named_by_git(bare / "refs") == "diff.external"
    assert isinstance(judge(bash(bare, "git log -p"), repo), Ask)
    assert isinstance(judge(bash(repo, "git log -p"), repo), Allow)


def test_a_worktree_is_judged_by_the_repository_it_belongs_to(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree), "HEAD")
    assert program_named_by_git(tree) == ""

    (repo / ".git/worktrees/tree/config.worktree").write_text("[diff]\nexternal = x\n")
    assert program_named_by_git(tree) == "diff.external"
    (repo / ".git/worktrees/tree/config.worktree").unlink()
    configure(repo, "[diff]\nexternal = {0}", Path("x"))
    assert program_named_by_git(tree) == "diff.external"


def test_a_broken_repository_does_not_hide_the_one_above_it(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    (repo / "sub/.git").mkdir(parents=True)
    configure(repo, "[diff]\nexternal = {0}", Path("x"))

    assert program_named_by_git(repo / "sub") == "diff.external"


def test_what_cannot_be_read_counts(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    config = repo / ".git/config"
    for text in ("[core", "[core]x[diff", "#" * 300_000):
        config.write_text(text + "\n")
        assert bool(program_named_by_git(repo)) is (text != "[core]x[diff"), text
    config.unlink()
    config.mkdir()
    assert program_named_by_git(repo)


def test_an_alias_counts_only_when_it_is_called(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    configure(repo, "[alias]\nst = !{0}", Path("x"))
    rule = allow("bash(git *)")

    assert isinstance(judge(bash(repo, "git st"), repo, rule), Ask)
    assert isinstance(judge(bash(repo, "git fetch"), repo, rule), Allow)
