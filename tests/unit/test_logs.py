"""Tests of log lines and traces: they contain nothing that a user typed."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import __main__ as front_door
from app.logs import LEAST_TEXT, PrivateFormatter, private_trace, without

QUERY = "my salary is 90000, how do I brew tea"


def raised(make: Callable[[], object]) -> Exception:
    try:
        make()
    except Exception as error:  # noqa: BLE001 - whatever it raises is what is tested
        return error
    raise AssertionError("nothing was raised")


def chained() -> None:
    try:
        int(QUERY)
    except ValueError as error:
        raise RuntimeError(f"asking {QUERY!r} failed") from error


def in_a_group() -> None:
    raise ExceptionGroup(QUERY, [raised(chained), KeyError(QUERY)])


def while_handling() -> None:
    try:
        chained()
    except RuntimeError:
        {}[QUERY]  # type: ignore[index]


def noted() -> None:
    error = ValueError(QUERY)
    error.add_note(QUERY)
    raise error


def of_the_system() -> None:
    Path("/nowhere", QUERY).read_bytes()


@pytest.mark.parametrize(
    ("make", "kinds"),
    [
        (chained, ["ValueError", "RuntimeError"]),
        (in_a_group, ["ExceptionGroup", "ValueError", "RuntimeError", "KeyError"]),
        (while_handling, ["ValueError", "RuntimeError", "KeyError"]),
        (noted, ["ValueError"]),
        (of_the_system, ["FileNotFoundError: No such file or directory"]),
    ],
)
def test_that_a_trace_names_kinds_and_places_and_no_messages(make: Callable[[], object], kinds: list[str]) -> None:
    told = private_trace(raised(make))
    assert "salary" not in told
    assert "test_logs.py" in told
    assert [told.count(kind) >= 1 for kind in kinds] == [True] * len(kinds)


def test_that_names_of_the_code_stay_in_a_trace() -> None:
    assert "has no attribute 'nonsense'" in private_trace(raised(lambda: object().nonsense))  # type: ignore[attr-defined]


def test_that_a_trace_ends_where_causes_lead_in_a_circle() -> None:
    one, two = ValueError(QUERY), KeyError(QUERY)
    one.__cause__, two.__cause__ = two, one
    assert private_trace(one).splitlines() == ["KeyError", "", "Then:", "", "ValueError"]


def logged(name: str, message: str, *arguments: object, error: BaseException | None = None) -> str:
    """Return the line of a record that another handler has formatted before."""
    record = logging.LogRecord(name, logging.WARNING, "/some/where.py", 12, message, arguments, None)
    if error is not None:
        record.exc_info = (type(error), error, error.__traceback__)
    before = logging.Formatter().format(record)
    line = PrivateFormatter().format(record)
    assert logging.Formatter().format(record) == before, "other handlers have it as it is"
    return line


@pytest.mark.parametrize("name", ["mcp.client.session", "asyncio", "py.warnings", "httpx", "application", "root"])
def test_that_what_libraries_say_is_kept_by_its_place_only(name: str) -> None:
    for line in (logged(name, QUERY), logged(name, "got %s", QUERY), logged(name, QUERY, error=raised(chained))):
        assert "salary" not in line
        assert f"WARNING {name}: line 12 of where" in line


@pytest.mark.parametrize("name", ["app.some", "db.schema", "qt", "app"])
def test_that_what_this_program_says_is_kept_without_messages_of_exceptions(name: str) -> None:
    line = logged(name, "%s failed", "Asking", error=raised(chained))
    assert f"WARNING {name}: Asking failed" in line
    assert "RuntimeError" in line
    assert "salary" not in line


def test_that_the_stderr_of_a_program_that_others_start_holds_no_messages_of_libraries() -> None:
    program = (
        "import asyncio, logging, warnings\nfrom app.logs import keep_private\nkeep_private()\n"
        "logging.getLogger('mcp.server').warning('Failed to validate %s', 'my salary')\n"
        "warnings.warn('my salary')\n"
        "async def fail(): raise ValueError('my salary')\n"
        "async def main():\n    task = asyncio.ensure_future(fail())\n    await asyncio.sleep(0)\n    del task\n"
        "    await asyncio.sleep(0)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "my" not in done.stderr.replace("<module>", "")
    for kept in ("mcp.server: line 4", "asyncio: ", "ValueError"):
        assert kept in done.stderr


@pytest.mark.parametrize(
    ("words", "is_private"),
    [(["serve"], True), (["engine"], True), (["gui"], True), (["--query", QUERY], True), (["undo"], False)],
)
def test_that_a_bug_is_told_without_its_message_where_stderr_is_a_log(
    words: list[str], is_private: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> int:
        raise RuntimeError(QUERY)

    monkeypatch.setattr(front_door, "_run", fails)
    monkeypatch.setattr(logging, "captureWarnings", lambda capture: None)
    with pytest.raises(SystemExit):
        front_door.main(words)
    told = capsys.readouterr().err
    assert "RuntimeError" in told
    assert ("salary" not in told) == is_private


@pytest.mark.parametrize(
    "said",
    [
        QUERY.upper(),
        f"ValueError: {QUERY!r}",
        "my%20salary%20is%2090000%2C%20how%20do%20I%20brew%20tea",
        json.dumps({"text": QUERY}),
    ],
)
def test_that_what_was_typed_is_hidden_in_any_form(said: str) -> None:
    assert "alary" not in without(f"before {said} after", [QUERY]).lower()


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=LEAST_TEXT, max_size=20).filter(
        lambda text: len(text.strip()) >= LEAST_TEXT
    )
)
def test_that_no_typed_text_is_left(typed: str) -> None:
    typed = typed.strip()
    forms = (typed, repr(typed), ascii(typed), json.dumps(typed), json.dumps(typed, ensure_ascii=False), quote(typed))
    for form in forms:
        assert without(f"<{form}>", [typed], "") in ("<>", "<''>", '<"">')


def test_that_short_texts_hide_nothing() -> None:
    assert without("a b", ["a", "", " b "]) == "a b"
