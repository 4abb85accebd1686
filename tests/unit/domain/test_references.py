"""Tests of references to the environment: recognised beside secrets, and resolved."""

from __future__ import annotations

import pytest

from app.domain.library import Transport
from app.domain.references import (
    OPEN_VALUE,
    is_example,
    is_own_name,
    is_reference,
    open_places,
    references_in,
    resolved,
)
from app.domain.running import Launch, approval_text

OWN = {"TOKEN": "t0k", "TEAM": "blue", "APPDATA": r"C:\Users\me", "api_key": "k", "EMPTY": ""}


@pytest.mark.parametrize(
    ("value", "means"),
    [
        ("$TOKEN", "t0k"),
        ("${TOKEN}", "t0k"),
        ("${env:TOKEN}", "t0k"),
        ("${env.TOKEN}", "t0k"),
        ("{env:TOKEN}", "t0k"),
        ("$env:TOKEN", "t0k"),
        ("%TOKEN%", "t0k"),
        ("$api_key", "k"),
        ("Bearer ${env:TOKEN}", "Bearer t0k"),
        ("Bearer $TOKEN", "Bearer t0k"),
        ("prefix-${TOKEN}-${TEAM}", "prefix-t0k-blue"),
        (r"%APPDATA%\npm", r"C:\Users\me\npm"),
        ("${NOWHERE:-fallback}", "fallback"),
        ("${EMPTY:-fallback}", "fallback"),
        ("${TOKEN:-fallback}", "t0k"),
    ],
)
def test_a_reference_is_no_secret_and_resolves(value: str, means: str) -> None:
    assert is_reference(value, "X")
    assert resolved(value, OWN) == means


@pytest.mark.parametrize(
    "value",
    ["", "plain", "pa$$word", "p$WORD9", "$ecret1", "k#$Q!x", "a%C3%A4b%C3%", "100%SURE%", "$5", "{TOKEN}", "$$TOKEN"],
)
def test_a_password_is_no_reference(value: str) -> None:
    assert not is_reference(value, "X")


@pytest.mark.parametrize(
    "value", ["$CAPS", "$HUNTER2", "$PASSPHRASEX", "$_CAPS", "$CAPS_", "$A1B2C3", "$MONKEY", "$STUPID", "$SUPPORT"]
)
def test_a_password_in_capitals_is_no_reference(value: str) -> None:
    assert not is_reference(value, "DB_PASSWORD")
    assert Transport("npx", env={"DB_PASSWORD": value}).named == {"DB_PASSWORD": ""}


USUAL = "$TOKEN $KEY $APIKEY $OPENAIKEY $GHTOKEN $PGUSER $PGPASSWORD $HOME $MY_CAPS ${CAPS} %CAPS% $CAPS/bin"
ALIKE = ("TWO=$TWO", "two=$TWO", "X-Two=$XTWO", "GITHUB_FOO=$FOO", "FOO=$MYFOO", "Authorization=Bearer $CAPS")


@pytest.mark.parametrize(
    ("name", "value"), [*(("A", value) for value in USUAL.split()), *(line.split("=") for line in ALIKE)]
)
def test_a_single_word_that_is_made_like_a_variable_is_a_reference(name: str, value: str) -> None:
    assert is_reference(value, name)


@pytest.mark.parametrize(
    "value",
    ["${input:token}", "${workspaceFolder}/.env", "${{ secrets.TOKEN }}", "{{USER_ID}}", "{file:~/.key}",
     "${command:x}", "${user_config.dir}", "${__dirname}/x"],
)  # fmt: skip
def test_a_place_to_be_filled_in_is_neither(value: str) -> None:
    assert not is_reference(value, "X")
    assert open_places(value, OPEN_VALUE)


@pytest.mark.parametrize(
    "value", ["<your-api-key>", "YOUR_API_KEY_HERE", "Bearer <token>", "sk-your-key", "xxxx", "..."]
)
def test_an_example_of_a_value_is_told(value: str) -> None:
    assert is_example(value)


@pytest.mark.parametrize("value", ["come-here", "replace-all", "put-object", "your", "Welcome to your app", "x", "a.b"])
def test_a_value_that_only_looks_like_an_example_stays(value: str) -> None:
    assert not is_example(value)


def test_arguments_keep_what_belongs_to_their_program() -> None:
    assert not open_places("{{json .}}")
    assert not open_places("${x%y}")
    assert not open_places("${1}")
    assert not references_in("{print $1}")


def test_a_name_that_stands_for_itself_is_told() -> None:
    assert is_own_name("${env:TOKEN}", "TOKEN")
    assert is_own_name("$token", "token")
    assert is_own_name("%A%", "A")
    assert not is_own_name("${OTHER}", "TOKEN")
    assert not is_own_name("${TOKEN:-x}", "TOKEN")


def test_what_is_not_set_is_named() -> None:
    with pytest.raises(KeyError, match="NOWHERE"):
        resolved("a ${NOWHERE}", OWN)


def test_a_reference_is_part_of_what_is_approved() -> None:
    """The approval shows the variable that a server gets; another variable is another transport."""
    one, other = (Transport("npx", env={"KEY": reference, "B": "secret"}) for reference in ("${KEY_A}", "${KEY_B}"))
    assert approval_text(one) == "npx\nwith B, KEY='${KEY_A}'"
    assert approval_text(one) != approval_text(other)


def test_a_secret_that_steers_by_reference_stays_hidden() -> None:
    transport = Transport("node", env={"NODE_OPTIONS": "${GITHUB_TOKEN}"})
    assert "ghp" not in approval_text(transport, Launch("/bin/node", "/bin/node", {"NODE_OPTIONS": "ghp_1"}))
