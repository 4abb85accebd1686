"""A sentence is said in the reader's language where that knows it, and else as it is written."""

from __future__ import annotations

from app.domain.language import Catalogue, say, say_n
from tests.speaking import speaking

POLISH = Catalogue(
    "pl",
    {
        "Scope": ("Zakres",),
        "{n} rules in {place}": ("{n} reguła: {place}", "{n} reguły: {place}", "{n} reguł: {place}"),
    },
    lambda n: 0 if n == 1 else 1 if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14 else 2,
)


def test_that_english_is_said_as_it_is_written() -> None:
    assert say("Scope {a}") == "Scope {a}"
    assert say("Scope {a}", a="{b}") == "Scope {b}"
    assert [say_n(n, "{n} rule", "{n} rules") for n in (1, 2, 2000)] == ["1 rule", "2 rules", "2,000 rules"]


def test_that_a_translation_has_as_many_forms_as_its_language() -> None:
    with speaking(POLISH):
        said = [say_n(n, "{n} rule in {place}", "{n} rules in {place}", place="x") for n in (1, 2, 5, 22)]
        assert said == ["1 reguła: x", "2 reguły: x", "5 reguł: x", "22 reguły: x"]
        assert say("Scope") == "Zakres"


def test_that_a_translation_with_places_that_are_none_is_said_in_english() -> None:
    for wrong in ("{place", "{elsewhere}", "{0}", "{place.x}", "}"):
        with speaking(Catalogue("xx", {"At {place}": (wrong,), "{n} at {place}": (wrong,)})):
            assert say("At {place}", place="{x}") == "At {x}"
            assert [say_n(n, "One at {place}", "{n} at {place}", place="x") for n in (1, 2)] == ["One at x", "2 at x"]


def test_that_what_nobody_translated_stays_english() -> None:
    with speaking(POLISH):
        assert say("Powers") == "Powers"
        assert [say_n(n, "{n} power", "{n} powers") for n in (1, 2)] == ["1 power", "2 powers"]
