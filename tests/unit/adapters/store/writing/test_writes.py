"""Tests of imports over stored items: fields of the file replace others, missing ones stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.formats.records import ItemKind
from app.adapters.formats.table import format_of
from app.adapters.store.library import SqlLibrary
from app.adapters.store.writing.writes import merged_power
from app.domain.library import Line, Power, Tool, Transport

STORED = Power(
    "github",
    "Issues and pull requests",
    ("issue", "pull request"),
    "Ask before you write.",
    (Tool("search", "Finds issues"),),
    ("what is open",),
    Transport("npx", ("-y", "gh"), {"TOKEN": "hush"}),
)

SERVERS = '{"mcpServers": {"github": {"command": "npx", "args": ["-y", "gh"], "env": %s}}}'
TOOLS = '{"name": "github", "tools": [{"name": "merge", "description": "Merges", "inputSchema": {}}]}'
SPELL = 'name: github\ndescription: Forge\nserver:\n  command: npx\n  args: ["-y", "gh"]\n'


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqlLibrary]:
    library = SqlLibrary.open(tmp_path / "profile")
    library.add("powers", [STORED])
    (power,) = library.powers()
    library.add("powers", [replace(power, approved=True)])
    yield library
    library.close()


def imported(library: SqlLibrary, folder: Path, name: str, text: str) -> Power:
    """Return the stored power after the import of this file."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    (line,) = format_of(file).read(file, ItemKind.POWERS, None)
    assert isinstance(line, Line), line
    library.add("powers", [power for power in [line.value] if isinstance(power, Power)])
    (power,) = library.powers()
    return power


@pytest.mark.parametrize("env", ['{"TOKEN": null}', '{"TOKEN": ""}', '{"TOKEN": "${input:token}"}', "{}", "null"])
def test_that_a_list_of_servers_leaves_words_and_secrets_alone(library: SqlLibrary, tmp_path: Path, env: str) -> None:
    (before,) = library.powers()
    power = imported(library, tmp_path, "mcp.json", SERVERS % env)
    assert (power, power.version) == (before, before.version)
    assert power.approved
    assert library.environment(power) == {"TOKEN": "hush"}


def test_that_a_value_that_a_list_of_servers_has_wins(library: SqlLibrary, tmp_path: Path) -> None:
    power = imported(library, tmp_path, "mcp.json", SERVERS % '{"TOKEN": "newer"}')
    assert library.environment(power) == {"TOKEN": "newer"}
    assert not power.approved


def test_that_a_list_of_tools_leaves_everything_but_the_tools_alone(library: SqlLibrary, tmp_path: Path) -> None:
    (before,) = library.powers()
    power = imported(library, tmp_path, "tools.json", TOOLS)
    assert power == replace(before, tools=(Tool("merge", "Merges"),))
    assert library.environment(power) == {"TOKEN": "hush"}


def test_that_a_spell_leaves_alone_what_it_does_not_tell(library: SqlLibrary, tmp_path: Path) -> None:
    (before,) = library.powers()
    power = imported(library, tmp_path, "github.spell.yaml", SPELL)
    assert power == replace(before, description="Forge")
    assert library.environment(power) == {"TOKEN": "hush"}
    said = SPELL + "keywords: [forge]\nsteering: Be quick.\nexamples: [who is on call]\n"
    power = imported(library, tmp_path, "github.spell.yaml", said)
    assert (power.keywords, power.steering, power.examples) == (("forge",), "Be quick.", ("who is on call",))


@pytest.mark.parametrize(
    "transport", [Transport("rm"), Transport("npx", ("-y", "other")), Transport(url="https://x.org")]
)
def test_that_an_environment_never_passes_to_another_server(transport: Transport) -> None:
    power = merged_power(replace(STORED, key=1, approved=True), Power("github", transport=transport))
    assert (power.transport, power.approved) == (transport, False)


def test_that_a_person_may_empty_what_a_file_may_not() -> None:
    stored = replace(STORED, key=1)
    edited = Power("github", key=1)
    assert merged_power(stored, edited) == edited


def test_that_a_reference_is_kept_in_the_library_and_takes_the_place_of_a_secret(
    library: SqlLibrary, tmp_path: Path
) -> None:
    power = imported(library, tmp_path, "mcp.json", SERVERS % '{"TOKEN": "${MY_TOKEN}"}')
    assert (power.transport.env, power.approved) == ({"TOKEN": "${MY_TOKEN}"}, False)
    assert library.environment(power) == {"TOKEN": "${MY_TOKEN}"}
    assert "hush" not in (library.file.with_name("secrets.json")).read_text("utf-8")
    assert imported(library, tmp_path, "mcp.json", SERVERS % '{"TOKEN": null}').transport.env == power.transport.env
    library.add("powers", [replace(power, transport=replace(power.transport, env={"TOKEN": ""}))])
    assert library.environment(library.powers()[0]) == {"TOKEN": ""}


def test_that_another_reference_withdraws_an_approval(library: SqlLibrary, tmp_path: Path) -> None:
    power = imported(library, tmp_path, "mcp.json", SERVERS % '{"TOKEN": "${MY_TOKEN}"}')
    library.add("powers", [replace(power, approved=True)])
    assert imported(library, tmp_path, "mcp.json", SERVERS % '{"TOKEN": "${MY_TOKEN}"}').approved
    assert not imported(library, tmp_path, "mcp.json", SERVERS % '{"TOKEN": "${AWS_SECRET}"}').approved
