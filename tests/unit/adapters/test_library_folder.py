"""Tests of a library in a folder: stable bytes, small diffs, and atomic saves."""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters import library_folder
from app.adapters import library_folder as library_folder_swap
from app.adapters.folder_files import MOST_NAMES, MOST_TOGETHER, files_of, memory_files, names_of, read_text
from app.adapters.library_folder import ORDER, STAGING, SyncStateFiles, TomlFolders, digest, recover, swap
from app.domain.case import Case, Task
from app.domain.errors import FormatError, KnownError
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import Item
from app.domain.library import Line, Memory, Power, Problem, Tool, Transport
from app.ports.folder import FolderContent, SyncState
from app.services.library.folder_sync import by_unique_identity, digest_of
from tests.strategies import STRATEGIES, as_read
from tests.unit.adapters.formats.test_format_refusals import SEED, TOLD, TRIED, mutated
from tests.waiting import PATIENCE

LIBRARY: tuple[Item, ...] = (
    Memory(("reset my password", "forgot my password"), "Go to “Account”.\n\nThen reset.", "reset", "help", id="m-1"),
    Memory(("wie gebe ich frei?",), "Größe ändern \\ fertig", "größe", "help", ("a", "b"), None, 0.25, 3, True),
    Memory(("without a label",)),
    Power(
        "postgres", "Tables", ("sql", "database"), "Read first.\nAsk.", (Tool("query", "one"), Tool("t")), ("e",),
        Transport("uvx", ("-y",), {"TOKEN": ""}, None),
    ),
    Rule("a", "howto", r"how\s+do", "mine", 0),
    Rule("b", "graph", "path", "mine", 4, 1.5, 0.9, "why", RulePurpose.ROUTE, False),
    Case("a query", ("reset",), Task.INTENT),
    Case("another", (), Task.POWER, unwanted=("postgres",)),
)  # fmt: skip


def mine(folder: Path) -> SyncStateFiles:
    """Return the sync states of these tests' profile, beside the folder."""
    return SyncStateFiles(folder.with_name(f"{folder.name}-profile"))


def save(folder: Path, items: tuple[Item, ...] | list[Item], expected: dict[str, str] | None = None) -> int:
    return TomlFolders(mine(folder)).write(folder, items, expected, lambda _done, _total: None)


def read(folder: Path) -> FolderContent:
    return TomlFolders().read(folder)


def told(items: list[Item] | tuple[Item, ...]) -> dict[str, str]:
    return {identity: digest_of(item) for identity, item in by_unique_identity(items).items()}


def texts(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in found}


@given(st.lists(st.one_of(*STRATEGIES.values()), max_size=8))
def test_that_any_library_reads_back_as_the_same_and_writes_as_the_same_bytes(items: list[Item]) -> None:
    distinct = list({next(iter(by_unique_identity([item]))): as_read(item) for item in items}.values())
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        save(folder, distinct)
        content = read(folder)
        assert content.faults == ()
        assert told([placed.item for placed in content.items]) == told(distinct)
        assert save(folder, [placed.item for placed in content.items][::-1]) == 0


def test_that_files_are_for_people(tmp_path: Path) -> None:
    save(tmp_path, LIBRARY)
    found = texts(tmp_path)
    assert sorted(found) == [
        "cases/intent.jsonl", "cases/power.jsonl", "library.toml", "memories/context/_unlabelled.toml",
        "memories/help/größe.toml", "memories/help/reset.toml", "powers/postgres.toml", "rules/mine.toml",
    ]  # fmt: skip
    assert found["memories/help/reset.toml"] == (
        'namespace = "help"\nlabel = "reset"\n\n[[memory]]\nid = "m-1"\ntriggers = [\n  "reset my password",\n'
        '  "forgot my password",\n]\nresponse = """\nGo to “Account”.\n\nThen reset."""\n'
    )
    assert "position = 4" in found["rules/mine.toml"]
    assert all("\r" not in text and text.endswith("\n") for text in found.values())


@pytest.mark.parametrize("item", LIBRARY[:5])
def test_that_a_changed_word_changes_one_line_of_one_file(item: Item) -> None:
    changes: dict[type, Item] = {}
    match item:
        case Memory():
            changes[Memory] = replace(item, triggers=(f"{item.triggers[0]} now", *item.triggers[1:]))
        case Power():
            changes[Power] = replace(item, steering=item.steering.replace("Ask", "Always ask"))
        case Rule():
            changes[Rule] = replace(item, pattern=r"how\s+does")
    before = files_of(LIBRARY)
    after = files_of([changes[type(item)] if one is item else one for one in LIBRARY])
    assert before.keys() == after.keys()
    (name,) = (name for name in before if before[name] != after[name])
    lines = [content[name].decode().split("\n") for content in (before, after)]
    assert len(lines[0]) == len(lines[1])
    assert sum(one != other for one, other in zip(*lines, strict=True)) == 1


def test_that_no_value_of_an_environment_goes_out_or_comes_in(tmp_path: Path) -> None:
    save(tmp_path, [Power("p", transport=Transport("c", (), {"TOKEN": "very secret"}))])
    assert "very secret" not in "".join(texts(tmp_path).values())
    assert 'env = ["TOKEN"]' in texts(tmp_path)["powers/p.toml"]
    (tmp_path / "powers/p.toml").write_text('name = "p"\ncommand = "c"\nenv = { TOKEN = "very secret" }\n')
    (fault,) = read(tmp_path).faults
    assert fault.sentence.startswith("powers/p.toml, line 1: “env” is a list of names. Their values are secrets")
    assert "very secret" not in fault.sentence


def test_that_a_reference_to_a_variable_goes_out_and_comes_in(tmp_path: Path) -> None:
    power = Power("p", transport=Transport("c", (), {"TOKEN": "", "URL": "https://${HOST}"}))
    save(tmp_path, [power])
    assert 'env = ["TOKEN", "URL=https://${HOST}"]' in texts(tmp_path)["powers/p.toml"]
    assert told([placed.item for placed in read(tmp_path).items]) == told([power])
    (tmp_path / "powers/p.toml").write_text('name = "p"\ncommand = "c"\nenv = ["TOKEN=very secret"]\n')
    (fault,) = read(tmp_path).faults
    assert "a list of names" in fault.sentence


def test_that_names_that_a_disk_cannot_tell_apart_end_in_a_mark() -> None:
    found = names_of(["c++", "c#", "c", "Straße", "strasse", "?", "!", "x" * 300])
    assert found["c"] == "c"
    assert found["c++"].startswith("c~")
    assert len({name.casefold() for name in found.values()}) == len(found)
    assert found["?"].startswith("~")
    assert all(len(name.encode()) <= 80 for name in found.values())
    assert names_of(["c++"])["c++"] == "c", "alone it needs none"


def test_that_many_memories_are_kept_in_few_files_each_always_in_the_same() -> None:
    one_label = [Memory((f"t {n}",), intent="big", namespace="help") for n in range(MOST_TOGETHER + 1)]
    many_labels = [Memory((f"u {n}",), intent=f"l {n}", namespace="apis") for n in range(MOST_NAMES + 1)]
    files = memory_files([*one_label, *many_labels])
    assert len(files) == 17
    assert sum(map(len, files.values())) == len(one_label) + len(many_labels)
    assert "memories/apis/_.toml" in files
    before = {m.triggers: name for name, held in files.items() for m in held}
    fewer = memory_files(
        [*one_label[1:], *one_label[:1], *many_labels[1:], Memory(("x",), intent="y", namespace="apis")]
    )
    assert all(before[m.triggers] == name for name, held in fewer.items() for m in held if m.triggers != ("x",))
    namespaces = [Memory((f"t {n}",), namespace=f"n {n}") for n in range(MOST_NAMES + 1)]
    assert list(memory_files(namespaces)) == ["memories/_.toml"]


@pytest.mark.parametrize(
    ("kind", "text", "line", "sentence"),
    [
        ("memories", '[[memory]]\ntriggers = ["x"]\n\n[[memory]]\nsuccess=2\ntriggers = ["y"]\n', 4, "“success” lies"),
        ("memories", 'label = "a"\n[[memory]]\ntriggers = ["x"\n', 3, "Not valid TOML"),
        ("memories", '[[memory]]\ntriggers = ["x"]\nlable = "a"\n', 1, "“lable” is none of"),
        ("memories", "[[memory]]\n<<<<<<< HEAD\ntriggers = []\n=======\n>>>>>>> other\n", 2, "A conflict that git"),
        ("memories", 'memory = "x"\n', 1, "Tables under [[memory]]"),
        ("memories", f"{'a.' * 70}b = 1\n", 1, "A name of more than 64 parts"),
        ("memories", f"[[memory]]\nusage = {'9' * 5000}\n", 1, "The file is not readable TOML"),
        ("cases", '{"text": "a", "expected": [], "task": "intent"}\n\n{"text": 1}\n', 3, "The case does not say"),
        ("cases", "\n[1]\n{", 2, "An object in { }"),
        ("cases", '{"text"\n', 1, "The line is not valid JSON"),
        ("rules", 'pack = "p"\n[[rule]]\nid = "a"\n', 2, "“label” is missing"),
        ("rules", 'pack = "p"\n[[rule]]\nposition = "x"\nid = "a"\nlabel = "b"\npattern = "c"\n', 2, "“position” is"),
        ("powers", 'name = ""\n', 1, "“name” is missing"),
    ],
)  # fmt: skip
def test_that_a_fault_is_told_with_its_line(kind: str, text: str, line: int, sentence: str) -> None:
    fault = next(one for one in read_text(kind, text) if isinstance(one, Problem))
    assert fault.line == line
    assert fault.sentence.startswith(sentence)
    assert fault.sentence.endswith(".")


def test_that_what_people_write_in_another_form_is_read_as_well(tmp_path: Path) -> None:
    save(tmp_path, LIBRARY)
    (tmp_path / "memories/help/reset.toml").write_bytes(
        b"# mine\r\nnamespace='help'\r\nlabel = 'reset'\r\n[[memory]] # one\r\ntriggers = ['a', \"b\"]\r\n"
    )
    assert Memory(("a", "b"), intent="reset", namespace="help") in [placed.item for placed in read(tmp_path).items]


@pytest.mark.parametrize(
    "text",
    [
        '"""',
        '""""',
        '\n"',
        "a\n",
        "\na",
        "a \nb",
        '"""\n',
        "\\\n\\",
        "<<<<<<< a\n=======\n>>>>>>> b",
        "\t\n\x7f\x00"[:3],
    ],
)
def test_that_texts_of_several_lines_stay_as_they_are(tmp_path: Path, text: str) -> None:
    save(tmp_path, [Memory(("a",), f"{text}\nmore {text}"), Memory(("b",), text)])
    content = read(tmp_path)
    assert content.faults == ()
    assert {p.item.response for p in content.items if isinstance(p.item, Memory)} == {f"{text}\nmore {text}", text}


def test_that_a_folder_of_other_files_or_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no library: it has no library.toml"):
        read(tmp_path)
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(KnownError, match="holds other files and no library"):
        save(tmp_path, LIBRARY)
    assert list(texts(tmp_path)) == ["letter.txt"]
    (tmp_path / "library.toml").write_text("format = 99\n")
    with pytest.raises(FormatError, match="form 99"):
        read(tmp_path)
    (tmp_path / "library.toml").write_text("<<<<<<< HEAD\n")
    with pytest.raises(FormatError, match="not valid TOML"):
        read(tmp_path)


def test_that_a_folder_that_changed_meanwhile_is_not_written_to(tmp_path: Path) -> None:
    save(tmp_path, LIBRARY)
    prints = TomlFolders().fingerprints(tmp_path)
    (tmp_path / "powers/postgres.toml").write_text('name = "postgres"\n')
    before = texts(tmp_path)
    with pytest.raises(KnownError, match="have changed since they were read, so nothing was written"):
        save(tmp_path, LIBRARY[:1], prints)
    assert texts(tmp_path) == before
    assert save(tmp_path, LIBRARY, TomlFolders().fingerprints(tmp_path)) == 1


def test_that_what_is_not_of_the_library_any_more_goes_and_the_rest_of_the_folder_stays(tmp_path: Path) -> None:
    save(tmp_path, LIBRARY)
    (tmp_path / "README.md").write_text("about")
    (tmp_path / "memories" / "notes.txt").write_text("mine")
    save(tmp_path, LIBRARY[:1])
    assert set(texts(tmp_path)) == {"library.toml", "memories/help/reset.toml", "README.md", "memories/notes.txt"}
    assert not (tmp_path / "rules").exists()


@pytest.mark.parametrize("after", range(5))
def test_that_a_save_that_breaks_off_is_finished_or_never_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    save(tmp_path, LIBRARY)
    before = texts(tmp_path)
    real, calls = Path.replace, []

    def replacing(self: Path, target: Path) -> Path:
        if self.is_relative_to(tmp_path):
            calls.append(self)
        if len(calls) > after:
            raise OSError(5, "the power went")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replacing)
    changed = [replace(LIBRARY[3], description="Other"), *LIBRARY[4:5]] if isinstance(LIBRARY[3], Power) else []
    with suppress(KnownError):
        save(tmp_path, changed)
    monkeypatch.undo()
    left = texts(tmp_path)
    if is_half_way := (tmp_path / STAGING / ORDER).exists():
        for look in (read, TomlFolders().fingerprints):
            with pytest.raises(FormatError, match="broke off half-way, so it is not read: save to it again"):
                look(tmp_path)
        with pytest.raises(FormatError, match="that this profile did not begin, so nothing was changed"):
            TomlFolders(mine(tmp_path / "other")).recover(tmp_path)
    assert texts(tmp_path) == left, "who reads it changes nothing"
    TomlFolders(mine(tmp_path)).recover(tmp_path)
    content = read(tmp_path)
    assert is_half_way == (0 < after < 3)
    assert not (tmp_path / STAGING).exists()
    assert not mine(tmp_path).pending(tmp_path)
    assert texts(tmp_path) == (before if after == 0 else {n: c.decode() for n, c in files_of(changed).items()})
    assert content.faults == ()


def test_that_a_first_save_that_breaks_off_leaves_nothing_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking(_folder: Path, _order: bytes) -> None:
        raise OSError(5, "the power went")

    monkeypatch.setattr(library_folder_swap, "_put_in_place", breaking)
    with pytest.raises(KnownError):
        save(tmp_path, LIBRARY)
    monkeypatch.undo()
    TomlFolders(mine(tmp_path)).recover(tmp_path)
    assert told([placed.item for placed in read(tmp_path).items]) == told(LIBRARY)
    save(tmp_path, LIBRARY[:1])
    assert told([placed.item for placed in read(tmp_path).items]) == told(LIBRARY[:1])


def test_that_who_looks_while_a_save_is_under_way_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, LIBRARY[:1])
    real, looks = library_folder_swap._write, list[dict[str, str]]()
    looking = Thread(target=lambda: looks.append(TomlFolders().fingerprints(tmp_path)))

    def writing(path: Path, content: bytes) -> None:
        real(path, content)
        if not looking.ident:
            looking.start()
            looking.join(0.2)  # it would delete the incomplete save if it did not wait

    monkeypatch.setattr(library_folder_swap, "_write", writing)
    save(tmp_path, LIBRARY)
    looking.join(PATIENCE)
    assert looks == [TomlFolders().fingerprints(tmp_path)]
    assert told([placed.item for placed in read(tmp_path).items]) == told(LIBRARY)


HOLDING = """
import sys
from pathlib import Path
from app.adapters.library_folder import folder_lock
with folder_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_that_programs_take_turns_and_one_that_is_killed_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_folder_swap, "WAIT_SECONDS", 0.0)
    save(tmp_path, LIBRARY[:1])
    words = [sys.executable, "-c", HOLDING, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(KnownError, match="Another program is at work"):
            save(tmp_path, LIBRARY)
        other.kill()
    assert save(tmp_path, LIBRARY)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("name", ["memories/a.toml", "powers/endless.toml", "powers/pipe.toml", "cases"])
def test_that_nothing_is_read_through_a_link_or_from_what_has_no_end(tmp_path: Path, name: str) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "library"
    elsewhere.mkdir()
    (elsewhere / "a.toml").write_text('password = "what is elsewhere"')
    (elsewhere / "intent.jsonl").write_text("{}")
    save(folder, [])
    (folder / name).parent.mkdir(exist_ok=True)
    if name == "powers/pipe.toml":
        os.mkfifo(folder / name)
    else:
        target = {"powers/endless.toml": Path(os.devnull), "cases": elsewhere}.get(name, elsewhere / "a.toml")
        (folder / name).symlink_to(target)
    for look in (read, TomlFolders().fingerprints):
        with pytest.raises(FormatError, match="is a link or no ordinary file") as error:
            look(folder)
        assert "password" not in str(error.value)


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode there")
def test_that_a_name_that_is_not_utf8_is_refused_before_anything_is_imported(tmp_path: Path) -> None:
    save(tmp_path, LIBRARY)
    for kind in ("memories", "cases"):
        bad = Path(
            os.fsdecode(os.fsencode(tmp_path / kind) + (b"/\xff.toml" if kind == "memories" else b"/\xff.jsonl"))
        )
        bad.write_text("")
        for look in (read, TomlFolders().fingerprints):
            with pytest.raises(FormatError, match=r"has a name that is not UTF-8"):
                look(tmp_path)
        bad.unlink()


@pytest.mark.skipif(sys.platform != "linux", reason="what a system follows differs")
async def test_that_a_folder_is_watched_as_it_grows_but_not_through_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_folder, "HEARTBEAT_MS", 50)
    monkeypatch.setattr(library_folder, "DEBOUNCE_MS", 20)
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "library"
    elsewhere.mkdir()
    save(folder, LIBRARY)
    for place in ("link", "memories/link"):
        (folder / place).symlink_to(elsewhere)

    news = TomlFolders().watch(folder)

    async def rests() -> bool:
        return not any([await anext(news) for _ in range(3)])

    assert await rests()
    for change in ("../elsewhere/a.toml", "README"):
        (folder / change).write_text("1")
        assert await rests(), change
    (folder / "memories/new").mkdir()
    for content in "12":
        (folder / "memories/new/b.toml").write_text(content)
        async with asyncio.timeout(PATIENCE):
            while not await anext(news):
                pass
            while not await rests():
                pass
    await news.aclose()


def test_that_a_foreign_order_writes_nothing_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    save(folder, LIBRARY)
    for order in (
        {"put": {"../evil.toml": "0"}, "gone": []},
        {"put": {"memories/../../evil.toml": "0"}, "gone": []},
        {"put": {}, "gone": ["/etc/passwd"]},
        {"put": {"library.toml": "0"}},
        [1],
    ):
        (folder / STAGING).mkdir(exist_ok=True)
        (folder / STAGING / "0").write_text("evil")
        (folder / STAGING / ORDER).write_bytes(orjson.dumps(order))
        mine(folder).begin(folder, digest(orjson.dumps(order)))  # even if the save were this profile's own
        with suppress(KeyError, TypeError, AttributeError), pytest.raises(FormatError):
            recover(folder, mine(folder))
    assert not list(tmp_path.glob("**/evil.toml"))
    assert Path("/etc/passwd").exists()


def plant(folder: Path) -> None:
    """Plant an order from elsewhere that deletes files and replaces a power's command."""
    (folder / STAGING).mkdir()
    (folder / STAGING / "0").write_text('name = "postgres"\ncommand = "evil"\n')
    put = {"powers/postgres.toml": digest((folder / STAGING / "0").read_bytes())}
    (folder / STAGING / ORDER).write_bytes(orjson.dumps({"put": put, "gone": ["rules/mine.toml", "library.toml"]}))


def test_that_a_planted_order_changes_nothing_whether_it_is_read_or_saved_to(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    save(folder, LIBRARY)
    plant(folder)
    before = texts(folder)
    for look in (
        read,
        TomlFolders().fingerprints,
        TomlFolders(mine(folder)).recover,
        lambda folder: save(folder, LIBRARY[:1]),
    ):
        with pytest.raises(FormatError, match="broke off half-way"):
            look(folder)
        assert texts(folder) == before
    shutil.rmtree(folder / STAGING)
    assert told([placed.item for placed in read(folder).items]) == told(LIBRARY)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_that_an_order_is_neither_read_nor_written_through_a_link(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "library", tmp_path / "elsewhere"
    save(folder, LIBRARY)
    plant(folder)
    (folder / STAGING).rename(elsewhere)
    (folder / STAGING).symlink_to(elsewhere)
    before = texts(folder)
    with pytest.raises(FormatError, match="broke off half-way"):
        read(folder)
    with suppress(KnownError):
        save(folder, LIBRARY[:1])
    assert texts(folder) == before
    assert sorted(path.name for path in elsewhere.iterdir()) == ["0", ORDER]


@pytest.mark.skipif(sys.platform == "win32", reason="files there have no holes")
@pytest.mark.parametrize("name", ["library.toml", "powers/huge.toml", f"{STAGING}/{ORDER}"])
def test_that_a_huge_file_is_refused_before_it_is_read(tmp_path: Path, name: str) -> None:
    save(tmp_path, LIBRARY)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    with (tmp_path / name).open("ab") as stream:
        stream.truncate(8 * 2**30)
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for look in (read, TomlFolders().fingerprints, TomlFolders(mine(tmp_path)).recover):
        with suppress(FormatError):
            look(tmp_path)
    with pytest.raises(FormatError):
        read(tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024


def test_that_files_that_are_too_large_together_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, LIBRARY)
    monkeypatch.setattr(library_folder, "MAX_BYTES", 1_000)
    with pytest.raises(FormatError, match="are larger than"):
        read(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_that_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "library"
    elsewhere.mkdir()
    save(folder, [])
    (folder / "powers").symlink_to(elsewhere)
    with pytest.raises(KnownError, match="is a link"):
        save(folder, LIBRARY)
    assert list(elsewhere.iterdir()) == []
    assert not (folder / STAGING).exists()
    with pytest.raises(FormatError, match="is not a file of a library"):
        swap(folder, {"other.txt": b""}, (), mine(folder))


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything may be written there")
def test_that_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(KnownError, match="cannot be written"):
        save(tmp_path / "library", LIBRARY)
    tmp_path.chmod(0o700)


def test_that_a_merge_of_git_brings_both_sides_edits_together(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=n@localhost", "-c", "init.defaultBranch=main")
        subprocess.run(("git", *identity, *words), cwd=tmp_path, check=True, capture_output=True)

    first, second = LIBRARY[0], LIBRARY[3]
    assert isinstance(first, Memory)
    assert isinstance(second, Power)
    save(tmp_path, LIBRARY)
    git("init")
    git("add", ".")
    git("commit", "-m", "library")
    git("checkout", "-b", "theirs")
    theirs = replace(first, triggers=(first.triggers[0], "lost my password"))
    save(tmp_path, [theirs, *LIBRARY[1:]])
    git("commit", "-am", "theirs")
    git("checkout", "main")
    save(tmp_path, [replace(first, tags=("account",)), *LIBRARY[1:]])
    git("commit", "-am", "mine")
    git("merge", "theirs")
    (merged,) = (p.item for p in read(tmp_path).items if isinstance(p.item, Memory) and p.item.id == "m-1")
    assert merged == replace(theirs, tags=("account",))


def test_that_what_is_remembered_of_a_folder_is_kept_by_its_place(tmp_path: Path) -> None:
    memory, synced = SyncStateFiles(tmp_path / "folders"), SyncState({"a": "1"}, {"library.toml": "2"})
    assert memory.get(tmp_path) == SyncState()
    memory.put(tmp_path, synced)
    assert memory.get(tmp_path / "." / "x" / "..") == synced
    assert memory.get(tmp_path / "other") == SyncState()
    (file,) = (tmp_path / "folders").iterdir()
    file.write_text("[]")
    assert memory.get(tmp_path) == SyncState()
    (tmp_path / "blocked").write_text("")
    with pytest.raises(KnownError, match="cannot be written"):
        SyncStateFiles(tmp_path / "blocked").put(tmp_path, synced)


@pytest.mark.parametrize("kind", ["memories", "powers", "rules", "cases"])
def test_that_no_mutation_of_a_file_does_harm(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    samples = [content for name, content in files_of(LIBRARY).items() if name.startswith(kind)]
    chance, outcomes, slowest = random.Random(f"{SEED} {kind}"), Counter[str](), 0.0
    others = [*files_of(LIBRARY).values()]
    for _ in range(TRIED):
        text = mutated(chance.choice(samples), others, chance).decode(errors="replace").replace("\0", "")
        begun = time.monotonic()
        found = list(read_text(kind, text.replace("\r\n", "\n").replace("\r", "\n")))
        slowest = max(slowest, time.monotonic() - begun)
        assert all(isinstance(one, (Line, Problem)) for one in found)
        assert all(one.sentence.endswith((".", "?")) for one in found if isinstance(one, Problem)), found
        outcomes["problems" if any(isinstance(one, Problem) for one in found) else "read"] += 1
    assert slowest < 10
    assert set(outcomes) == {"problems", "read"}
    with capsys.disabled():
        if TOLD:
            print(f"\nfolder, {kind}: {TRIED:,} files, {dict(outcomes)}, slowest {slowest * 1000:.0f} ms")


@pytest.mark.parametrize("hard", ["[" * 5_000, "9" * 5_000, "1\na" + ".a" * 5_000 + " = 1", "[", '"\udc80"'])
def test_that_a_folder_that_is_too_hard_to_read_is_refused_or_told_in_a_sentence(tmp_path: Path, hard: str) -> None:
    folder = tmp_path / "library"
    save(folder, LIBRARY)
    for file in folder.rglob("*.toml"):
        kept = file.read_bytes()
        file.write_bytes(f"x = {hard}".encode("utf-8", "surrogateescape"))
        with suppress(KnownError):
            assert read(folder).faults
            assert file.name != "library.toml"
        file.write_bytes(kept)
