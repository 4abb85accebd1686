"""What a person says yes to: every sign to be seen, and no two transports with one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.approval import approval_text
from app.domain.library import Transport
from app.domain.running import shown

WORDS = st.text(max_size=6) | st.sampled_from(
    ["a b", "a' 'b", "\\x1b", "\x1b", "\u202e", "$'x'", "'", "\\", "", "é", "a\nwith B"]
)
TRANSPORTS = st.builds(
    Transport, WORDS, st.lists(WORDS, max_size=3).map(tuple), st.dictionaries(WORDS, st.just(""), max_size=2)
)


@pytest.mark.parametrize(
    ("transport", "text"),
    [
        (Transport("npx", ("-y", "@scope/server", "--root=/srv")), "npx -y @scope/server --root=/srv"),
        (Transport("a b", ("it's", "")), r"'a b' $'it\'s' ''"),
        (Transport("x", ("\x1b[2J\u202e",), {"B": "1", "A": "2"}), "x $'\\x1b[2J\\u202e'\nwith A, B"),
        (Transport(url="https://example.org/mcp?a=1"), "'https://example.org/mcp?a=1'"),
        (Transport(url="https://example.org/mcp"), "https://example.org/mcp"),
        (Transport(url="https://h.org", env={"X-B": "", "A": "1"}), "https://h.org\nwith the headers A, X-B"),
        (Transport(), ""),
    ],
)
def test_that_a_transport_reads_as_it_would_be_typed(transport: Transport, text: str) -> None:
    assert approval_text(transport) == text


@given(TRANSPORTS, TRANSPORTS)
def test_that_two_transports_have_two_texts(one: Transport, other: Transport) -> None:
    same = (one.command, one.args, set(one.env)) == (other.command, other.args, set(other.env))
    if one.command and other.command:
        assert (approval_text(one) == approval_text(other)) == same


@given(TRANSPORTS)
def test_that_every_sign_can_be_seen(transport: Transport) -> None:
    assert approval_text(transport).replace("\n", "", 1).isprintable()


def test_that_what_is_shown_is_one_bounded_line_without_signs_that_steer() -> None:
    assert shown("a\x1b[2J\n\u202eb  c") == "a [2J b c"
    assert shown("x" * 500) == "x" * 299 + "…"
    assert shown("short", 5) == "short"
