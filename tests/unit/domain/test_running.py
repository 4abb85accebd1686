"""Tests of the approval text: every character is visible, and different transports differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.library import Transport
from app.domain.running import MOST_STEERING, Launch, approval_text, shown, steers

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


def test_that_the_program_that_is_run_and_what_steers_it_come_first_with_a_warning() -> None:
    launch = Launch("/evil/npx", "/evil/real", {"PATH": "/evil:/bin", "NODE_OPTIONS": "--require /evil/x.js"})
    transport = Transport("npx", ("-y", "server"), {"PATH": "/evil:/bin", "NODE_OPTIONS": "x", "KEY": "hidden"})
    assert approval_text(transport, launch).split("\n") == [
        "runs /evil/npx, which is /evil/real",
        "WARNING: these values choose what is run or loaded, whatever the command says:",
        "  NODE_OPTIONS='--require /evil/x.js'",
        "  PATH=/evil:/bin",
        "npx -y server",
        "with KEY, NODE_OPTIONS, PATH",
    ]
    assert approval_text(Transport("/bin/x"), Launch("/bin/x", "/bin/x")) == "/bin/x"
    assert approval_text(Transport("x"), Launch("/bin/x", "/bin/x")) == "runs /bin/x\nx"
    assert approval_text(Transport("x"), Launch(fault="It is not there.")).startswith("runs nothing now")


def test_that_steering_values_are_bounded_and_tell_no_secret() -> None:
    many = {f"GIT_{number}": "v" * 9_000 for number in range(50)}
    secret = {"NPM_CONFIG__AUTHTOKEN": "hush", "PIP_INDEX_URL": "https://me:hush@example.org/"}
    text = approval_text(Transport("x"), Launch("x", "x", many))
    assert len(text) < 12_000
    assert f"and {50 - MOST_STEERING} more" in text
    assert "8,600 more characters" in text
    assert "hush" not in approval_text(Transport("x"), Launch("x", "x", secret))


@pytest.mark.parametrize("name", [
    "PATH", "Path", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONSTARTUP", "NODE_OPTIONS", "NODE_PATH",
    "BASH_ENV", "ENV", "PERL5LIB", "PERL5OPT", "PERL5DB", "RUBYOPT", "RUBYLIB", "GIT_SSH_COMMAND",
    "npm_config_registry",
    "UV_INDEX_URL", "JAVA_TOOL_OPTIONS", "BASH_FUNC_npx%%", "LUA_INIT", "GOFLAGS", "https_proxy", "HOME",
    "KUBECONFIG", "AWS_CONFIG_FILE", "CLOUDSDK_PYTHON", "OPENSSL_MODULES", "MAVEN_OPTS", "GOTOOLCHAIN", "PSModulePath",
    "PAGER", "LESSOPEN", "QT_PLUGIN_PATH", "GTK_MODULES",
])  # fmt: skip
def test_that_a_name_that_chooses_what_is_run_is_known(name: str) -> None:
    assert steers(name)


@pytest.mark.parametrize(
    "name",
    [
        "TOKEN",
        "API_KEY",
        "ZONE",
        "NODE_ENV",
        "GITHUB_TOKEN",
        "PATHS",
        "MY_PATH",
        "LANG",
        "AWS_REGION",
        "GOOGLE_API_KEY",
        "OPTS",
        "",
    ],
)
def test_that_other_names_are_not_warned_of(name: str) -> None:
    assert not steers(name)
