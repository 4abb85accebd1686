"""Tests of the terminal's team commands: joining, status and leaving."""

from __future__ import annotations

import json
from pathlib import Path

from app.adapters.local.secrets import KeyringSecrets
from app.adapters.store.team.library import PASSWORD
from tests.program import run
from tests.team import Team


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
    assert (found["searched"]["found"], found["searched"]["triggers"], found["matches"][0]["name"]) == (
        2,
        1,
        "boil an egg",
    )
    with team.unreachable():
        assert "cannot be reached" in json.loads(run(*asked, profile=tmp_path / "p").stdout)["searched"]["fault"]
