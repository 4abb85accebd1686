"""Tests of domain values: command lines, calibrations, fused rankings, merges, references, approvals."""

import json
import math
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.confidence import SHIPPED_MEMORIES, Chance
from app.domain.datastore import Document, Hit, fused
from app.domain.journal import Step, choosing
from app.domain.library import Memory, Power, Transport, merged
from app.domain.references import (
    OPEN_VALUE,
    is_example,
    is_own_name,
    is_reference,
    open_places,
    references_in,
    resolved,
)
from app.domain.running import MOST_STEERING, CommandLine, Launch, approval_text, parse_command_line, shown, steers
from tests.golden import answered, line

words = st.text(st.characters(codec="utf-8", exclude_characters="\\'\"", exclude_categories=("Z", "C")), min_size=1)


@given(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.lists(words, min_size=1, max_size=5))
def test_that_whatever_a_shell_was_given_comes_back(command: str, args: list[str]) -> None:
    assert parse_command_line(shlex.join([command, *args])) == CommandLine(command, tuple(args))


SCALES = st.builds(Chance, st.floats(1.0, 40.0), st.floats(-30.0, 10.0)) | st.builds(
    SHIPPED_MEMORIES.among, st.integers(0, 100_000)
)
UNIT = st.floats(0.0, 1.0)


@given(chance=SCALES, one=UNIT, other=UNIT)
def test_that_a_higher_confidence_is_never_right_less_often(chance: Chance, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= chance(low) <= chance(high) <= 1.0


def test_that_a_faint_second_is_none() -> None:
    # A cosine of 0.1 is usual for two sentences about different things.
    assert SHIPPED_MEMORIES.among(2)(0.1) < 0.1


def test_that_a_scale_without_a_crowd_takes_no_notice_of_it() -> None:
    fitted = Chance(9.0, -4.0, asked=80, ece=0.02)
    assert fitted.among(1_000) is fitted
    assert not fitted.is_shipped


@pytest.mark.parametrize(
    ("slope", "offset"), [(0.0, 1.0), (-1.0, 1.0), (math.nan, 1.0), (math.inf, 0.0), (1.0, math.nan)]
)
def test_that_a_scale_that_does_not_rise_is_refused(slope: float, offset: float) -> None:
    with pytest.raises(ValueError, match="a scale rises"):
        Chance(slope, offset)


ONE = Document("memory:a", "a", ("text",), {"kind": ("memory",), "tag": ("x", "y")}, "body", "2025", "2026")


def test_that_each_value_but_the_kind_is_a_link() -> None:
    assert ONE.links == (("tag", "tag:x"), ("tag", "tag:y"))


def test_that_what_several_rankings_have_high_comes_first() -> None:
    assert [each for each, _ in fused([["a", "b", "c"], ["b", "d"]])] == ["b", "a", "d", "c"]
    assert fused([["a"], ["a", "a"]]) == [("a", 1.0)]
    assert fused([["a"], []]) == [("a", 0.5)]
    assert fused([]) == []
    assert all(0.0 < score <= 1.0 for _, score in fused([["a", "b"], ["c"], ["b", "a"]]))


def test_that_a_hit_is_no_nearer_than_near() -> None:
    with pytest.raises(ValueError, match="confidence"):
        Hit("a", "a", 1.5)


def step(verb: str, subject: str, count: int = 3) -> Step:
    return Step(1, "2026-11-20 10:00:00", verb, subject, count, "window")


def test_that_settings_that_were_set_are_named_with_their_values() -> None:
    edit = choosing({"llm.model": "", "namespaces.a.confidence": "0.5 to 0.7 and more"})
    wanted = "set llm.model to empty and namespaces.a.confidence to 0.5 to 0.7 and more"
    assert step(edit.verb, edit.subject, 2).sentence == wanted


BASE = Memory(("a", "b"), "said", "label", tags=("x",), key=1, version=1)


texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True).map(tuple)
memories = st.builds(Memory, texts, st.sampled_from(["", "r"]), tags=texts)


@given(base=memories, other=memories)
def test_that_who_changed_nothing_takes_nothing_away(base: Memory, other: Memory) -> None:
    assert merged(base, base, other) == other
    assert merged(base, other, base) == other


OWN = {"TOKEN": "t0k", "TEAM": "blue", "APPDATA": r"C:\Users\me", "api_key": "k", "EMPTY": ""}


def test_a_reference_is_part_of_what_is_approved() -> None:
    """The approval shows the variable that a server gets; another variable is another transport."""
    one, other = (Transport("npx", env={"KEY": reference, "B": "secret"}) for reference in ("${KEY_A}", "${KEY_B}"))
    assert approval_text(one) == "npx\nwith B, KEY='${KEY_A}'"
    assert approval_text(one) != approval_text(other)


def test_a_secret_that_steers_by_reference_stays_hidden() -> None:
    transport = Transport("node", env={"NODE_OPTIONS": "${GITHUB_TOKEN}"})
    assert "ghp" not in approval_text(transport, Launch("/bin/node", "/bin/node", {"NODE_OPTIONS": "ghp_1"}))


WORDS = st.text(max_size=6) | st.sampled_from(
    ["a b", "a' 'b", "\\x1b", "\x1b", "\u202e", "$'x'", "'", "\\", "", "é", "a\nwith B"]
)
TRANSPORTS = st.builds(
    Transport, WORDS, st.lists(WORDS, max_size=3).map(tuple), st.dictionaries(WORDS, st.just(""), max_size=2)
)


@given(TRANSPORTS, TRANSPORTS)
def test_that_two_transports_have_two_texts(one: Transport, other: Transport) -> None:
    same = (one.command, one.args, set(one.env)) == (other.command, other.args, set(other.env))
    if one.command and other.command:
        assert (approval_text(one) == approval_text(other)) == same


@given(TRANSPORTS)
def test_that_every_sign_can_be_seen(transport: Transport) -> None:
    assert approval_text(transport).replace("\n", "", 1).isprintable()


def test_that_steering_values_are_bounded_and_tell_no_secret() -> None:
    many = {f"GIT_{number}": "v" * 9_000 for number in range(50)}
    secret = {"NPM_CONFIG__AUTHTOKEN": "hush", "PIP_INDEX_URL": "https://me:hush@example.org/"}
    text = approval_text(Transport("x"), Launch("x", "x", many))
    assert len(text) < 12_000
    assert f"and {50 - MOST_STEERING} more" in text
    assert "8,600 more characters" in text
    assert "hush" not in approval_text(Transport("x"), Launch("x", "x", secret))


GOLDEN = Path(__file__).with_name("domain.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""
OWN_NAMES = ("TOKEN", "token", "A")
STEERED = Transport("npx", ("-y", "server"), {"PATH": "/evil:/bin", "NODE_OPTIONS": "x", "KEY": "hidden"})
LAUNCHED = (
    (STEERED, Launch("/evil/npx", "/evil/real", {"PATH": "/evil:/bin", "NODE_OPTIONS": "--require /evil/x.js"})),
    (Transport("/bin/x"), Launch("/bin/x", "/bin/x")),
    (Transport("x"), Launch("/bin/x", "/bin/x")),
    (Transport("x"), Launch(fault="It is not there.")),
)


def value_line(value: str) -> str:
    """Return what a value means as a reference, or the places in it that a person fills in."""
    if is_reference(value, "X"):
        return f"= {resolved(value, OWN)}"
    return f"fill in {line(open_places(value, OPEN_VALUE))}"


def words_of(command_line: str) -> tuple[str, ...]:
    command, *args = command_line.split(" ")
    return Power("server", transport=Transport(command, tuple(args))).name_words


def in_capitals(value: str) -> tuple[object, ...]:
    """Return whether a password is a reference, and its shown value."""
    return is_reference(value, "DB_PASSWORD"), Transport("npx", env={"DB_PASSWORD": value}).named


def approval(transport: str) -> str:
    return repr(approval_text(Transport(**{name: as_tuple(value) for name, value in json.loads(transport).items()})))


def as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def merge(edits: str) -> Memory | None:
    mine, theirs = ({name: as_tuple(value) for name, value in edit.items()} for edit in json.loads(edits))
    return merged(BASE, replace(BASE, **mine), replace(BASE, **theirs, version=2))


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "command lines": parse_command_line,
    "words of packages": words_of,
    "words of hosts": lambda url: [Power("server", transport=Transport(url=url)).name_words],
    "values": value_line,
    "passwords": lambda value: is_reference(value, "X"),
    "passwords in capitals": in_capitals,
    "words like variables": lambda text: is_reference(*text.split("=")[::-1]),
    "examples": is_example,
    "names that stand for themselves": lambda value: [[one for one in OWN_NAMES if is_own_name(value, one)]],
    "arguments to fill in": lambda value: [open_places(value), references_in(value)],
    "shown": lambda text: [shown(text), shown(text, 5)],
    "names that steer": steers,
    "merges": merge,
    "approvals": approval,
}


def read() -> str:
    return answered(GOLDEN, FUNCTIONS)


def test_that_commands_references_and_approvals_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_the_program_that_is_run_and_what_steers_it_come_first_with_a_warning() -> None:
    assert [approval_text(*one).split("\n") for one in LAUNCHED] == [
        [
            "runs /evil/npx, which is /evil/real",
            "WARNING: these values choose what is run or loaded, whatever the command says:",
            "  NODE_OPTIONS='--require /evil/x.js'",
            "  PATH=/evil:/bin",
            "npx -y server",
            "with KEY, NODE_OPTIONS, PATH",
        ],
        ["/bin/x"],
        ["runs /bin/x", "x"],
        ["runs nothing now: this program is not found, and you are asked again once it is", "x"],
    ]


def test_that_names_give_words_once_and_last() -> None:
    slack = Power("Slack-MCP-server", "Chat.", transport=Transport("npx", ("server-slack",)))
    assert slack.triggers == ("Slack-MCP-server", "Chat.", "slack")
    assert Power("time", transport=Transport("mcp-server-time")).triggers == ("time",)
    assert Power("server-slack").triggers == ("server-slack",), "without a server"


def test_the_summary_counts_arguments_and_variables() -> None:
    assert CommandLine("npx", ("-y",)).summary == "Taken apart: the command and 1 argument."
    assert CommandLine("npx", (), {"A": "1", "B": "2"}).summary.endswith("and 0 arguments, 2 variables.")
