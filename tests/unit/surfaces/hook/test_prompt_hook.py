"""The prompt hook's answer is given once, and its budget is known before the settings are."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from app.__main__ import main
from app.adapters.local.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.domain.library import Power, Transport
from app.settings.layers import environment_name
from app.settings.model import Settings, described
from app.surfaces.hook import prompt_hook as hook
from app.surfaces.hook.budget import DEFAULT_MS, KEY, MOST_CONTEXT, OK, VARIABLE, Answer, answer_with, early_ms
from app.surfaces.hook.context import PromptError, prompt_of
from app.surfaces.hook.engine_client import MOST_INPUT_BYTES
from app.surfaces.hook.prompt_hook import KEEP


def test_that_the_budget_before_the_settings_are_read_is_that_of_the_settings() -> None:
    assert Settings().serve.hook_budget_ms == DEFAULT_MS
    assert KEY in described()
    assert environment_name(KEY) == VARIABLE


@pytest.mark.parametrize(
    ("pairs", "environment", "ms"),
    [
        ((), {}, DEFAULT_MS),
        ((f"{KEY}=1500",), {}, 1500),
        ((f"{KEY}=1500", f"{KEY}=3000"), {}, 3000),
        ((f"{KEY}=1500",), {VARIABLE: "4000"}, 1500),
        (("a=b", "nonsense"), {VARIABLE: "4000"}, 4000),
        ((f"{KEY}=soon",), {}, DEFAULT_MS),
        ((f"{KEY}=-1",), {}, DEFAULT_MS),
        ((f"{KEY}=999999999",), {}, DEFAULT_MS),
    ],
)
def test_that_the_budget_is_read_off_the_command_line_and_the_environment(
    pairs: tuple[str, ...], environment: dict[str, str], ms: float
) -> None:
    assert early_ms(pairs, environment) == ms


def test_that_an_answer_is_given_once(capfd: pytest.CaptureFixture[str]) -> None:
    answer = Answer("first")
    answer.give()
    answer.context = "second"
    answer.give()
    assert capfd.readouterr().out == answer_with("first")


def test_that_a_context_is_bounded() -> None:
    said = json.loads(answer_with("x" * 10 * MOST_CONTEXT))
    assert len(said["hookSpecificOutput"]["additionalContext"]) == MOST_CONTEXT


@pytest.mark.parametrize("given", [b"", b"x", b"[]", b"{}", b'{"prompt": 1}', b"[" * 100_000, b"\xff"])
def test_that_what_is_no_prompt_is_refused(given: bytes) -> None:
    with pytest.raises(PromptError):
        prompt_of(io.BytesIO(given))


def test_that_an_input_is_not_read_without_end() -> None:
    endless = io.BytesIO(b'{"prompt": "' + b"x" * 2 * MOST_INPUT_BYTES)
    with pytest.raises(PromptError):
        prompt_of(endless)
    assert endless.tell() == MOST_INPUT_BYTES
    assert prompt_of(io.BytesIO(b'{"prompt": "x", "cwd": "/"}')) == "x"


UNNEEDED = ("keyring", "app.adapters.formats.table", "app.display.scope.text", "mcp", "httpx")
"""What a prompt never needs and takes long to load; the library of the test has a secret."""


def test_that_an_engine_is_begun_after_a_prompt_and_nothing_loaded_that_it_never_needs(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path, FileSecrets(tmp_path / "secrets.json"))
    library.add_powers([Power("postgres", transport=Transport("uvx", (), {"DATABASE_URI": "kept"}))])
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
    monkeypatch.setattr(hook, "leave", nullcontext)  # this process goes on; asked nothing, it opens no library
    with Path(os.devnull).open("w") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)  # an answer goes to its file descriptor
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"prompt": ""}')))
        assert main(["hook", "--profile", str(tmp_path), *words]) == OK
    assert begun == [tmp_path] * begins
