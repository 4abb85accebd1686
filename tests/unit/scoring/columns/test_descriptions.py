"""Tests of descriptions: mean cosine of several paragraphs, else the nearest trigger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.domain.library import Answer, Memory, Power
from app.domain.scope.fits import Learned, Logit
from app.scoring.columns.column import Floats, Places, Singles
from app.scoring.columns.semantic import SemanticColumn, exact_products
from app.scoring.index.ranking import rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.learned.defaults import described
from app.scoring.learned.fit import LabelledBatch, View
from app.scoring.learned.library import taught_of
from app.scoring.learned.logit import fitted
from app.scoring.learned.regression import letters_of_each
from app.scoring.learned.taught import NONE
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.build import some
from tests.unit.scoring.learned.test_logit import USUAL, questions
from tests.unit.scoring.vectors import DIMENSION, vector_of, vectors_of

PARTS = ("open my mail", "the last invoice")
POWERS = [
    Power("mail", description="\n\n".join(PARTS), keywords=("letters",), key=1),
    Power("post", description=PARTS[0], keywords=("the last invoice",), key=2),
    Power("bare", key=3),
]
ASKED = "the last letters"


def _index() -> TriggerIndex:
    index = TriggerIndex(DIMENSION)
    index.put([Memory(PARTS, key=1), *POWERS])
    texts = index.unembedded()
    index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
    return index


def _other(powers: Sequence[Power]) -> Power:
    return replace(powers[0], description="opens doors\n\ncloses doors")


def _expected() -> list[float]:
    """Return the expected score of each power, in their order."""
    cosines = {text: float(vector_of(text) @ vector_of(ASKED)) for power in POWERS for text in power.triggers}
    whole = sum(cosines[part] for part in PARTS) / len(PARTS)
    found = [whole, *(max(cosines[text] for text in power.triggers) for power in POWERS[1:])]
    return [min(max(one, 0.0), 1.0) for one in found]


def test_that_paragraphs_score_by_their_mean_and_a_power_of_one_as_its_nearest_trigger() -> None:
    index = _index()
    scores = index.score(ScoredText(ASKED, vector_of(ASKED))).by_slot["description"]
    assert np.isnan(scores[0]), "a memory has no description"
    assert scores[1:].tolist() == pytest.approx(_expected(), abs=1e-6)


def test_that_a_power_that_is_changed_scores_by_its_new_description() -> None:
    index = _index()
    index.score(ScoredText(ASKED, vector_of(ASKED)))
    index.put([Power("mail", description=ASKED, key=1)])
    texts = index.unembedded()
    index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
    scores = index.score(ScoredText(ASKED, vector_of(ASKED))).by_slot["description"]
    assert np.nanmax(scores) == pytest.approx(1.0)


def test_that_a_power_scores_by_its_nearest_trigger_until_enough_paragraphs_have_their_vectors_again() -> None:
    index = _index()
    asked = ScoredText(ASKED, vector_of(ASKED))
    whole = index.score(asked).by_slot["description"][1]
    index.forget_vectors()
    index.embed({PARTS[0]: vector_of(PARTS[0])})
    part = index.score(asked).by_slot
    assert part["description"][1] == part["semantic"][1]
    assert np.isnan(part["description"][3])
    index.embed({PARTS[1]: vector_of(PARTS[1])})
    assert index.score(asked).by_slot["description"][1] == pytest.approx(whole)
    index.put([replace(POWERS[0], description=PARTS[0])])
    index.embed({PARTS[0]: vector_of(PARTS[0])})
    lone = index.score(asked)
    assert np.array_equal(lone.by_slot["description"][1:], lone.by_slot["semantic"][1:], equal_nan=True)


def test_that_keys_and_edits_work_out_no_mean_but_those_of_powers_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded, multiplied = list[int](), list[int]()
    embed = SemanticColumn.embed

    def counted_embed(column: SemanticColumn, rows: Sequence[int], vectors: Singles) -> None:
        embedded.append(len(rows))
        embed(column, rows, vectors)

    def counted_products(vectors: Singles, rows: Places, vector: Singles) -> Floats:
        multiplied.append(len(rows))
        return exact_products(vectors, rows, vector)

    many, memories, nothing = 400, 100, list[Answer]()
    weights = Learned(powers=Logit(none=6.1, semantic=7.6, description=8.0, bm25=9.6))
    settings = Settings(combination="learned").with_learned(weights)
    index = TriggerIndex(DIMENSION)
    powers = [Power(f"p{at}", description=f"opens letter {at}\n\nsends letter {at}", key=at) for at in range(1, many)]
    index.put([*powers, *(Memory((f"memory {at}",), key=at) for at in range(memories))])
    for changed in (nothing, [Memory(("another",), key=1)], [_other(powers)]):
        index.put(changed)
        texts = index.unembedded()
        index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
        index.score(ScoredText(ASKED, vector_of(ASKED)))
        monkeypatch.setattr(SemanticColumn, "embed", counted_embed)
    assert embedded == [1, 3, 1], "a memory's one vector; a power's three, and its mean"
    monkeypatch.setattr("app.scoring.columns.semantic.exact_products", counted_products)
    for length in range(1, len(ASKED)):
        query = ScoredText(ASKED[:length], vector_of(ASKED[:length]))
        scores = index.score(query)
        multiplied.clear()
        rank(scores, settings, 10)
        assert sum(multiplied) < many, "who only types has the exact products of the few that may lead"
    assert len(embedded) == 3


def test_that_a_fit_reads_the_scores_that_an_answer_has() -> None:
    index = _index()
    taught = some(taught_of(index, index.layout(), power=True, between=lambda: None))
    view = View(taught, np.arange(len(taught.texts)), None, np.zeros(DIMENSION, np.float32), lambda: None)
    vectors = vector_of(ASKED)[None]
    asked = LabelledBatch(np.array([NONE]), [ASKED], vectors, vectors, letters_of_each([ASKED]))
    found = view.questions(asked, described(2, has_paragraphs=True), lambda: None).candidates[0, :, 2]
    assert sorted(found.tolist()) == pytest.approx(sorted(_expected()), abs=1e-6)


def test_that_a_fit_gives_no_weight_to_what_ships_with_none() -> None:
    moved = fitted(questions(50), USUAL)
    assert moved.description != USUAL.description
    without = replace(USUAL, description=0.0)
    assert fitted(questions(50), without).description == 0.0
