"""Tests of imports over stored items, of secrets stored with a commit, and of settings."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from app import files
from app.adapters.formats.records import FileKind
from app.adapters.formats.table import format_of
from app.adapters.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.adapters.store.pending_secrets import PendingSecrets
from app.adapters.store.writes import merged_power
from app.domain.errors import StaleError, StoreError
from app.domain.journal import Edit, ItemKind
from app.domain.library import Line, Memory, Power, Tool, Transport
from tests.nursery import Program

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
    (line,) = format_of(file).read(file, FileKind.POWERS, None)
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


def test_that_all_are_kept_or_none(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.put_settings({"theme": "dark"})
    with pytest.raises(IntegrityError):
        library.put_settings({"theme": "light", "matches": "5", None: "no key"})  # type: ignore[dict-item]
    assert library.setting_values() == {"theme": "dark"}
    library.close()


PROJECT = Path(__file__).resolve().parents[4]
TAUGHT, EDITED, DELETED = Edit("taught"), Edit("edited"), Edit("deleted")


def power(name: str = "gh", value: str = "good") -> Power:
    return Power(name, "d", transport=Transport("npx", env={"TOKEN": value}), approved=True)


@pytest.fixture
def pending_secrets_library(tmp_path: Path) -> Iterator[SqlLibrary]:
    made = SqlLibrary.open(tmp_path / "profile")
    yield made
    made.close()


def held(pending_secrets_library: SqlLibrary) -> str:
    file = pending_secrets_library.file.with_name("secrets.json")
    return file.read_text() if file.exists() else ""


class Refusing(FileSecrets):
    """Secrets that cannot be read or deleted, like those of a locked keyring."""

    def forget(self, name: str) -> None:
        raise StoreError(f"{name} is locked")


class TestWritesThatFail:
    def test_that_an_import_that_ends_midway_leaves_the_values_as_they_were(
        self, pending_secrets_library: SqlLibrary
    ) -> None:
        pending_secrets_library.change(TAUGHT, [power()])

        def powers() -> Iterator[Power]:
            yield power(value="other")
            for number in range(3000):
                yield power(f"n{number}", "orphan")
            raise RuntimeError("stop")

        with pytest.raises(RuntimeError):
            pending_secrets_library.add("powers", powers(), Edit("imported"))
        (stored,) = pending_secrets_library.powers()
        assert (stored.approved, pending_secrets_library.environment(stored)) == (True, {"TOKEN": "good"})
        assert "orphan" not in held(pending_secrets_library)

    def test_that_a_stale_edit_leaves_the_value_as_it_was(self, pending_secrets_library: SqlLibrary) -> None:
        pending_secrets_library.change(TAUGHT, [power()])
        (opened,) = pending_secrets_library.powers()
        pending_secrets_library.change(EDITED, [replace(opened, description="theirs")])
        mine = replace(opened, transport=replace(opened.transport, env={"TOKEN": "other"}))
        with pytest.raises(StaleError):
            pending_secrets_library.change(EDITED, [power("new"), mine])
        assert pending_secrets_library.environment(pending_secrets_library.powers()[0]) == {"TOKEN": "good"}

    def test_that_a_new_power_inherits_nothing(self, pending_secrets_library: SqlLibrary) -> None:
        secrets = FileSecrets(pending_secrets_library.file.with_name("secrets.json"))
        secrets.put("power:1:TOKEN", "orphan")
        pending_secrets_library.change(TAUGHT, [power(value="")])
        assert pending_secrets_library.environment(pending_secrets_library.powers()[0]) == {"TOKEN": ""}
        assert "orphan" not in held(pending_secrets_library)

    def test_that_it_inherits_nothing_that_cannot_be_forgotten(self, tmp_path: Path) -> None:
        secrets = Refusing(tmp_path / "held.json")
        secrets.put("power:1:TOKEN", "orphan")
        pending_secrets_library = SqlLibrary.open(tmp_path / "profile", secrets)
        pending_secrets_library.add("powers", [power(value="")])
        assert pending_secrets_library.environment(pending_secrets_library.powers()[0]) == {"TOKEN": ""}
        pending_secrets_library.close()

    def test_that_a_power_told_twice_in_one_file_has_the_value_told_last(
        self, pending_secrets_library: SqlLibrary
    ) -> None:
        pending_secrets_library.add("powers", [power(value="first"), power(value="last")])
        assert pending_secrets_library.environment(pending_secrets_library.powers()[0]) == {"TOKEN": "last"}


class TestSecretsThatNobodyNeeds:
    def test_that_those_of_an_undone_power_go_when_it_cannot_be_redone(
        self, pending_secrets_library: SqlLibrary
    ) -> None:
        pending_secrets_library.change(TAUGHT, [power()])
        pending_secrets_library.undo()
        assert "good" in held(pending_secrets_library), "it can be done again"
        pending_secrets_library.change(TAUGHT, [Memory(("t",))])
        assert "good" not in held(pending_secrets_library)

    def test_that_they_go_when_texts_are_told_apart_instead(self, pending_secrets_library: SqlLibrary) -> None:
        pending_secrets_library.change(TAUGHT, [power()])
        pending_secrets_library.undo()
        pending_secrets_library.put_distinct_pairs(Edit("told apart", "x"), [(b"a" * 32, b"b" * 32)])
        assert "good" not in held(pending_secrets_library)

    def test_that_pruning_forgets_those_of_deleted_powers_alone(self, pending_secrets_library: SqlLibrary) -> None:
        pending_secrets_library.change(TAUGHT, [power(), power("other", "kept")])
        pending_secrets_library.change(DELETED, gone=[(ItemKind.POWER, 1)])
        pending_secrets_library.prune(0)
        assert "good" not in held(pending_secrets_library)
        assert pending_secrets_library.environment(pending_secrets_library.powers()[0]) == {"TOKEN": "kept"}

    def test_that_names_of_earlier_versions_go_with_the_bin(self, pending_secrets_library: SqlLibrary) -> None:
        pending_secrets_library.change(TAUGHT, [power()])
        (stored,) = pending_secrets_library.powers()
        pending_secrets_library.change(EDITED, [replace(stored, transport=Transport("npx", env={"OTHER": "too"}))])
        pending_secrets_library.change(DELETED, gone=[(ItemKind.POWER, 1)])
        pending_secrets_library.empty_bin()
        assert held(pending_secrets_library).strip() == "{}"


IMPORTER = """
import os, sys
from pathlib import Path
import sqlalchemy.dialects.sqlite
from app.adapters import secrets as file_secrets
from app.adapters.store.library import SqlLibrary
from app.domain.journal import Edit
from app.domain.library import Power, Transport

folder, word, ends_at, each = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]
write, written = file_secrets.write_private, []

def ending(file, content):
    if file.name == "secrets.json":
        written.append(file)
    if written and len(written) == ends_at:
        os._exit(9)  # as a kill does: nothing is tidied
    write(file, content)

file_secrets.write_private = ending
library = SqlLibrary.open(folder)
for some in each:
    names = some.split()
    powers = [Power(n, "d", transport=Transport("npx", env={"A": word + n, "B": word})) for n in names]
    library.add("powers", powers, Edit("imported"))
"""


def importing(folder: Path, word: str, *imports: str, ends_at: int = 0) -> Program:
    """Start a program that imports powers, a file per text, and dies at the given secret write."""
    return Program(IMPORTER, folder, word, str(ends_at), *imports)


def environments(pending_secrets_library: SqlLibrary) -> dict[str, dict[str, str]]:
    return {power.name: pending_secrets_library.environment(power) for power in pending_secrets_library.powers()}


class TestProgramsThatEndMidway:
    @pytest.mark.parametrize("ends_at", [1, 2])
    def test_that_powers_and_values_are_there_together_or_not_at_all(self, tmp_path: Path, ends_at: int) -> None:
        folder = tmp_path / "profile"
        with importing(folder, "v", "one two three", ends_at=ends_at) as program:
            assert program.wait() == 9
        pending_secrets_library = SqlLibrary.open(folder)
        found = environments(pending_secrets_library)
        assert found in ({}, {name: {"A": f"v{name}", "B": "v"} for name in ("one", "two", "three")})
        assert bool(found) is (ends_at == 2), "one end before the commit, one after it"
        assert "staged:" not in held(pending_secrets_library)
        pending_secrets_library.close()

    def test_that_values_that_wait_can_be_read_before_anybody_tidies(self, pending_secrets_library: SqlLibrary) -> None:
        with importing(pending_secrets_library.file.parent, "v", "one", ends_at=2) as program:
            assert program.wait() == 9
        assert environments(pending_secrets_library) == {"one": {"A": "vone", "B": "v"}}, (
            "in a window that was open all the while"
        )

    def test_that_an_approved_power_never_runs_with_a_value_that_was_not_committed(
        self, pending_secrets_library: SqlLibrary, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pending_secrets_library.change(TAUGHT, [power()])
        (stored,) = pending_secrets_library.powers()
        assert (stored.approved, environments(pending_secrets_library)) == (True, {"gh": {"TOKEN": "good"}})

        stage = PendingSecrets.stage

        def fail(secrets: PendingSecrets, connection: Connection) -> bool:
            stage(secrets, connection)
            assert "other" in held(pending_secrets_library), "on the disk before the commit"
            raise StoreError("the disk is full")

        monkeypatch.setattr(PendingSecrets, "stage", fail)
        with pytest.raises(StoreError):
            pending_secrets_library.add("powers", [power(value="other")], Edit("imported"))
        monkeypatch.undo()
        assert environments(pending_secrets_library) == {"gh": {"TOKEN": "good"}}
        assert "other" not in held(pending_secrets_library), "what was put aside is gone again"

    @pytest.mark.parametrize("full_at", [1, 2])
    def test_that_a_full_disk_loses_no_value_of_what_it_stores(
        self, pending_secrets_library: SqlLibrary, monkeypatch: pytest.MonkeyPatch, full_at: int
    ) -> None:
        write, written = files.write_private, []

        def full(file: Path, content: bytes) -> None:
            written.append(file)
            if len(written) >= full_at:
                raise OSError(28, "No space left on device")
            write(file, content)

        monkeypatch.setattr("app.adapters.secrets.write_private", full)
        if full_at == 1:
            with pytest.raises(StoreError, match="No space left"):
                pending_secrets_library.add("powers", [power()])
            assert pending_secrets_library.powers() == []
            return
        pending_secrets_library.add("powers", [power()])
        assert environments(pending_secrets_library) == {"gh": {"TOKEN": "good"}}
        monkeypatch.undo()
        pending_secrets_library.add("powers", [power("other", "too")])
        assert environments(pending_secrets_library) == {"gh": {"TOKEN": "good"}, "other": {"TOKEN": "too"}}
        assert "staged:" not in held(pending_secrets_library)


def test_that_two_imports_at_once_lose_no_value(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    SqlLibrary.open(folder).close()
    both = [
        importing(folder, word, *(" ".join(f"{word}{file}-{n}" for n in range(5)) for file in range(20)))
        for word in ("left", "right")
    ]
    for program in both:
        program.output()
    pending_secrets_library = SqlLibrary.open(folder)
    found = environments(pending_secrets_library)
    assert len(found) == 200
    assert [name for name, env in found.items() if env["A"] != env["B"] + name or not env["B"]] == []
    assert "staged:" not in held(pending_secrets_library)
    pending_secrets_library.close()
