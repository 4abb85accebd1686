"""Tests of `approve`, `import`, `restore`, `team` and `uses` on the terminal, with consent."""

import argparse
import asyncio
import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.secrets import KeyringSecrets
from app.adapters.store import restoring
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team.library import PASSWORD
from app.domain.errors import KnownError
from app.domain.history import Access, HistoryEntry, Source
from app.domain.journal import Binned, Edit, ItemKind, Step
from app.domain.library import Memory, Power, Transport
from app.surfaces.cli.approve import approve, call
from app.surfaces.cli.curate import binned_as, curate
from app.surfaces.cli.output import Printer
from app.surfaces.cli.parser import parser
from tests.build import library_of
from tests.fake_runner import MemoryRunner
from tests.program import run
from tests.team import Team
from tests.unit.services.benches import desk
from tests.unit.services.powers.test_gateway import at_work, stored


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


Word = str | None


def done(name: str, yes: Sequence[Word], *, as_json: bool = False) -> tuple[list[bool], str, str]:
    """Return each call's outcome, all output, and the newest step."""

    async def work() -> tuple[list[bool], str, str]:
        out, outcomes = io.StringIO(), []
        async with at_work(MemoryRunner()) as workbench:
            for word in yes:
                digest = (await workbench.gateway.consent(name)).digest if word == "its digest" else word
                options = argparse.Namespace(name=name, yes=digest)
                outcomes.append(await approve(workbench, options, Printer(out, as_json=as_json)))
            return outcomes, out.getvalue(), (await workbench.journal.steps())[0].sentence

    return asyncio.run(work())


def at_terminal(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))


@pytest.mark.parametrize("typed", ["y\n", "YES\n"])
def test_that_a_yes_approves_what_was_shown(
    typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_terminal(monkeypatch, typed)
    outcomes, said, step = done("time", [None, None])
    asked = capsys.readouterr().err
    assert "    time-server change\n    with ZONE\n" in asked
    assert "ZONE: no value stored" in asked
    assert asked.count("[y/N]") == 1
    assert (outcomes, step) == ([True, True], "approved “time”")
    assert said.splitlines()[1] == "No change: “time” is approved."


@pytest.mark.parametrize("typed", ["\n", "n\n", "yesterday\n", ""])
def test_that_anything_else_approves_nothing(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at_terminal(monkeypatch, typed)
    outcomes, said, step = done("git", [None])
    assert (outcomes, said) == ([False], "Nothing was approved.\n")
    assert "approved" not in step


def test_that_where_nobody_sits_only_the_exact_digest_is_a_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(KnownError, match="No terminal to confirm in"):
        done("git", [None])
    for wrong in ("", "y", "0" * 64):
        with pytest.raises(KnownError, match="digest of something else"):
            done("git", [wrong])
    assert done("git", ["its digest"])[0] == [True]


async def test_that_a_digest_holds_for_one_command_only() -> None:
    async with at_work(MemoryRunner()) as workbench:
        before = await workbench.gateway.consent("git")
        power = await stored(workbench, "git")
        await workbench.journal.edit(replace(power, transport=Transport("git-server", ("--stdio", "bad"))))
        options = argparse.Namespace(name="git", yes=before.digest)
        with pytest.raises(KnownError, match="something else"):
            await approve(workbench, options, Printer(io.StringIO()))
        assert not await workbench.gateway.is_approved("git")


def test_that_programs_read_what_there_is_and_are_never_asked() -> None:
    outcomes, said, _ = done("git", [None, "its digest"], as_json=True)
    before, after = map(json.loads, said.splitlines())
    assert outcomes == [False, True]
    assert (before["approved"], after["approved"]) == (False, True)
    assert before["text"] == "git-server --stdio good"
    assert before["digest"] == after["digest"]


def test_that_what_has_no_command_and_what_is_unknown_is_said() -> None:
    for name, why in (("bare", "nothing to approve"), ("tme", "Near it: “time”")):
        with pytest.raises(KnownError, match=why):
            done(name, [None])


async def test_that_a_call_needs_approval_first_and_fails_where_the_tool_says_so() -> None:
    async with at_work(MemoryRunner()) as workbench:
        options = argparse.Namespace(name="git", tool="where", arguments=[], refresh=False)
        with pytest.raises(KnownError, match="“intentscope approve git” asks for that"):
            await call(workbench, options, Printer(io.StringIO()))
        await workbench.gateway.approve("git", (await workbench.gateway.consent("git")).text)
        assert not await call(workbench, options, Printer(out := io.StringIO()))
        assert out.getvalue() == "It answered without content.\n"


async def test_that_refreshing_replaces_tools_that_a_person_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    async with at_work(MemoryRunner()) as workbench:
        gateway = workbench.gateway
        await gateway.approve("time", (await gateway.consent("time")).text)
        told = []
        for refresh in (False, True, True):
            options = argparse.Namespace(name="time", tool=None, arguments=[], refresh=refresh)
            assert await call(workbench, options, Printer(io.StringIO()))
            power = next(one for one in await workbench.catalogue.powers() if one.name == "time")
            told.append(" ".join(tool.name for tool in power.tools))
        before, *after = told
    assert before != "echo where change"
    assert after == ["echo where change"] * 2
    changed, unchanged = capsys.readouterr().err.splitlines()
    assert "as listed now" in changed
    assert unchanged.startswith("No change")


ADDRESS = "http://127.0.0.1:9"
CONFIG = f"""
[llm]
provider = "ollama"
model = "qwen2.5:1.5b"
base_url = "{ADDRESS}"
[search_intent]
use_llm = true
llm_timeout_ms = 9000
min_confidence = 0.6
max_tokens = 3000
[search_intent.weights.troubleshoot]
blockers = 2.0
"""
TAKEN = {
    "search_intent.min_confidence": "0.6",
    "search_intent.surfacing_tokens": "3000",
    "namespaces.weights.troubleshoot.blockers": "2.0",
}
PERSONAL = {
    "llm.model": "qwen2.5:1.5b",
    "llm.url": ADDRESS,
    "search_intent.use_llm": "true",
    "search_intent.llm_timeout_ms": "9000",
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(CONFIG)
    return file


def test_that_addresses_and_permissions_are_named_and_left_out(config: Path, tmp_path: Path) -> None:
    done = run("import", config, profile=tmp_path / "p")
    assert done.returncode == 0
    assert "Left out: 4 settings with an address, a permission or another choice of a person" in done.stdout
    assert f"llm.url={ADDRESS}" in done.stdout
    assert "“import --accept-settings” takes them as well." in done.stdout
    assert settings_of(tmp_path / "p") == TAKEN


@pytest.mark.parametrize("accept", [True, False])
def test_that_a_dry_run_and_json_say_the_same(config: Path, tmp_path: Path, accept: bool) -> None:
    option = ["--accept-settings"] if accept else []
    tried, done = (
        json.loads(run("import", config, "--json", *option, *more, profile=tmp_path / "p").stdout)
        for more in (["--dry-run"], [])
    )
    assert tried == done
    assert done["settings"] == (TAKEN | PERSONAL if accept else TAKEN)
    assert done["not_accepted"] == ({} if accept else PERSONAL)
    assert settings_of(tmp_path / "p") == done["settings"]


Asked = Callable[..., str]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Asked:
    """Return a function that runs a command at a terminal, types an answer, and returns what asked for it."""
    from app.__main__ import main

    def ask(typed: str, *words: str | Path) -> str:
        at_terminal(monkeypatch, typed)
        assert main([str(word) for word in words]) == 0
        found = capsys.readouterr().err
        assert found.count("[y/N]") == 1
        return found

    return ask


@pytest.mark.parametrize(("typed", "is_taken"), [("y\n", True), ("\n", False), ("", False)])
def test_that_a_person_at_the_terminal_is_asked(
    config: Path, tmp_path: Path, asked: Asked, typed: str, is_taken: bool
) -> None:
    assert f"\n    llm.url={ADDRESS}\n" in asked(typed, "import", config, "--profile", tmp_path / "p")
    assert settings_of(tmp_path / "p") == (TAKEN | PERSONAL if is_taken else TAKEN)


def test_that_a_file_with_an_address_alone_sets_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[llm]\nprovider = "ollama"\nbase_url = "http://127.0.0.1:9"\n')
    done = run("import", file, "--kind", "settings", profile=tmp_path / "p")
    assert (done.returncode, settings_of(tmp_path / "p")) == (0, {})
    assert "http://127.0.0.1:9" in done.stdout


RESTORE_ADDRESS = "http://192.0.2.1:11434"


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a copy of another user's library, with an approved power and an address."""
    folder = tmp_path_factory.mktemp("theirs")
    with closing(SqlLibrary.open(folder / "profile")) as library:
        library.change(
            Edit("taught"), [Memory(("brew tea",)), Power("deployer", transport=Transport("sh"), approved=True)]
        )
        library.choose_settings(Edit("set"), {"llm.url": RESTORE_ADDRESS, "serve.teach": "true", "tiers.high": "0.95"})
    return restoring.back_up(folder / "profile", folder / "copy.db")


def settings_of(profile: Path) -> dict[str, str]:
    with closing(SqlLibrary.open(profile)) as library:
        return library.setting_values()


def test_that_what_is_left_out_is_said_by_name_and_number_where_nobody_can_be_asked(
    theirs: Path, tmp_path: Path
) -> None:
    done = run("restore", theirs, profile=tmp_path / "p")
    assert done.returncode == 0
    assert "approval of 1 power (deployer)" in done.stdout
    said = f"2 settings with an address, a permission or another choice of a person (llm.url={RESTORE_ADDRESS}, "
    assert said in done.stdout
    assert "“restore --accept-settings” takes them as well." in done.stdout
    assert settings_of(tmp_path / "p") == {"tiers.high": "0.95"}


def test_that_the_option_takes_the_settings_and_never_an_approval(theirs: Path, tmp_path: Path) -> None:
    done = run("restore", theirs, "--accept-settings", "--json", profile=tmp_path / "p")
    told = json.loads(done.stdout)
    assert told["restored"] == str(theirs)
    assert (told["own"], told["accepted"]) == (False, {"llm.url": RESTORE_ADDRESS, "serve.teach": "true"})
    assert told["left_out"] == {
        "approvals": ["deployer"], "settings": {}, "unknown_settings": [], "team": None, "sql": [],
    }  # fmt: skip
    assert settings_of(tmp_path / "p")["llm.url"] == RESTORE_ADDRESS


@pytest.mark.parametrize(
    ("typed", "is_taken"), [("y\n", True), ("Yes\n", True), ("\n", False), ("no\n", False), ("", False)]
)
def test_that_a_person_at_the_terminal_is_shown_the_settings_and_asked(
    theirs: Path, tmp_path: Path, asked: Asked, typed: str, is_taken: bool
) -> None:
    shown = asked(typed, "restore", theirs, "--profile", tmp_path / "p")
    assert f"\n    llm.url={RESTORE_ADDRESS}\n    serve.teach=true\n" in shown
    assert ("llm.url" in settings_of(tmp_path / "p")) is is_taken


def test_that_ones_own_copy_is_restored_unasked_and_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.__main__ import main

    profile = tmp_path / "p"
    assert run("settings", f"llm.url={RESTORE_ADDRESS}", profile=profile).returncode == 0
    run("backup", profile=profile)
    assert run("settings", "--reset", "llm.url", profile=profile).returncode == 0
    at_terminal(monkeypatch, "")
    assert main(["restore", "--profile", str(profile)]) == 0
    printed = capsys.readouterr()
    assert "[y/N]" not in printed.err
    assert "Left out" not in printed.out
    assert settings_of(profile)["llm.url"] == RESTORE_ADDRESS


def test_that_a_notice_is_printed_once_beside_the_output(theirs: Path, tmp_path: Path) -> None:
    profile = tmp_path / "p"
    run("settings", profile=profile)
    (profile / "library.db").write_bytes(theirs.read_bytes())
    first, second = (run("export", "--kind", "memories", profile=profile) for _ in range(2))
    assert first.stdout == second.stdout != ""
    assert "was not made by this profile" in first.stderr
    assert "deployer" in first.stderr
    assert second.stderr == ""


def test_that_a_profile_joins_changes_and_leaves_by_the_terminal(team: Team, tmp_path: Path) -> None:
    hers, his = tmp_path / "hers", tmp_path / "his"
    assert "is in no team" in run("team", profile=hers).stdout
    secret = team.address_of("anna").replace("anna@", "anna:open%20sesame@")
    joined = run("team", "--join", secret, profile=hers)
    assert joined.stdout.startswith("This library is the team's now: ")
    assert "What you change bears the name anna." in joined.stdout
    assert "sesame" not in joined.stdout + joined.stderr
    assert KeyringSecrets(hers).get(PASSWORD) == "open sesame"
    taken = json.loads(run("team", "--join", team.address_of("bernd"), "--json", profile=his).stdout)
    assert (taken["founded"], taken["author"]) == (False, "bernd")
    taught = run("--library", team.address_of("bernd"), "teach", "brew tea", "--intent", "tea", profile=his)
    assert taught.returncode == 0
    assert "has joined" in run("--library", team.address_of("anna"), "steps", profile=his).stderr
    opened = run("export", "--kind", "memories", "--library", team.address_of("rita"), profile=tmp_path / "ritas")
    assert "brew tea" in opened.stdout
    assert "The team's library is in the profile" in opened.stderr
    assert " taught “brew tea” · bernd · " in run("steps", profile=hers).stdout
    assert "brew tea" in run("steps", "--by", "bernd", profile=hers).stdout
    assert "brew tea" not in run("steps", "--by", "anna", profile=hers).stdout
    assert " UTC  bernd  " in run("team", "--log", "1", profile=hers).stdout
    assert run("undo", profile=hers).stdout == "Nothing to undo.\n"
    stands = json.loads(run("team", "--password", "--json", profile=hers, stdin=b"new\n").stdout)
    assert (stands["author"], stands["refusal"]) == ("anna", None)
    assert KeyringSecrets(hers).get(PASSWORD) == "new"
    assert "leave” first" in run("restore", Path(taken["before"]), profile=his).stderr
    with team.unreachable():
        assert "cannot be reached" in run("teach", "more", profile=his).stderr
        assert run("team", "--leave", profile=his).returncode == 2
        assert run("team", "--leave", "--offline", profile=his).returncode == 0
    assert "has left postgresql://anna@" in run("team", "--leave", profile=hers).stdout
    assert KeyringSecrets(hers).get(PASSWORD) is None
    for profile in (hers, his):
        assert json.loads(run("team", "--json", profile=profile).stdout) == {"address": None}
        assert "brew tea" in run("export", "--kind", "memories", profile=profile).stdout
    assert "--offline goes with --leave" in run("team", "--offline", profile=his).stderr


def test_that_a_server_is_filled_and_searched_by_the_terminal(team: Team, tmp_path: Path) -> None:
    assert "is in no team" in run("team", "--index", profile=tmp_path / "p").stderr
    run("team", "--join", team.address, profile=tmp_path / "p")
    run("teach", "brew tea", "--intent", "tea", profile=tmp_path / "p")
    assert json.loads(run("team", "--json", profile=tmp_path / "p").stdout)["search"] is None
    assert "1 triggers are searched on the server" in run("team", "--index", profile=tmp_path / "p").stdout
    run("teach", "boil an egg", profile=tmp_path / "p")
    assert "1 change is newer" in run("team", profile=tmp_path / "p").stdout
    asked = ("--set", "team.score=server", "inspect", "boil eggs", "--json", "--no-llm")
    found = json.loads(run(*asked, profile=tmp_path / "p").stdout)
    searched = found["searched"]
    assert (searched["found"], searched["triggers"], found["matches"][0]["name"]) == (2, 1, "boil an egg")
    with team.unreachable():
        assert "cannot be reached" in json.loads(run(*asked, profile=tmp_path / "p").stdout)["searched"]["fault"]


@pytest.mark.parametrize(
    "words", [("teach", "turn"), ("teach", "turn", "--to", "memory:sign"), ("settings", "tiers.high=0.8")]
)
async def test_that_a_command_reports_its_own_step_whatever_other_programs_do(
    words: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, out = library_of(Memory(("sign",), id="sign")), io.StringIO()
    async with desk(lambda: library) as bench:
        steps = bench.journal.steps

        async def later(most: int = 200, by: str | None = None) -> list[Step]:
            library.change(Edit("taught", "of another program"), [Memory((f"other {len(library.memories())}",))])
            return await steps(most, by)

        monkeypatch.setattr(bench.journal, "steps", later)
        await curate(bench, parser().parse_args(words), Printer(out, as_json=True))
    assert json.loads(out.getvalue())["done"]["source"] == "command line"


ASKED = HistoryEntry(
    "2026-11-22 04:26:21", Source.HOOK, "ship it", accesses=(Access(2, 1, 0.9), Access(1, 2, 0.5, "count"))
)


async def test_that_uses_are_listed_and_a_memory_says_for_which_queries() -> None:
    library = library_of(Memory(("sign",), id="sign"), Memory(("ship",), id="ship", usage=2, right=1))
    library.add_queries([ASKED])

    async def said(*words: str, as_json: bool = False) -> str:
        out = io.StringIO()
        async with desk(lambda: library) as bench:
            await curate(bench, parser().parse_args(["history", *words]), Printer(out, as_json=as_json))
        return out.getvalue()

    assert await said("--uses", "never") == "sign: used 0, marked right 0 (never injected)\n"
    first, second = (await said("--uses", "most")).splitlines()
    assert first.startswith("ship: used 3, marked right 1 (last injected")
    assert second.startswith("sign: used 0")
    (found,) = json.loads(await said("--uses", "most", "--most", "1", as_json=True))["memories"]
    assert found == {"memory": "ship", "used": 3, "right": 1, "last_used": ASKED.at}
    assert "ship it  →  left out: beyond the count · Hook · 50 %" in await said("--memory", "sign")
    (access,) = json.loads(await said("--memory", "ship", as_json=True))["accesses"]
    assert (access["text"], access["source"], access["rank"], access["cut"]) == ("ship it", "hook", 1, None)


def test_that_of_several_in_the_bin_that_are_called_the_same_one_is_asked_for_by_its_step() -> None:
    def thrown(step: int, name: str) -> Binned:
        done = Step(step, "2026-11-20 10:00:00", "deleted", "", 1, "window")
        return Binned(done, ItemKind.MEMORY, Memory(("turn the key",), id=name, key=step))

    binned = [thrown(9, "keys"), thrown(7, "keys"), thrown(8, "doors@8")]
    assert [binned_as(f"memory:{name}", binned).step.id for name in ("keys@7", "keys@9", "doors@8")] == [7, 9, 8]
    with pytest.raises(KnownError, match=re.escape("memory:keys@9, memory:keys@7")):
        binned_as("memory:keys", binned)
    for other in ("memory:keys@8", "power:keys@7"):
        with pytest.raises(KnownError, match="has no"):
            binned_as(other, binned)
