"""Tests of the program from outside: output, streams, logs, comparisons and exit codes (S8)."""

import argparse
import asyncio
import errno
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import app.__main__ as front_door
from app import bootstrap
from app.__main__ import main
from app.adapters.store.library import SqlLibrary
from app.domain.case import Case
from app.domain.history import HistoryFilter, Source
from app.domain.library import Line, Memory
from app.services.workbench import Workbench
from app.surfaces.cli import parser as command_parser
from app.surfaces.cli.commands import COMMANDS
from app.surfaces.cli.output import MisuseError, output, written
from tests.program import PROJECT, run, run_alone
from tests.waiting import PATIENCE

SCORERS = ["exact", "fuzzy", "token_overlap", "semantic", "centroid", "keyword"]


def documents(*words: str, stdin: bytes = b"", profile: Path) -> list[dict[str, Any]]:
    done = run(*words, "--json", stdin=stdin, profile=profile)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_that_the_profile_folder_is_private(seed_library: Path) -> None:
    if os.name == "posix":
        assert stat.S_IMODE(seed_library.stat().st_mode) == 0o700


WATCH = """
import os, sys
def watch(event, arguments):
    told = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0]
    host = told[0] if isinstance(told, tuple) else told if event.startswith("socket.get") else None
    if host and str(host) not in ("127.0.0.1", "::1", "localhost"):
        with open(os.environ["REACHED"], "a") as file:
            print(event, host, file=file)
LOOKED_AT = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
sys.addaudithook(lambda event, arguments: watch(event, arguments) if event in LOOKED_AT else None)
"""
"""Start-up code for Python that records every other machine looked up or connected to."""


REACHES = "import socket; socket.socket().connect_ex(('127.0.0.2', 9))"


def test_that_a_window_reaches_for_no_other_machine(seeded: Path, tmp_path: Path) -> None:
    """Commands in this process are held to the same by `no_network`."""
    (tmp_path / "sitecustomize.py").write_text(WATCH, "utf-8")
    reached = tmp_path / "reached"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("INTENTSCOPE")}
    environment |= {"PYTHONPATH": str(tmp_path), "REACHED": str(reached), "QT_QPA_PLATFORM": "offscreen"}
    window = ["-m", "app", "gui", "--exit-after", "1", "--query", "run a postgres query", "--profile", str(seeded)]
    for words in (window, ["-c", REACHES]):
        assert not reached.exists(), reached.read_text("utf-8")
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
    assert reached.read_text("utf-8").splitlines() == ["socket.connect 127.0.0.2"], "the watch does see"


def test_that_inspect_gives_the_stable_document(seeded: Path) -> None:
    (found,) = documents(
        *("inspect", "why does the build keep failing on my mac"),
        *("--set", "combination=balanced", "--set", "search_intent.learned=false"),
        profile=seeded,
    )
    assert found["query"] == "why does the build keep failing on my mac"
    assert found["intent"]["type"] == "troubleshoot"
    assert found["intent"]["confidence"] == 0.55
    assert found["intent"]["source"] == "keyword"
    assert set(found["intent"]) == {"type", "confidence", "source", "keywords", "topics"}
    first = found["matches"][0]
    assert (first["kind"], first["name"], first["band"]) == ("memory", "build-fails-locally", "high")
    assert list(first["scores"]) == SCORERS
    assert first["scores"]["keyword"] is None
    assert sorted(first["winner"]) == ["centroid", "semantic"]
    assert first["confidence"] == pytest.approx((first["scores"]["semantic"] + first["scores"]["centroid"]) / 2)
    assert found["route"]["databases"]
    assert {stage["name"] for stage in found["trace"]["stages"]} >= {"keywords", "lexical", "embed query", "combine"}
    assert all({"id", "label", "span"} <= set(rule) for rule in found["trace"]["rules"])
    assert all({"step", "operands", "result"} <= set(step) for step in found["trace"]["merge"])
    assert found["trace"]["llm"]["outcome"] == "off"


def test_that_detect_answers_each_line(seeded: Path) -> None:
    found = documents("detect", "--stdin", stdin=b"\xef\xbb\xbfhow to build it\n\nxyzzy\n", profile=seeded)
    assert found[0]["query"] == "how to build it"
    assert [line["intent"] and line["intent"]["type"] for line in found] == ["howto", None, None]


ODD = (
    b"\n",
    b"a" * 1_000_000 + b"\n",
    b"nul\x00here \x01\x1b[2J\n",
    "\u202eright to left שלום 你好 \U0001f600\n".encode(),
    b"\xff\xfe\xed\xa0\x80\n",
)


def test_that_every_odd_query_is_answered(seeded: Path) -> None:
    found = documents("inspect", "--stdin", stdin=b"".join(ODD), profile=seeded)
    assert len(found) == len(ODD)
    assert found[0]["intent"] is None
    assert found[0]["matches"] == []
    assert len(found[1]["query"]) == 1_000_000
    assert "2,000" in found[1]["notes"][0]


def test_that_a_bad_line_is_named_and_the_rest_is_imported_once(tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    file.write_text('{"text": "one"}\nnot json\n{"intent": "x"}\n{"text": "two", "intent": "y"}\n')
    profile = tmp_path / "profile"
    first = run("import", str(file), "--kind", "memories", profile=profile)
    assert first.returncode == 0
    assert "2 added" in first.stdout
    assert "line 2" in first.stdout
    assert "line 3" in first.stdout
    again = documents("import", str(file), "--kind", "memories", profile=profile)
    assert again[0]["added"] == 0
    assert again[0]["unchanged"] == 2
    exported = run("export", "--kind", "memories", profile=profile)
    assert [json.loads(line)["text"] for line in exported.stdout.splitlines()] == ["one", "two"]


def test_that_gates_decide_the_exit_code(seeded: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        '{"text": "build fails on macos", "expected": ["fix-build"]}\n{"text": "zzz qqq", "expected": []}\n'
    )
    words = ("evaluate", str(cases), "--task", "intent")
    assert run(*words, "--gate", "top1>=1", profile=seeded).returncode == 0
    missed = run(*words, "--gate", "top1<0.5", profile=seeded)
    assert missed.returncode == 1
    assert "gate not met" in missed.stderr
    refused = run(*words, "--gate", "top1=x", profile=seeded)
    assert refused.returncode == 2
    with cases.open("a", encoding="utf-8") as file:
        file.write("no case at all\n")
    assert run(*words, profile=seeded).returncode == 0
    short = run(*words, "--gate", "top1>=1", profile=seeded)
    assert short.returncode == 1
    assert "1 of 3 lines could not be judged" in short.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("inspect",),
        ("inspect", "x", "--stdin"),
        ("inspect", "x", "--set", "nope=1"),
        ("inspect", "x", "--settings", "missing.toml"),
        ("import",),
        ("import", "missing.jsonl", "--kind", "memories"),
        ("evaluate", "missing.jsonl", "--task", "type"),
        ("bench", "--sizes", "0"),
        ("frobnicate",),
        ("doctor", "--verb"),
        ("--verb", "doctor"),
        ("doctor", "--out", "x"),
        ("bench", "--sizes", "10", "--output", "."),
        ("bench", "--sizes", "10", "--output", "/no/such/folder/file"),
        ("gui", "--exit-after", "nan"),
        ("gui", "--exit-after", "-1"),
        ("gui", "--exit-after", "inf"),
        ("inspect", "x", "--set", "llm.url=http://[bad"),
    ],
)
def test_that_misuse_is_a_sentence_and_exit_code_two(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*words, profile=tmp_path / "profile")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_that_a_damaged_library_is_left_as_it_is(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    library.write_bytes(b"no library at all")
    done = run("inspect", "x", profile=tmp_path)
    assert done.returncode == 2
    assert "not a library" in done.stderr
    assert library.read_bytes() == b"no library at all"


def test_that_output_replaces_a_file_only_when_all_is_written(seeded: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    assert run("detect", "how to", "--json", "--output", str(file), profile=seeded).stdout == ""
    assert json.loads(file.read_text())["intent"]["type"] == "howto"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_that_a_part_file_of_someone_else_is_left_alone(seeded: Path, tmp_path: Path) -> None:
    mine = tmp_path / "out.json.part"
    mine.write_text("mine")
    file = tmp_path / "out.json"
    file.write_text("old")
    file.chmod(0o640)
    assert run("detect", "how to", "--json", "--output", str(file), profile=seeded).returncode == 0
    assert mine.read_text() == "mine"
    assert json.loads(file.read_text())["intent"]["type"] == "howto"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "out.json.part"]


def test_that_output_is_not_written_through_a_link(seeded: Path, tmp_path: Path) -> None:
    link, file = tmp_path / "link.json", tmp_path / "out.json"
    file.write_text("old")
    link.symlink_to(file)
    done = run("detect", "how to", "--json", "--output", str(link), profile=seeded)
    assert done.returncode == 2
    assert f"it is a link to {file}: name that file, or remove the link" in done.stderr
    assert file.read_text() == "old"
    assert link.is_symlink()


def test_that_output_goes_straight_to_what_is_no_regular_file(seeded: Path, tmp_path: Path) -> None:
    done = run_alone("settings", "--json", "--output", "/dev/stdout", profile=seeded)
    assert '"matches"' in done.stdout
    assert run("detect", "how to", "--output", os.devnull, profile=seeded).returncode == 0
    assert not Path(os.devnull).is_file()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert run("detect", "how to", "--json", "--output", str(pipe), profile=seeded).returncode == 0
    reader.join(PATIENCE)
    assert json.loads(read[0])["intent"]["type"] == "howto"
    assert pipe.is_fifo()


def test_that_exported_powers_are_for_their_owner_alone(seeded: Path, tmp_path: Path) -> None:
    for kind, mode in (("powers", 0o600), ("memories", 0o644)):
        file = tmp_path / f"{kind}.jsonl"
        file.touch(0o644)
        assert run("export", "--kind", kind, "--output", str(file), profile=seeded).returncode == 0
        assert file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == mode


def test_that_a_stdout_of_ascii_takes_everything(seeded: Path) -> None:
    done = run("inspect", "你好 build", profile=seeded, encoding="ascii")
    assert done.returncode == 0, done.stderr
    assert "\\u4f60" in done.stdout


@pytest.mark.parametrize("words", [("detect", "how to"), ("settings",), ("export", "--kind", "powers"), ("doctor",)])
def test_that_a_variable_of_another_program_stops_no_command(
    seeded: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "tcp://127.0.0.1:11434")
    monkeypatch.setenv("SUBCOG_SEARCH_INTENT_LLM_TIMEOUT_MS", '"200ms"')
    done = run(*words, profile=seeded)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("passed over") == 1
    assert "OLLAMA_HOST = 'tcp://127.0.0.1:11434'" in done.stderr


def run_instead(monkeypatch: pytest.MonkeyPatch, work: Callable[..., int]) -> None:
    """Let `doctor` do this work."""
    monkeypatch.setitem(COMMANDS, "doctor", replace(COMMANDS["doctor"], run=work))
    monkeypatch.setattr(command_parser, "parser", command_parser.parser.__wrapped__)


def test_that_a_fault_of_the_work_is_not_told_as_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(options: argparse.Namespace, _: object) -> int:
        with output(options) as out:
            out.print("begun")
            raise PermissionError(13, "not the file")

    run_instead(monkeypatch, work)
    file = tmp_path / "out.txt"
    with pytest.raises(SystemExit) as ended:
        front_door.main(["doctor", "--output", str(file)])
    assert ended.value.code == 70
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "cannot be written" not in told
    assert list(tmp_path.iterdir()) == []


def test_that_doctor_finds_a_seeded_profile_fine(seeded: Path) -> None:
    (found,) = documents("doctor", profile=seeded)
    assert found["fine"], found
    told = " ".join(one["sentence"] for one in found["findings"])
    assert "triggers of memories," in told
    assert "stored vectors (those of the shipped route examples too)" in told
    assert "triggers of memories and powers in use have their vector" in told


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no device that is always full")
def test_that_a_full_disk_is_a_sentence_and_no_success(seeded: Path) -> None:
    for words in (("settings", "--profile", str(seeded)), ("--version",)):
        with Path("/dev/full").open("wb") as full:
            command = [sys.executable, "-m", "app", *words]
            done = subprocess.run(
                command, cwd=PROJECT, stdout=full, stderr=subprocess.PIPE, check=False, timeout=PATIENCE
            )
        assert done.returncode == 2
        assert b"cannot be written" in done.stderr
        assert b"Traceback" not in done.stderr
    assert run("settings", "--output", "/dev/full", profile=seeded).returncode == 2
    assert Path("/dev/full").is_char_device()


def test_that_the_version_is_told(tmp_path: Path) -> None:
    done = run_alone("--version", profile=tmp_path)
    assert done.returncode == 0
    assert re.fullmatch(r"intentscope \d+\.\d+\.\d+\S*\n", done.stdout)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ("detect", "hi", "--set", "no\x1b[31mred"),
        ("detect", "hi", "--set", "matches=\x1b[31mred"),
        ("detect", "hi", "\x1b[31mred"),
        ("import", "\x1b[31mred"),
    ],
)
def test_that_nothing_quoted_steers_the_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*words, profile=tmp_path)
    assert done.returncode == 2
    assert "red" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (
            "matches=ten",
            "matches = 'ten' (from the command line) is refused: it must be a whole number from 1 to 1,000",
        ),
        ("tiers.high=2", "it must be a number from 0 to 1"),
        ("weights.exact=-1", "it must be a number of at least 0"),
        ("theme=blue", "it must be system, light or dark"),
        ("search_intent.enabled=perhaps", "it must be true or false"),
        ("power_combination=foo", "keyword or same"),
        ("llm.url=no no", "it is not a server address"),
    ],
)
def test_that_a_refused_setting_says_what_it_must_be(pair: str, told: str, tmp_path: Path) -> None:
    done = run("detect", "hi", "--set", pair, profile=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Input should" not in done.stderr


def test_that_a_misspelt_option_makes_no_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["--profil", "x", "doctor"], ["doctor", "--profil", "x"]):
        with pytest.raises(SystemExit) as ended:
            front_door.main(words)
        assert ended.value.code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("stop", "told"), [((), "stopped."), (("stopped; so.",), "stopped; so.")])
def test_that_an_interrupted_command_says_what_became_of_it(
    stop: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(*_: object) -> int:
        raise KeyboardInterrupt(*stop)

    run_instead(monkeypatch, work)
    assert front_door.main(["doctor"]) == 130
    assert capsys.readouterr().err == f"intentscope: {told}\n"


@pytest.mark.parametrize(
    ("stops_at", "told"), [("reading", "nothing was imported"), ("embedding", "is kept: memories")]
)
def test_that_an_interrupted_import_says_whether_anything_is_there(
    stops_at: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Interruption as by Ctrl+C cancels the work, during reading or after storing."""
    file = tmp_path / "x.jsonl"
    file.write_text('{"text": "one"}\n{"text": "two"}\n')

    def lines() -> Iterator[Line[Memory]]:
        yield Line(1, Memory(("one",)))
        if stops_at == "reading":
            signal.raise_signal(signal.SIGINT)
            while True:  # the cancelled import reads no further
                yield Line(2, Memory(("two",)))

    async def interrupted(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)

    monkeypatch.setattr(bootstrap, "read_file", lambda *_: ("memories", lines()))
    monkeypatch.setattr(Workbench, "ready", interrupted)
    profile = tmp_path / "profile"
    assert front_door.main(["import", str(file), "--profile", str(profile)]) == 130
    assert told in capsys.readouterr().err
    library = SqlLibrary.open(profile)
    assert library.counts()["memories"] == (0 if stops_at == "reading" else 1)
    library.close()


@pytest.mark.parametrize(
    "words",
    [["evaluate", "x.toml", "--task", "type"], ["evaluate", "x.toml", "--task", "intent"], ["import", "x.toml"]],
)
def test_that_the_first_ctrl_c_ends_the_reading_of_a_large_file(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A parser awaits nothing, so cancellation would only take effect after it."""

    def parsed(*_: object, **__: object) -> tuple[str, list[Line[Case]]]:
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the parser went on")

    monkeypatch.setattr(bootstrap, "read_file", parsed)
    assert front_door.main([*words, "--profile", str(tmp_path / "profile")]) == 130
    assert "stopped" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "  ", "x" * 300, "x/" * 3_000])
def test_that_a_profile_without_a_name_or_with_too_long_a_one_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        front_door.main(["detect", "hello", "--profile", name])
    assert left.value.code == 2
    assert ("it is empty" if not name.strip() else "longer than this system allows") in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX is needed")
@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_that_a_program_without_standard_streams_does_its_work(seeded: Path, closed: str) -> None:
    words = [sys.executable, "-m", "app", "route", "--metrics", "--profile", str(seeded)]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *words],
        cwd=PROJECT,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_that_a_picture_without_room_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = tmp_path / "bench.svg"
    picture.write_text("the old one")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(MisuseError, match=r"bench\.svg cannot be written: No space left.*free some space"),
        written(picture) as file,
    ):
        file.write("the new one")
    assert picture.read_text() == "the old one"
    assert not list(picture.parent.glob(".bench.svg*"))


def test_that_approve_exits_as_its_help_says(seeded: Path) -> None:
    shown = run("approve", "git", "--json", profile=seeded)
    assert shown.returncode == 1, "it asks nothing, and it is not approved yet"
    digest = json.loads(shown.stdout)["digest"]
    for words in (["git"], ["git", "--yes", "0" * 64], ["nobody"], ["weather"]):
        assert run("approve", *words, profile=seeded).returncode == 2
    assert run("approve", "git", "--yes", digest, profile=seeded).returncode == 0
    assert run("approve", "git", "--json", profile=seeded).returncode == 0
    told = (PROJECT / "resources" / "help" / "commands.md").read_text("utf-8").partition("## approve")[2]
    assert "The exit code is 1 if you decline" in told
    assert "It is 2 if nobody" in told


def test_that_routes_are_evaluated_in_every_way_that_evaluate_has(seeded: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"text": "similar texts", "expected": ["vector"], "task": "route"}) + "\n")
    compared, swept = ["--against", "route.threshold=0.99"], ["--sweep", "route.threshold=0.5:0.9:0.2"]
    switched = ["--sweep", "route.examples=all", "--no-teach"]
    told = []
    for way in ([], ["--against-run", "last"], swept, [*compared, "--json"], [*switched, "--json"]):
        done = run("evaluate", cases, "--task", "route", *way, profile=seeded)
        assert (done.returncode, done.stderr) == (0, "")
        assert "cannot" not in done.stdout
        told.append(done.stdout)
    document = json.loads(told[-2])
    assert document["against"]["settings"] == {"route.threshold": "0.99"}
    flips = [(flip["text"], flip["before"]["right"], flip["after"]["right"]) for flip in document["flips"]]
    assert flips == [("similar texts", True, False)]
    assert [row["value"] for row in json.loads(told[-1])["sweep"]["values"]] == ["true", "false"]


LOG = b'{"query": "how do I deploy"}\n{"no": 1}\n{"messages": [{"role": "user", "content": "where is it"}]}\noops\n'


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


def kept(profile: Path) -> list[tuple[str | None, Source, int]]:
    library = SqlLibrary.open(profile)
    found = library.queries_by_key(library.find_queries(HistoryFilter()))
    library.close()
    return sorted((query.text, query.source, query.times) for query in found if query.text is not None)


def test_that_a_log_is_answered_and_kept_and_bad_lines_are_told(profile: Path) -> None:
    done = run("inspect", "--stdin", "--log", "auto", "--keep", "--json", "--no-llm", stdin=LOG, profile=profile)
    assert done.returncode == 0
    assert [json.loads(line)["query"] for line in done.stdout.splitlines()] == ["how do I deploy", "where is it"]
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["line 2", "line 4"]
    assert kept(profile) == [("how do I deploy", Source.LOG, 1), ("where is it", Source.LOG, 1)]


def test_that_nothing_is_kept_unless_it_is_asked_for(profile: Path) -> None:
    (answer,) = documents("detect", "--stdin", "--log", "text", stdin=b"\nhow do I\n", profile=profile)
    assert answer["intent"]["type"] == "howto"
    (blank, _) = documents("inspect", "--stdin", stdin=b"\nhow do I\n", profile=profile)
    assert blank["query"] == ""
    assert kept(profile) == []


def test_that_a_file_is_read_ahead_and_answers_are_the_same(profile: Path, tmp_path: Path) -> None:
    texts = [f"how do I deploy {n}" for n in range(40)]
    file = tmp_path / "queries.txt"
    file.write_text("".join(f"{text}\n" for text in texts))
    with file.open("rb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "app", *"inspect --stdin --keep --json --no-llm --profile".split(), str(profile)],
            cwd=PROJECT,
            stdin=stream,
            capture_output=True,
            check=True,
            timeout=120,
        )
    assert [json.loads(line)["query"] for line in done.stdout.splitlines()] == texts
    assert len(kept(profile)) == 40


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["inspect", "text", "--log", "auto"], "--stdin"),
        (["inspect", "text", "--keep", "--set", "history.privacy=off"], "privacy"),
        (["inspect", "--stdin", "--log", "chat"], "JSON"),
        (["inspect", "--stdin"], "UTF-16"),
    ],
)
def test_that_what_cannot_be_done_is_bad_usage(words: list[str], sentence: str, profile: Path) -> None:
    done = run(*words, "--no-llm", stdin="[1".encode("utf-16") if sentence == "UTF-16" else b"[1", profile=profile)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


MEMORIES = [("will it rain tomorrow", "weather"), ("is it cold outside", "weather"), ("pay my bill", "billing")]
CASES = [("will it rain", ["weather"]), ("settle my bill", ["billing"]), ("is it cold in the oven", [])]


@pytest.fixture(scope="module")
def evaluate_changes_profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    memories = folder / "memories.jsonl"
    memories.write_text("".join(json.dumps({"text": text, "intent": label}) + "\n" for text, label in MEMORIES))
    where = ["--profile", str(folder / "profile")]
    assert main(["import", str(memories), "--kind", "memories", *where]) == 0
    cases = folder / "cases.jsonl"
    cases.write_text("".join(json.dumps({"text": text, "expected": names}) + "\n" for text, names in CASES))
    return folder


def evaluated(folder: Path, *words: str, task: str = "intent") -> int:
    where = ["--profile", str(folder / "profile"), "--set", "combination=balanced"]
    return main(["evaluate", str(folder / "cases.jsonl"), "--task", task, *words, *where])


def test_that_a_comparison_tells_what_turns_and_its_gates_decide(
    evaluate_changes_profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    against = ("--against", "combination=exact", "--against", "fallback_threshold=0.4")
    assert evaluated(evaluate_changes_profile, *against, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["against"]["settings"] == {"combination": "exact", "fallback_threshold": "0.4"}
    assert told["against"]["broken"] == len(told["against"]["cases"]["broken"]) == 2
    assert (told["against"]["fixed"], told["against"]["p"]) == (1, 1.0)
    assert [case["text"] for case in told["against"]["cases"]["broken"]] == ["will it rain", "settle my bill"]
    assert evaluated(evaluate_changes_profile, "--json") == 0
    plain = json.loads(capsys.readouterr().out)
    assert {key: value for key, value in told.items() if key != "against"} | {"fit": plain["fit"]} == plain
    assert (
        evaluated(
            evaluate_changes_profile, *against, "--gate", "broken<=2", "--gate", "top1>=0.9", "--gate", "against.top1<1"
        )
        == 0
    )
    assert "1 case fixed, 2 broken." in capsys.readouterr().out
    assert evaluated(evaluate_changes_profile, *against, "--gate", "broken<=1") == 1
    assert capsys.readouterr().err == "gate not met: broken<=1 (it is 2)\n"


def test_that_a_sweep_tells_each_value_and_its_gates_are_on_the_best(
    evaluate_changes_profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(evaluate_changes_profile, "--sweep", "fallback_threshold=0.1:0.9:0.2", "--json") == 0
    told = json.loads(capsys.readouterr().out)["sweep"]
    assert [row["value"] for row in told["values"]] == ["0.1", "0.3", "0.5", "0.7", "0.9"]
    assert [row["today"] for row in told["values"]] == [False, True, False, False, False]
    assert told["best"] is not None
    gates = "--gate", "net<=1", "--gate", "top1>=0.9"
    assert evaluated(evaluate_changes_profile, "--sweep", "combination=all", *gates) == 0
    page = capsys.readouterr().out
    assert page.startswith("Sweep of combination\n")
    assert "weighted_average" in page
    assert (
        evaluated(evaluate_changes_profile, "--sweep", "retrieval_scoring_method=balanced", "--gate", "fixed>=1") == 1
    )


def test_that_types_are_compared_too(evaluate_changes_profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    types = evaluate_changes_profile / "types.jsonl"
    types.write_text('{"text": "where is the door", "expected": ["location"]}\n')
    words = ["evaluate", str(types), "--task", "type", "--against", "search_intent.selection=priority", "--json"]
    assert main([*words, "--profile", str(evaluate_changes_profile / "profile")]) == 0
    assert json.loads(capsys.readouterr().out)["against"]["net"] == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--gate", "broken<=0"), "goes with --against, --against-run or --sweep"),
        (("--against", "combination=max", "--sweep", "combination=all"), "either --against or --sweep"),
        (("--against", "combination"), "KEY=VALUE"),
        (("--against", "combination=sum"), "combination"),
        (("--against", "encoder.name=ollama"), "No address of an Ollama server"),
        (("--sweep", "combination=sum"), "not a value of"),
        (("--sweep", "nonsense=1"), "that can be swept"),
        (("--sweep", "fallback_threshold=0.5,2"), "fallback_threshold"),
        (("--against", "combination=max", "--tokens"), "--tokens"),
        (("--against", "combination=max", "--gate", "worse<=0"), "Unknown metric"),
    ],
)
def test_that_bad_usage_is_a_sentence_and_exit_code_two(
    evaluate_changes_profile: Path, words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(evaluate_changes_profile, *words) == 2
    told = capsys.readouterr()
    assert why in told.err
    assert told.out == ""


def test_that_cases_with_odd_headings_are_judged_once_their_columns_are_named(
    evaluate_changes_profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = evaluate_changes_profile / "odd.csv"
    file.write_text("Frage,Antwort\nwhere is the door,location\n")
    asked = ["evaluate", str(file), "--task", "type", "--json", "--profile", str(evaluate_changes_profile / "profile")]
    assert main(asked) == 2
    assert "--columns" in capsys.readouterr().err
    assert main([*asked, "--columns", "Frage=text,Antwort=expected"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["accuracy"] == 1.0
