"""Tests of leave-one-word-out: importance equals the engine's result without the word."""

from __future__ import annotations

import pytest

from app.detect.merge import MERGERS
from app.display.scope.matches.contributions import flip_sentences, word_lines, word_rows, words_document
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import Memory
from app.domain.scope.inspection import LlmNeeded
from app.services.scope.word_importance import MOST_WORDS, llm_needed
from app.settings.sections import SearchIntentSettings
from tests.unit.services.benches import desk

QUERY = "how do I create a branch, please?"
SURE = SearchIntent(IntentType.HOWTO, 0.55, DetectionSource.KEYWORD)


async def test_that_each_word_counts_for_what_the_engine_says_without_it() -> None:
    async with desk() as bench:
        for text, name in (("create a branch", "branch"), ("drink a cup of coffee", "coffee")):
            await bench.curator.teach(Memory((text,), id=name))
        await bench.ready()
        asked = await bench.settle(QUERY)
        found = await bench.ablate_words(asked)
        assert [word.word for word in found.words] == QUERY.split()
        assert all(QUERY[slice(*word.span)] == word.word for word in found.words)
        for place, word in enumerate(found.words):
            words = QUERY.split()
            del words[place]
            alone = await bench.settle(" ".join(words))
            own = next(match for match in alone.matches if match.answer.name == "branch")
            assert word.found.confidence == own.confidence
            assert word.found.scores == own.scores
            assert word.found.type is (None if alone.intent is None else alone.intent.type)
        assert found.name == "branch"
        assert found.whole.scores["semantic"] != found.words[5].found.scores["semantic"]
        assert len(word_rows(found)) == len(found.words)
        assert word_lines(found)[0] == "Where the words count, for branch:"
        assert words_document(found)["without"][5]["word"] == "branch,"


async def test_that_the_smallest_set_of_words_turns_the_type_and_none_of_it_is_needless() -> None:
    async with desk() as bench:
        await bench.choose("search_intent.learned", "false")
        found = await bench.ablate_words(await bench.settle("fix or compare it"))
        assert found.type_flip is not None
        for text in ("fix or compare it",):
            left = " ".join(word for word in text.split() if word not in found.type_flip.without)
            alone = await bench.settle(left)
            now = "" if alone.intent is None else alone.intent.type.value
            assert now == found.type_flip.becomes
        assert any("Without “" in sentence for sentence in flip_sentences(found))


async def test_that_a_long_query_is_left_out_of_so_far_and_says_so_and_that_nothing_asked_counts_for_nothing() -> None:
    async with desk() as bench:
        found = await bench.ablate_words(await bench.settle("word " * (MOST_WORDS + 2)))
        assert (len(found.words), found.left) == (MOST_WORDS, 2)
        assert flip_sentences(found)[-1] == "2 words further on were not left out."
        nothing = await bench.ablate_words(await bench.settle("  "))
        assert (nothing.words, word_lines(nothing)) == ((), [])


@pytest.mark.parametrize("policy", MERGERS)
def test_that_the_llm_turns_the_type_from_what_it_is_said_to_need_on_and_not_below(policy: str) -> None:
    settings = SearchIntentSettings.model_validate({"merge": policy, "surfacing_threshold": 0.7})
    needed = llm_needed(SURE, settings)
    assert needed.another is not None
    assert needed.another >= settings.min_confidence
    assert needed.surfaces is not None
    lower = llm_needed(SURE, settings.model_copy(update={"min_confidence": 0.3}))
    assert lower.another is not None
    assert lower.another <= needed.another
    assert llm_needed(None, settings) == LlmNeeded(None, None)
