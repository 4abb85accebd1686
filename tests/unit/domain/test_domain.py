"""Tests of domain values: command lines, calibrations, fused rankings, merges, references, approvals."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.confidence import KNEE, SHIPPED_MEMORIES, SHIPPED_POWERS, Chance
from app.domain.datastore import Document, Hit, fused
from app.domain.journal import SUBJECTS, Step, about, choosing
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

TOLD = (
    ("npx -y @scope/server", CommandLine("npx", ("-y", "@scope/server"))),
    ("$ uvx it --flag", CommandLine("uvx", ("it", "--flag"))),
    ("A=1 B= docker run -e A img", CommandLine("docker", ("run", "-e", "A", "img"), {"A": "1", "B": ""})),
    ("python -c 'print(1); #x'", CommandLine("python", ("-c", "print(1); #x"))),
    (r"node C:\tools\x.js a", CommandLine("node", (r"C:\tools\x.js", "a"))),
    (r"C:\Program Files\nodejs\npx.cmd -y x", CommandLine(r"C:\Program Files\nodejs\npx.cmd", ("-y", "x"))),
    (r'"C:\Program Files\x.exe" -y', CommandLine(r"C:\Program Files\x.exe", ("-y",))),
    ("run a=1", CommandLine("run", ("a=1",))),
)


@pytest.mark.parametrize(("text", "found"), TOLD)
def test_that_a_line_is_taken_apart(text: str, found: CommandLine) -> None:
    assert parse_command_line(text) == found


@pytest.mark.parametrize("text", ["", "  ", "npx", " npx ", r"C:\Program Files\x.exe", "npx 'half", "A=1"])
def test_that_a_command_alone_or_half_a_line_stays(text: str) -> None:
    assert parse_command_line(text) is None


words = st.text(st.characters(codec="utf-8", exclude_characters="\\'\"", exclude_categories=("Z", "C")), min_size=1)


@given(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.lists(words, min_size=1, max_size=5))
def test_that_whatever_a_shell_was_given_comes_back(command: str, args: list[str]) -> None:
    assert parse_command_line(shlex.join([command, *args])) == CommandLine(command, tuple(args))


def test_the_summary_counts_arguments_and_variables() -> None:
    assert CommandLine("npx", ("-y",)).summary == "Taken apart: the command and 1 argument."
    assert CommandLine("npx", (), {"A": "1", "B": "2"}).summary.endswith("and 0 arguments, 2 variables.")


SCALES = st.builds(Chance, st.floats(1.0, 40.0), st.floats(-30.0, 10.0)) | st.builds(
    SHIPPED_MEMORIES.among, st.integers(0, 100_000)
)
UNIT = st.floats(0.0, 1.0)


@given(chance=SCALES, one=UNIT, other=UNIT)
def test_that_a_higher_confidence_is_never_right_less_often(chance: Chance, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= chance(low) <= chance(high) <= 1.0


@given(chance=SCALES)
def test_that_nothing_stays_nothing_and_word_for_word_is_sure(chance: Chance) -> None:
    assert (chance(0.0), chance(1.0)) == (0.0, 1.0)
    assert (chance(-0.5), chance(1.5)) == (0.0, 1.0)


def test_that_the_curve_is_the_logistic_one_up_to_the_knee_and_straight_from_there() -> None:
    chance = Chance(10.0, -5.0)
    assert chance(0.6) == pytest.approx(1.0 / (1.0 + math.exp(-1.0)))
    assert chance(0.95) == pytest.approx((chance(KNEE) + 1.0) / 2.0)


@given(slope=st.floats(1.0, 40.0), offset=st.floats(-30.0, 10.0))
def test_that_chances_of_the_logarithm_end_where_confidences_do(slope: float, offset: float) -> None:
    chance = Chance(slope, offset, of_logarithm=True)
    odds = math.exp(offset) * 0.5**slope
    assert chance(0.5) == pytest.approx(odds / (1.0 + odds))
    assert chance(1e-30) < 1e-20
    assert 0.0 <= chance(1e-300) <= chance(0.2) <= chance(0.95) <= 1.0


def test_that_a_faint_second_is_none() -> None:
    # A cosine of 0.1 is usual for two sentences about different things.
    assert SHIPPED_MEMORIES.among(2)(0.1) < 0.1


def test_that_among_more_answers_the_same_confidence_is_right_less_often() -> None:
    few, many = SHIPPED_POWERS.among(10), SHIPPED_POWERS.among(1_000)
    assert few(0.5) > many(0.5)
    assert few.crowd == 0.0
    assert few.is_shipped
    assert few.among(1_000) == few


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


@pytest.mark.parametrize("subject", sorted(SUBJECTS))
def test_that_the_sentence_of_a_step_holds_its_names(subject: str) -> None:
    values = {place: f"a {place} and the rest" for place in re.findall(r"\{(\w+)\}", subject)}
    assert step("did", about(subject, **values)).sentence == f"did {subject.format(**values)}"


def test_that_a_step_without_a_subject_tells_its_count() -> None:
    assert step("deleted", "", 1).sentence == "deleted 1 thing"
    assert step("deleted", "", 2_000).sentence == "deleted 2,000 things"


def test_that_settings_that_were_set_are_named_with_their_values() -> None:
    edit = choosing({"llm.model": "", "namespaces.a.confidence": "0.5 to 0.7 and more"})
    wanted = "set llm.model to empty and namespaces.a.confidence to 0.5 to 0.7 and more"
    assert step(edit.verb, edit.subject, 2).sentence == wanted


BASE = Memory(("a", "b"), "said", "label", tags=("x",), key=1, version=1)


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ({"intent": "i"}, {"response": "r"}, {"intent": "i", "response": "r"}),
        ({"intent": "i"}, {"intent": "i"}, {"intent": "i"}),
        ({"intent": "i"}, {"intent": "j"}, None),
        ({"tags": ("x", "m")}, {"tags": ("t",)}, {"tags": ("t", "m")}),
        ({"triggers": ("b",)}, {"triggers": ("a", "b", "c")}, {"triggers": ("b", "c")}),
        ({"triggers": ("a",)}, {"triggers": ("b",)}, None),
    ],
)
def test_that_both_are_in_it_unless_they_contradict(
    mine: dict[str, Any], theirs: dict[str, Any], both: dict[str, Any] | None
) -> None:
    found = merged(BASE, replace(BASE, **mine), replace(BASE, **theirs, version=2))
    assert found == (None if both is None else replace(BASE, **both))
    assert found is None or found.version == 2


texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True).map(tuple)
memories = st.builds(Memory, texts, st.sampled_from(["", "r"]), tags=texts)


@given(base=memories, other=memories)
def test_that_who_changed_nothing_takes_nothing_away(base: Memory, other: Memory) -> None:
    assert merged(base, base, other) == other
    assert merged(base, other, base) == other


STARTED = {
    "npx -y @modelcontextprotocol/server-slack": "slack",
    "npx -y @x/github-mcp": "github",
    "npx @playwright/mcp@latest": "playwright",
    "cmd /c npx": "",
    "npx.cmd -y mcp-server-sqlite": "sqlite",
    "mcp-server-time": "time",
    "/opt/venv/bin/mcp-server-time": "time",
    "uvx --from git+https://example.org/x/mcp-server-weather.git serve": "weather",
    "uvx mcp-server-fetch==1.2": "fetch",
    "python -m mcp_server_git --repository /home/me/secret": "git",
    "python3.12 /srv/weather/main.py": "weather",
    "docker run -i --rm -e TOKEN=abc -v /a:/b mcp/postgres postgresql://me:word@localhost/x": "postgres",
    "docker run -i --rm --env TOKEN ghcr.io/github/github-mcp-server:latest": "github",
    "node C:\\tools\\brave-search\\dist\\index.js": "brave search",
    "npx": "",
}
CALLED = {
    "https://mcp.linear.app/sse": "linear",
    "https://api.notion.com/mcp?token=abc": "notion",
    "http://127.0.0.1:8000/mcp": "",
    "http://localhost:8000/mcp": "",
    "http://[::1]/mcp": "",
    "http://[broken": "",
}


@pytest.mark.parametrize(("line", "words"), STARTED.items())
def test_that_packages_give_their_telling_words(line: str, words: str) -> None:
    command, *args = line.split(" ")
    power = Power("server", transport=Transport(command, tuple(args)))
    assert power.name_words == ((words,) if words else ())


@pytest.mark.parametrize(("url", "words"), CALLED.items())
def test_that_hosts_give_their_telling_words(url: str, words: str) -> None:
    assert Power("server", transport=Transport(url=url)).name_words == ((words,) if words else ())


def test_that_names_give_words_once_and_last() -> None:
    slack = Power("Slack-MCP-server", "Chat.", transport=Transport("npx", ("server-slack",)))
    assert slack.triggers == ("Slack-MCP-server", "Chat.", "slack")
    assert Power("time", transport=Transport("mcp-server-time")).triggers == ("time",)
    assert Power("server-slack").triggers == ("server-slack",), "without a server"


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
