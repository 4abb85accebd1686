"""Tests of texts: spelling, negated requests, and names by a few letters."""

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.columns.bm25 import Frequencies, terms
from app.scoring.cues import CUES, Cue
from app.scoring.name_filter import fuzzy_filter
from app.scoring.negation import FILLERS, NONE, negation_of
from app.scoring.spelling import MOST_WORDS, Spelling, without_courtesies
from app.scoring.text import stem, words

NAMES = (
    "Go to the query",
    "Teach the query as a memory",
    "Mark the selected answer right",
    "Mark the selected answer wrong",
    "Copy the inspection as Markdown",
    "Setting: Ambiguity margin",
    "Preset: As documented",
)


def test_that_letters_here_and_there_never_come_before_a_word_that_begins_so() -> None:
    names = ("List the matches by intent, or each memory again", "Setting: Theme", "Theme: dark")
    assert fuzzy_filter("theme", names, str)[:2] == ["Theme: dark", "Setting: Theme"]
    assert fuzzy_filter("the m", names, str)[0] == names[0]


def test_that_letters_strewn_over_a_name_find_nothing_and_no_letters_keep_all_in_order() -> None:
    assert fuzzy_filter("xyz", NAMES[3:4], str) == fuzzy_filter("aeee", NAMES[3:4], str) == []
    assert fuzzy_filter("  ", NAMES, str) == list(NAMES)


@given(st.text(max_size=200), st.text(max_size=60))
def test_that_any_text_can_be_sought_and_a_name_finds_itself(sought: str, name: str) -> None:
    assert fuzzy_filter(sought, [name], str) in ([], [name])
    assert fuzzy_filter(name, [name], str) == [name]


def test_that_another_word_is_found_by_its_beginning_and_never_hides_a_name_that_fits_better() -> None:
    others = {"Theme": ("Dark",), "Darken all": ()}
    assert fuzzy_filter("dark", others, str, others.__getitem__) == ["Darken all", "Theme"]
    assert fuzzy_filter("da", others, str, others.__getitem__) == ["Darken all"]
    assert fuzzy_filter("ark", others, str, others.__getitem__) == ["Darken all"]
    assert fuzzy_filter("theme", {"Theme": ("themes",)}, str, lambda _: ("themes",)) == ["Theme"]


TAUGHT = (
    "how do i request vacation",
    "the printer jams",
    "Deploy to staging",
    "kubeconfigs of k8s",
    "dobule sided",
    "the order of jobs",
    "when it ends",
)
TOKENS = {"price", "vocation", "a"}


def lengths(texts: Sequence[str]) -> list[int]:
    return [3 if text in TOKENS else 4 for text in texts]


def spelling(*taught: str) -> Spelling:
    frequencies = Frequencies()
    for text in taught:
        frequencies.count(set(terms(text)), len(terms(text)), 1)
    return Spelling(frequencies, lengths)


def test_that_forms_of_a_taught_word_and_contractions_are_no_slips_and_a_taught_name_is_no_greeting() -> None:
    assert spelling("it doesn't print a donut").corrected("doesnt pritn, dont order") == "doesnt print, dont order"
    assert spelling("start a clean build").corrected("a cleant bulid") == "a clean build"
    assert spelling("book a room", "reboot the pod").corrected("rebook rebood") == "rebook reboot"
    own = spelling("I scheduled a job", "Hello Kitty books", "hello", "a password")
    assert own.corrected("schedule it, i schedulde a passwor") == "schedule it, i scheduled a password"
    assert own.corrected("Hello Kitty, where are they kept") == "Hello Kitty, where are they kept"
    assert own.corrected("Hello Peter, my job") == own.corrected("Hello, my job") == "my job"


@pytest.mark.parametrize("slip", ["vites", "viitest", "vietst", "vitesr", "vitast", "vitezt", "videst"])
def test_that_one_letter_for_quite_another_makes_another_name(slip: str) -> None:
    own = spelling("run vitest")
    assert (own.corrected(slip), own.corrected("vitess")) == ("vitest", "vitess")


def test_that_of_words_as_near_the_more_frequent_is_taken_and_a_plural_is_read_as_its_singular() -> None:
    assert spelling("shutters", "matches").corrected("the shuters, my vocations") == "the shutters, my vocations"
    assert spelling("the stages", "a staged release", "staged rollout").corrected("stagex") == "staged"


def test_that_the_first_unknown_words_are_corrected_whatever_was_asked_before() -> None:
    own, text = spelling(*TAUGHT), " ".join(f"{chr(97 + n // 26)}x{chr(97 + n % 26)}x" for n in range(MOST_WORDS))
    for _ in range(3):
        assert own.corrected(f"{text} pritner") == f"{text} pritner"
        assert own.corrected(f"pritner {text}") == f"printer {text}"


def test_that_a_long_query_takes_no_longer_than_its_first_unknown_words() -> None:
    own = spelling(*(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(5_000)))

    def seconds(text: str) -> float:
        began = time.thread_time()
        own.corrected(text)
        return time.thread_time() - began

    usual = seconds(" ".join("wards" + chr(97 + n) * 3 for n in range(MOST_WORDS)))
    long = " ".join("wordz" + chr(97 + n % 26) * 3 for n in range(5 * MOST_WORDS))
    for text in (long, *(piece * 400 for piece in ("a", "a.", "aaaa-", "#a", "ß", "a b "))):
        assert seconds(text) < 10 * usual


@pytest.mark.parametrize("query", Path(__file__).with_name("courtesies.txt").read_text("utf-8").splitlines())
def test_that_courtesies_around_a_request_are_not_read(query: str) -> None:
    assert without_courtesies(query.replace("|", "")) == query.split("|")[1]


def negations(*, negated: bool) -> list[tuple[str, tuple[str, ...]]]:
    """Read queries, each with triggers of an answer that it negates, or does not."""
    lines = Path(__file__).with_name("negations.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["negated"] is negated]
    return [(row["query"], tuple(row["triggers"])) for row in rows]


@pytest.mark.parametrize(("query", "triggers"), negations(negated=True))
def test_that_a_query_negates_what_it_does_not_ask_for(query: str, triggers: tuple[str, ...]) -> None:
    assert negation_of(query).opposed(triggers)


@pytest.mark.parametrize(("query", "triggers"), negations(negated=False))
def test_that_other_negations_speak_against_nothing(query: str, triggers: tuple[str, ...]) -> None:
    assert not negation_of(query).opposed(triggers)


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.example)
def test_that_every_cue_refuses_what_its_example_says(cue: Cue) -> None:
    query, said = re.sub(r"[][]", "", cue.example), " ".join(re.findall(r"\[(.*?)\]", cue.example))
    (denied,) = negation_of(query).denied
    assert (denied.kind, denied.stems) == (cue.kind, frozenset(stem(one) for one in words(said) if one not in FILLERS))


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.form)
def test_that_every_cue_is_read_to_its_end(cue: Cue) -> None:
    """A form that repeats itself in two ways would not come to its end here."""
    for part in (cue.example, *re.split(r"[(|)]", cue.form)):
        negation_of(f"not {part} " * 50)


@pytest.mark.parametrize("said", Path(__file__).with_name("refusing.txt").read_text("utf-8").splitlines())
def test_that_an_action_is_refused_after_a_time_or_greeting_and_with_typos(said: str) -> None:
    negation = negation_of(f"{said} cancle my order")
    assert [negation.is_known(part, ()) for part in negation.refused] == [True]


@pytest.mark.parametrize("said", ["whatever you do", "cancel that", "until monday", "ok"])
def test_that_leading_words_before_a_comma_ask_for_nothing(said: str) -> None:
    negation = negation_of(f"{said}, don't cancel my order")
    assert negation.refused
    assert not negation.others


@pytest.mark.parametrize("query", Path(__file__).with_name("reports.txt").read_text("utf-8").splitlines())
def test_that_reports_and_questions_refuse_nothing(query: str) -> None:
    assert not negation_of(query).refused


LEADS = [f"{lead} " * 60 + "not" for lead in ("please in", "at the", "in", "no one in", "please")]


@pytest.mark.parametrize("query", [*LEADS, "where is my order", "is it not possible to pay", "I won't make it on time"])
def test_that_most_queries_negate_nothing_and_are_read_to_their_end(query: str) -> None:
    assert negation_of(query) is NONE
