"""Tests of the spelling of a query."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.columns.bm25 import Frequencies, terms
from app.scoring.spelling import MOST_WORDS, Spelling

TAUGHT = (
    "how do i request vacation",
    "the printer jams",
    "Deploy to staging",
    "kubeconfigs of k8s",
    "dobule sided",
    "the order of jobs",
)
TOKENS = {"price", "vocation", "a"}


def lengths(texts: Sequence[str]) -> list[int]:
    return [3 if text in TOKENS else 4 for text in texts]


def spelling(*taught: str) -> Spelling:
    frequencies = Frequencies()
    for text in taught:
        frequencies.count(set(terms(text)), len(terms(text)), 1)
    return Spelling(frequencies, lengths)


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("vaction reqest", "vacation request"),
        ("Pritner, deplyo: stagin!", "printer, deploy: staging!"),
        ("vacaton", "vacation"),
        ("vcaton vactoin", "vcaton vactoin"),  # two slips are another word
        ("odrer oder", "order order"),
        ("vocation price", "vocation price"),
        ("kubeconfigs kubeconfig Deploys", "kubeconfigs kubeconfig Deploys"),
        ("dobule", "dobule"),
        ("eploy sprinter", "eploy sprinter"),  # the first letter counts as right
        ("https://vaction.example/stagin stagin.py deplyo_now @stagin dep1oy -deplyo", None),
        ("jms hwo jibs", "jms hwo jibs"),  # so short, another word
    ],
)
def test_that_unknown_words_become_the_nearest_taught_ones(text: str, corrected: str | None) -> None:
    assert spelling(*TAUGHT).corrected(text) == (text if corrected is None else corrected)


def test_that_a_taught_word_behind_a_prefix_is_no_slip() -> None:
    assert spelling("book a room", "reboot the pod").corrected("rebook rebood") == "rebook reboot"


@pytest.mark.parametrize("slip", ["vites", "viitest", "vietst", "vitesr", "vitast", "vitezt", "videst"])
def test_that_one_letter_for_quite_another_makes_another_name(slip: str) -> None:
    own = spelling("run vitest")
    assert (own.corrected(slip), own.corrected("vitess")) == ("vitest", "vitess")


def test_that_of_words_as_near_the_more_frequent_is_taken() -> None:
    assert spelling("the stages", "a staged release", "staged rollout").corrected("stagex") == "staged"


@given(st.lists(st.text(max_size=30), max_size=4), st.text(max_size=30))
def test_that_taught_texts_stay_and_corrected_ones_are_not_corrected_again(taught: list[str], text: str) -> None:
    own = spelling(*taught, *TAUGHT)
    assert [own.corrected(one) for one in (*taught, *TAUGHT)] == [*taught, *TAUGHT]
    once = own.corrected(text)
    assert own.corrected(once) == once


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
