"""Tests of the prompt hook: one answer, and a budget that is known before the settings."""

import io
import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic

import pytest

from app.__main__ import main
from app.adapters.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.domain.library import Power, Transport
from app.settings.layers import environment_name
from app.settings.model import Settings, described
from app.surfaces.hook import budget
from app.surfaces.hook import prompt_hook as hook
from app.surfaces.hook.budget import (
    DEFAULT_MS,
    EMPTY,
    KEY,
    MOST_CONTEXT,
    OK,
    VARIABLE,
    Answer,
    Budget,
    answer_with,
)
from app.surfaces.hook.context import PromptError, prompt_of
from app.surfaces.hook.engine_client import HOOK
from app.surfaces.hook.entry import MOST_INPUT_BYTES
from app.surfaces.hook.prompt_hook import KEEP
from app.surfaces.local_socket import InstanceLock


def test_that_the_budget_before_the_settings_are_read_is_that_of_the_settings() -> None:
    assert Settings().serve.hook_budget_ms == DEFAULT_MS
    assert KEY in described()
    assert environment_name(KEY) == VARIABLE


BEGINS_LATE = "from app.surfaces.hook import entry; entry.LEAST_SECONDS = 0.0"


def hook_process(age: float, *words: str, stalls_at: str, least: str = BEGINS_LATE) -> tuple[bytes, str]:
    """Return the output of a hook of this age in seconds that stalls at the import of a module.

    With BEGINS_LATE it starts loading however little time is left.
    """
    program = (
        "import sys, time\nfrom app.surfaces.hook import budget\n"
        f"budget.process_age = lambda: {age}\n"
        f"{least}\n"
        "class Stalls:\n"
        "    def find_spec(self, name, *more):\n"
        f"        if name == {stalls_at!r}: time.sleep(60)\n"
        "sys.meta_path.insert(0, Stalls())\n"
        "from app.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program, *words],
        input=b'{"prompt": "x"}',
        capture_output=True,
        env={**os.environ, "PYTHONPATH": "."},
        timeout=50,
        check=True,
    )
    return done.stdout, done.stderr.decode()


@pytest.mark.parametrize(
    ("age", "stalls_at", "more"),
    [
        (1.85, "app.surfaces.cli.program", ()),
        (1.85, "argparse", ("--verbose",)),
        (0.85, "asyncio", ("--set", f"{KEY}=1000")),
        (0.85, "pathlib", (f"--set={KEY}=1000",)),
    ],
)
def test_that_the_time_runs_before_anything_is_loaded(
    tmp_path: Path, age: float, stalls_at: str, more: tuple[str, ...]
) -> None:
    out, err = hook_process(age, "hook", "--profile", str(tmp_path), *more, stalls_at=stalls_at)
    assert out == EMPTY.encode()
    assert err == f"intentscope: the hook's time budget ran out ({KEY}): nothing was looked up yet.\n"


@pytest.mark.parametrize(
    ("age", "stalls_at", "told"),
    [
        (1.85, "argparse", "too little of it was left to load the program"),
        (50.0, "app.surfaces.hook.entry", "nothing was looked up yet"),
    ],
)
def test_that_a_hook_whose_time_is_over_when_it_starts_loads_nothing(
    tmp_path: Path, age: float, stalls_at: str, told: str
) -> None:
    out, err = hook_process(age, "hook", "--profile", str(tmp_path), stalls_at=stalls_at, least="")
    assert out == EMPTY.encode()
    assert err == f"intentscope: the hook's time budget ran out ({KEY}): {told}.\n"


def test_that_a_hook_that_has_no_turn_ends_in_time_without_loading_the_engine(tmp_path: Path) -> None:
    turn = InstanceLock(tmp_path, HOOK)
    assert turn.acquire()
    out, err = hook_process(1.5, "hook", "--profile", str(tmp_path), stalls_at="argparse")
    assert out == EMPTY.encode()
    assert err == f"intentscope: the hook's time budget ran out ({KEY}): another hook was loading the engine.\n"
    turn.release()


@pytest.mark.parametrize("words", [("hook", "--nonsense"), ("--library", "nonsense://", "hook")])
def test_that_a_wrong_hook_ends_without_an_error_code(words: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", *words],
        input=b'{"prompt": "x"}',
        capture_output=True,
        env={**os.environ, "PYTHONPATH": ".", "XDG_DATA_HOME": str(tmp_path), VARIABLE: "50000", KEEP[1]: "off"},
        check=False,
    )
    assert done.returncode == OK
    assert done.stderr


@pytest.mark.parametrize(
    ("given", "words", "told"),
    [
        (b"no JSON", (), "takes the JSON"),
        (b'{"prompt": "x"}', (), "library.db"),
        (b'{"prompt": "x"}', ("--set", "a=b"), "Unknown setting “a”"),
    ],
)
def test_that_input_profile_or_setting_that_cannot_be_do_not_keep_a_prompt(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    given: bytes,
    words: tuple[str, ...],
    told: str,
) -> None:
    (tmp_path / "library.db").write_bytes(b"no library at all, but long enough to be looked at")
    monkeypatch.setenv(VARIABLE, "60000")
    monkeypatch.setattr(budget, "process_age", lambda: 0.1)
    monkeypatch.setattr(hook, "leave", nullcontext)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    assert main(["hook", "--profile", str(tmp_path), *words]) == OK
    out, err = capfd.readouterr()
    assert json.loads(out)["hookSpecificOutput"] == {"hookEventName": "UserPromptSubmit", "additionalContext": ""}
    assert told in err


def test_that_the_start_of_a_session_starts_the_engine_and_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: begun.append(words))
    monkeypatch.delenv(KEEP[1], raising=False)
    monkeypatch.setattr(budget, "process_age", lambda: 0.1)
    monkeypatch.setattr(hook, "leave", nullcontext)
    for more in ((), ("--set", "serve.keep_engine=false")):
        given = b'{"hook_event_name": "SessionStart", "source": "startup"}'
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        assert main(["hook", "--profile", str(tmp_path), *more]) == OK
    assert [words[-1] for words in begun] == ["engine"]
    assert capfd.readouterr() == ("", "")


def test_that_an_engine_sets_the_time_of_a_hook_once() -> None:
    found = Budget(Answer(), monotonic())
    found.last_from_now(60.0)
    found.last_from_now(600.0)
    assert found.left <= 60.0
    found.stop()


@pytest.mark.parametrize(("given_ms", "most"), [(None, 60.0), (1_500.0, 1.5)])
def test_that_an_engine_cannot_hold_a_hook_beyond_its_budget(given_ms: float | None, most: float) -> None:
    found = Budget(Answer(), monotonic())
    found.given_ms = given_ms
    found.last_from_now(600.0)
    assert 0.0 < found.left <= most
    found.stop()


def test_that_an_answer_is_given_once(capfd: pytest.CaptureFixture[str]) -> None:
    answer = Answer("first")
    answer.give()
    answer.context = "second"
    answer.give()
    assert capfd.readouterr().out == answer_with("first")


def test_that_a_context_is_bounded_and_named_after_the_event() -> None:
    said = json.loads(answer_with("x" * 10 * MOST_CONTEXT, "PostToolUse"))["hookSpecificOutput"]
    assert (len(said["additionalContext"]), said["hookEventName"]) == (MOST_CONTEXT, "PostToolUse")


@pytest.mark.parametrize(
    "given", [b"", b"x", b"[]", b"{}", b'{"prompt": 1}', b'{"prompt": [1, {}]}', b"[" * 100_000, b"\xff"]
)
def test_that_what_is_no_prompt_is_refused(given: bytes) -> None:
    with pytest.raises(PromptError):
        prompt_of(io.BytesIO(given))


def test_that_an_input_is_not_read_without_end() -> None:
    endless = io.BytesIO(b'{"prompt": "' + b"x" * 2 * MOST_INPUT_BYTES)
    with pytest.raises(PromptError):
        prompt_of(endless)
    assert endless.tell() == MOST_INPUT_BYTES
    assert prompt_of(io.BytesIO(b'{"prompt": "x", "cwd": "/"}')) == "x"
    for given in (b'{"prompt": "x\xe9"}', '\ufeff{"prompt": "x\N{REPLACEMENT CHARACTER}"}'.encode("utf-16-le")):
        assert prompt_of(io.BytesIO(given)) == "x\N{REPLACEMENT CHARACTER}"


UNNEEDED = ("keyring", "app.adapters.formats.table", "app.display.scope.text", "mcp", "httpx")
"""Modules that a prompt never needs and that load slowly; the test's library has a secret."""


def test_that_an_engine_is_begun_after_a_prompt_and_nothing_loaded_that_it_never_needs(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path, FileSecrets(tmp_path / "secrets.json"))
    library.add("powers", [Power("postgres", transport=Transport("uvx", (), {"DATABASE_URI": "kept"}))])
    library.close()
    program = (
        "import sys\nfrom app.surfaces.hook import prompt_hook\nfrom app.__main__ import main\n"
        "prompt_hook.start_engine = lambda profile: print('begun', file=sys.stderr)\nmain(sys.argv[1:])"
    )
    words = ["-X", "importtime", "-c", program, "hook", "--profile", str(tmp_path)]
    asked = subprocess.run(
        [sys.executable, *words],
        input=b'{"prompt": "how do I fix the build?"}',
        capture_output=True,
        env={**os.environ, "PYTHONPATH": ".", KEEP[1]: "", VARIABLE: "50000"},
        check=True,
    )
    assert b"begun" in asked.stderr
    loaded = {line.rpartition("|")[2].strip() for line in asked.stderr.decode().splitlines()}
    assert "app.surfaces.hook.context" in loaded
    assert loaded.isdisjoint(UNNEEDED)


@pytest.mark.parametrize(
    ("words", "environment", "file", "begins"),
    [
        ((), {}, "", True),
        (("--set", "min_score=0.1"), {}, "", False),
        ((), {"INTENTSCOPE_MIN_SCORE": "0.1"}, "", False),
        ((), {"INTENTSCOPE_SERVE_KEEP_ENGINE": "off"}, "", False),
        ((), {}, "[serve]\nkeep_engine = false\n", False),
    ],
)
def test_that_an_engine_is_begun_only_where_it_would_answer_as_the_hook(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    environment: dict[str, str],
    file: str,
    begins: bool,
) -> None:
    (tmp_path / "settings.toml").write_text(file)
    for name, value in {KEEP[1]: "", VARIABLE: "60000", **environment}.items():
        monkeypatch.setenv(name, value)
    begun: list[Path | None] = []
    monkeypatch.setattr(hook, "start_engine", begun.append)
    monkeypatch.setattr(budget, "process_age", lambda: 0.1)
    monkeypatch.setattr(hook, "leave", nullcontext)  # this process continues; without a query it opens no library
    with Path(os.devnull).open("w") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)  # an answer goes to its file descriptor
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"prompt": ""}')))
        assert main(["hook", "--profile", str(tmp_path), *words]) == OK
    assert begun == [tmp_path] * begins
