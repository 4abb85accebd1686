"""Tests of the weights of `learned`: fitted on demand, stored, and refitted after an edit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from app.adapters.encoders.learned_files import FitFile
from app.adapters.machine import now_ms
from app.detect.keywords import KeywordRules
from app.domain.case import Case, Task
from app.domain.fits import Compared, FitPolicy, FitState, FitStatus, Learned, Refit
from app.domain.library import Answer, Memory, Power, Tool
from app.ports.encoder import Arrays, Embedder, SharedFitStore, Vectors
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.learned.defaults import described
from app.scoring.learned.library import Fit, settings_without_case, taught_of
from app.scoring.learned.model import VERSION
from app.scoring.learned.taught import FOLDS, OutOfScopeTexts, digest_of_text, fold
from app.scoring.text import ScoredText
from app.services.engine.engine import Engine
from app.services.engine.fit_maker import FitMaker
from app.services.engine.learner import FIRST_PENDING, MOST_WAITING, REFIT_PENDING, Learner, wants_fit
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.services.evaluation.refits import fit_sentence, fit_words
from app.settings.model import Settings
from tests.build import some
from tests.unit.scoring.vectors import DIMENSION, vector_of
from tests.unit.services.benches import desk
from tests.unit.services.engine.test_calibrating import ENCODER, LINES, TAUGHT
from tests.unit.services.evaluation.answering import evaluate
from tests.waiting import PATIENCE, until

WANTED = Settings(combination="learned")
WALLS: list[Answer] = [
    Memory((f"paint the {colour} wall",), intent="walls", key=900 + n) for n, colour in enumerate("abcd")
]
ELSEWHERE = ("good morning", "what is the time", "tell me a joke", "how are you")


def learner_vectors_of(text: str) -> Vectors:
    """Return the vector for learning, which differs from the other one, also in length."""
    vector: Vectors = np.concatenate([vector_of(text), vector_of(text)])[3:][::-1]
    return vector


@dataclass
class Desk:
    file: FitFile | None = None
    answers: list[Answer] = field(default_factory=lambda: list(TAUGHT))
    settings: Settings = WANTED
    adopted: list[Learned] = field(default_factory=list)
    encoded: int = 0
    has_learned: bool = True
    shared: FitFile | None = None
    heard: list[tuple[int, int]] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    policy: FitPolicy = FitPolicy.REFIT
    is_own_view: bool = True
    states: list[FitStatus] = field(default_factory=list)
    refits: list[Refit] = field(default_factory=list)

    def __post_init__(self) -> None:
        llm = LlmRequests(None, now_ms, EngineMetrics())
        self.engine = Engine(TriggerIndex(DIMENSION), KeywordRules(()), self.settings, now_ms, llm, ENCODER)
        self.teach(self.answers)
        self.learning = self.learner(self.file)

    def learner(self, stored: SharedFitStore | None) -> Learner:
        shared, stores = self.shared, () if stored is None else (stored,)
        every = None if shared is None else lambda _: shared
        maker = FitMaker(self.engine, self, TypingPriority(), lambda: ELSEWHERE, stores, every)
        hooks = self.adopted.append, lambda: self.states.append(self.learning.status())
        made = Learner(maker, stored, *hooks, self.known, lambda: self.is_own_view)
        made.policy, made.trial = self.policy, self
        return made

    async def delivered(self) -> Mapping[tuple[Compared, int], tuple[str, ...]]:
        return {(Compared.CASE, 1): (str(len(self.adopted)),), (Compared.QUERY, 1): ("same",)}

    async def note(self, refit: Refit) -> None:
        self.refits.append(refit)

    async def known(self) -> list[Case]:
        return self.cases

    async def encoded_both(self, encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        self.encoded += len(texts)
        self.heard.append(self.learning.progress)
        return np.stack([vector_of(text) for text in texts]), np.stack([learner_vectors_of(text) for text in texts])

    async def learner_vectors_of(self, encoder: Embedder, texts: Sequence[str]) -> Vectors | None:
        return np.stack([learner_vectors_of(text) for text in texts]) if self.has_learned else None

    def teach(self, answers: list[Answer]) -> None:
        index = self.engine.index
        index.put(answers)
        index.embed({text: vector_of(text) for text in index.unembedded()})

    def settle(self) -> list[Learned]:
        """Return the adopted fits after all work is done, oldest first."""
        asyncio.run(self.learning.settle())
        return self.adopted

    def chances(self, text: str) -> dict[str | None, float]:
        index, settings = self.engine.index, self.settings.with_learned(self.adopted[-1])
        scores = index.score(ScoredText(text, vector_of(text), learner_vectors_of(text)))
        values = confidences(scores, settings).tolist()
        told: dict[str | None, float] = {}
        for slot, value in zip(scores.layout.slots.tolist(), values, strict=True):
            label = index.candidate(slot).answer.answer_label
            told[label] = max(told.get(label, 0.0), value)
        return told


async def test_that_a_library_is_fitted_once_that_is_wanted_and_answers_by_it() -> None:
    async with desk() as workbench:
        await workbench.import_sources([("memories", LINES)], "a test")
        await workbench.ready()
        assert workbench.settings.learned == Learned()
        await workbench.choose("combination", "learned")
        await workbench.ready()
        weights = workbench.settings.learned.memories
        assert weights.phrases == len(TAUGHT)
        match = (await workbench.settle("open a kitchen")).matches[0]
        assert match.scores["regression"] is not None
        assert 0.0 < match.confidence < 1.0
        await workbench.choose("matches", "4")
        assert workbench.settings.learned.memories == weights
        assert (await workbench.settle_as("open a kitchen", {"matches": "3"})).matches[0].confidence == match.confidence


def test_that_nothing_is_fitted_that_nobody_wants_or_that_is_too_little() -> None:
    assert not wants_fit(Settings(combination="balanced"))
    assert not wants_fit(Settings(combination="learned", use_hybrid_retrieval=False))
    assert wants_fit(Settings(combination="balanced", power_combination="learned"))
    assert Desk(settings=Settings(combination="balanced")).settle() == []
    few = [Memory(("open it",), intent="d1", key=1), Memory(("pay it",), intent="b2", key=2)]
    single = Desk(answers=[*few])
    assert single.settle() == [Learned()]
    assert single.engine.index.regression is None
    answered = [replace(one, response="Turn the key.") for one in few]
    named = [replace(one, intent=intent) for one, intent in zip(few, ("doors", "bills"), strict=True)]
    assert all(Desk(answers=[*more]).settle()[0].memories.regression > 0.0 for more in (answered, named))


def test_that_a_label_with_few_triggers_is_found_by_its_name_too() -> None:
    def chance(label: str) -> float:
        texts = {"alpha": ("open it", "shut it"), "beta": ("pay it", "owe it"), label: ("paint it", "dig it")}
        own = [Memory((text,), intent=name) for name, group in texts.items() for text in group]
        told = Desk(answers=[replace(one, key=number) for number, one in enumerate(own, 1)])
        told.settle()
        return told.chances("garden fence")[label]

    assert chance("garden_fence") > 1.5 * chance("42")


def test_that_a_label_with_few_triggers_is_found_by_its_response_too() -> None:
    texts = {"a1": ("open it", "shut it"), "b2": ("pay it", "owe it"), "c3": ("paint it", "dig it")}
    own = [(text, name) for name, group in texts.items() for text in group]
    memories = [Memory((text,), intent=name, key=key) for key, (text, name) in enumerate(own, 1)]
    told = Desk(answers=[*memories])
    told.settle()
    before = told.chances("garden fence")["c3"]
    told.engine.index.restate([replace(memories[4], response="Now.\n- garden fence")])
    assert len(told.settle()) == 2, "an edited response is fitted anew"
    assert told.chances("garden fence")["c3"] > 1.1 * before


def test_that_labelled_queries_join_the_fit_and_are_judged_by_weights_without_their_say() -> None:
    later = Memory(("later on",), intent="later", valid_from="2099-01-01", key=990)
    told, label = Desk(answers=[*TAUGHT, later]), str(TAUGHT[0].answer_label)
    bare = told.settle()[-1].memories
    texts = [f"{one} {other}" for one in ("open", "shut", "paint") for other in ("", "a", "b", "c", "d", "e", "f", "g")]
    told.cases = [Case(text, (label if n % 2 else "oos",), Task.INTENT) for n, text in enumerate(texts)]
    told.cases += [Case("unknown", ("not taught",), Task.INTENT), Case("wrong", (), Task.INTENT, unwanted=("x",))]
    told.cases += [Case(TAUGHT[0].triggers[0], (label,), Task.INTENT), Case("then", ("later",), Task.INTENT)]
    assert told.settle()[-1].memories == bare, "nobody has said that anything was written"
    told.learning.on_status_changed()
    weights = told.settle()[-1].memories
    assert (bare.cases, weights.cases, some(told.learning.held).source.cases) == (0, len(texts), len(texts))
    settings = WANTED.with_learned(told.adopted[-1])
    assert all(settings_without_case(settings, text.upper()).learned.memories in weights.cross_fitted for text in texts)
    assert settings_without_case(settings, "unknown") is settings
    made, count = told.encoded, len(told.adopted)
    told.learning.on_status_changed()
    assert len(told.settle()) == count, "as they were"
    told.cases = [replace(case, expected=("oos",)) for case in told.cases[: len(texts)]]
    told.learning.on_status_changed()
    assert told.settle()[-1].memories.none > weights.none
    assert told.encoded == made, "their vectors are known"


def test_that_a_labelled_mail_joins_the_fit_by_the_sentence_that_its_answer_is_read_by() -> None:
    weights, trigger = list[float](), TAUGHT[0].triggers[0]
    for mail in (f"{trigger} ", f"Zzz zzz zzz!\n{trigger}\nQqqq jjjj kkkk vv"):
        cases = [Case(f"{mail}{n}", ("oos",), Task.INTENT) for n in range(24)]
        weights.append(Desk(cases=cases).settle()[-1].memories.none)
    assert weights[0] == pytest.approx(weights[1], abs=0.15)


def test_that_a_case_that_took_part_is_answered_without_its_say() -> None:
    told = Desk()
    text = TAUGHT[0].triggers[0] + " please"
    other = replace(told.settle()[-1].memories, none=-99.0)
    asked = replace(told.adopted[-1].memories, case_digests=frozenset([digest_of_text(text)]), cross_fitted=(other,))
    settings = WANTED.with_learned(Learned(asked))

    def confidence(of: str) -> float:
        case, detector = Case(of, ("oos",), Task.INTENT), told.engine.detector

        def embed(texts: Sequence[str]) -> tuple[Vectors, Vectors]:
            return np.stack([vector_of(one) for one in texts]), np.stack([learner_vectors_of(one) for one in texts])

        found = evaluate(told.engine.index, settings, [case], Task.INTENT, embed=embed, detector=detector)
        return found.answered[0].shared or 0.0

    assert confidence(text) == pytest.approx(1.0)
    assert confidence("good morning") < 1.0 - 1e-6


def test_that_no_fit_is_made_of_vectors_that_cannot_be_had() -> None:
    lacking = Desk(has_learned=False)
    assert lacking.settle() == []
    lacking.has_learned = True
    assert len(lacking.settle()) == 1


def test_that_a_query_without_the_vector_that_a_regression_reads_is_told_by_the_weights_that_ship() -> None:
    told = Desk()
    told.settle()
    scores = told.engine.index.score(ScoredText("open the zebra", vector_of("open the zebra")))
    assert "regression" not in scores.by_slot
    settings = WANTED.with_learned(told.adopted[-1])
    assert confidences(scores, settings).tolist() == confidences(scores, WANTED).tolist()


def test_that_a_fit_is_kept_and_taken_up_as_it_was(tmp_path: Path) -> None:
    file = FitFile(tmp_path / "learned.npz")
    first, second = Desk(file), Desk(file)
    told = first.settle()
    assert second.settle() == told
    assert (first.encoded, second.encoded) == (len(ELSEWHERE), 0)
    assert second.chances("open the zebra") == pytest.approx(first.chances("open the zebra"), abs=1e-6)
    (tmp_path / "learned.npz").write_bytes(b"no arrays")
    assert Desk(file).settle() == told


def test_that_a_stored_fit_is_recalled_current_or_stale_and_none_is_made(tmp_path: Path) -> None:
    file = FitFile(tmp_path / "learned.npz")
    told, again, other = Desk(file).settle(), Desk(file), Desk(file)
    other.teach([Memory(("sing it",), intent="songs", key=99)])
    for reader, state in ((again, FitState.CURRENT), (other, FitState.STALE)):
        asyncio.run(reader.learning.recall())
        assert (reader.adopted, reader.learning.status().state) == (told, state)
    nobody, bare = Desk(file, settings=Settings(combination="balanced")), Desk()
    for one in (nobody, bare):
        asyncio.run(one.learning.recall())
        assert one.adopted == []


# ---- One stored fit, refitted by owners and read by all others


def test_that_a_command_uses_a_stale_fit_says_so_and_writes_none(tmp_path: Path) -> None:
    path = tmp_path / "learned.npz"
    told = Desk(FitFile(path)).settle()
    before = path.read_bytes()
    command = Desk(FitFile(path), policy=FitPolicy.FIRST)
    assert command.settle() == told
    assert fit_sentence(command.learning.status()) == ""
    command.teach(WALLS)
    assert command.settle() == told, "the same fit, now stale"
    status = command.learning.status()
    assert status.state is FitState.STALE
    assert "evaluate --refit" in fit_sentence(status)
    assert "out of date" in fit_words(status)
    assert path.read_bytes() == before


def test_that_a_command_makes_the_first_fit_and_a_hook_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "learned.npz"
    hook, command = (Desk(FitFile(path), policy=policy) for policy in (FitPolicy.NEVER, FitPolicy.FIRST))
    assert hook.settle() == []
    assert (hook.learning.awaited, hook.learning.status().state) == (FIRST_PENDING, FitState.MISSING)
    assert not path.exists()
    assert command.learning.awaited == FIRST_PENDING
    (told,) = command.settle()
    assert (command.learning.awaited, path.exists()) == ("", True)
    assert "and stored; this version had none" in fit_sentence(command.learning.status())
    assert hook.settle() == [told]
    assert fit_sentence(hook.learning.status()) == ""
    nowhere = Desk(FitFile(tmp_path / "missing" / "learned.npz"), policy=FitPolicy.FIRST)
    assert len(nowhere.settle()) == 1
    assert fit_sentence(nowhere.learning.status()) == "", "what could not be stored is not said to be"


def test_that_answers_are_provisional_while_a_library_has_outgrown_its_fit(tmp_path: Path) -> None:
    made = Desk(FitFile(tmp_path / "learned.npz"), answers=[])
    made.settle()
    assert made.learning.awaited == ""
    made.teach(TAUGHT)
    assert made.learning.awaited == FIRST_PENDING, "a fit of nothing says nothing of the first memories"
    made.settle()
    assert made.learning.awaited == ""
    made.teach(WALLS)
    assert made.learning.awaited == "", "some more memories hardly change what the fit decides"
    many: list[Answer] = [
        Memory((f"order {n} rolls for the party",), intent=f"rolls {n}", key=2000 + n) for n in range(60)
    ]
    made.teach(many)
    assert made.learning.awaited == REFIT_PENDING
    made.learning.policy = FitPolicy.FIRST
    assert made.learning.awaited == "", "a command makes no fit, so nothing is awaited"
    made.learning.policy = FitPolicy.REFIT
    made.settle()
    assert made.learning.awaited == ""


def test_that_a_fit_says_what_it_was_fitted_on_and_while_it_is_made(tmp_path: Path) -> None:
    made = Desk(FitFile(tmp_path / "learned.npz"))
    made.settle()
    assert next(fit_words(one) for one in made.states) == "Learning from the library…"
    words = fit_words(made.learning.status())
    assert words.startswith(f"Learned from {len(TAUGHT)} memories, ")
    again = Desk(FitFile(tmp_path / "learned.npz"), policy=FitPolicy.NEVER)
    again.settle()
    assert fit_words(again.learning.status()) == words


def test_that_two_owners_switch_together_and_only_one_of_them_fits(tmp_path: Path) -> None:
    file = FitFile(tmp_path / "learned.npz")
    one, other = Desk(file), Desk(file)
    assert one.settle() == other.settle()
    one.teach(WALLS)
    fitted = one.settle()[-1]
    assert other.settle()[-1] == fitted, "before it has read what was taught"
    assert other.learning.status().state is FitState.STALE
    made = (tmp_path / "learned.npz").read_bytes()
    other.teach(WALLS)
    assert other.settle()[-1] == fitted
    assert other.learning.status().state is FitState.CURRENT
    assert (len(one.refits), len(other.refits)) == (1, 0)
    assert (tmp_path / "learned.npz").read_bytes() == made


def test_that_owners_that_read_different_libraries_do_not_fit_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "learned.npz"
    one, other = Desk(FitFile(path)), Desk(FitFile(path))
    one.settle()
    other.teach(WALLS)
    for _ in range(4):
        one.settle()
        other.settle()
    settled = path.read_bytes()
    for _ in range(4):
        one.settle()
        other.settle()
    assert path.read_bytes() == settled


async def test_that_a_judged_fit_does_not_replace_the_newer_one_of_another_owner(tmp_path: Path) -> None:
    file = FitFile(tmp_path / "learned.npz")
    one, other = Desk(file), Desk(file)
    await one.learning.settle()
    await other.learning.settle()
    one.teach(WALLS)
    await one.learning.settle()
    await other.learning.judged(some(other.learning.held), {})
    await one.learning.settle()
    assert one.learning.status().state is FitState.CURRENT


async def test_that_an_owner_waits_for_the_claim_of_another_and_takes_its_fit(tmp_path: Path) -> None:
    file = FitFile(tmp_path / "learned.npz")
    one, other = Desk(file), Desk(file)
    release = some(file.claim())
    settling = asyncio.ensure_future(other.learning.settle())
    await until(lambda: other.learning.status().state is FitState.FITTING)
    assert other.adopted == []
    one.learning = one.learner(None)
    await one.learning.settle()
    held = some(one.learning.held)
    file.save(held.arrays())
    release()
    await settling
    assert other.adopted == one.adopted
    assert other.encoded == 0


def test_that_what_a_command_line_reads_otherwise_is_fitted_and_never_stored(tmp_path: Path) -> None:
    path = tmp_path / "learned.npz"
    apart = Desk(FitFile(path), is_own_view=False)
    assert len(apart.settle()) == 1
    assert not path.exists()
    Desk(FitFile(path)).settle()
    before = path.read_bytes()
    other = Desk(FitFile(path), policy=FitPolicy.FIRST, is_own_view=False)
    other.teach(WALLS)
    other.settle()
    assert other.learning.status().state is FitState.CURRENT
    assert path.read_bytes() == before


def test_that_a_refit_tells_how_many_cases_and_queries_it_changed(tmp_path: Path) -> None:
    made = Desk(FitFile(tmp_path / "learned.npz"))
    made.settle()
    assert made.refits == [], "the first fit has nothing to be compared with"
    made.teach(WALLS)
    made.settle()
    (refit,) = made.refits
    assert (refit.cases, refit.queries, refit.changed_cases, refit.changed_queries) == (1, 1, 1, 0)
    (changed,) = refit.changed
    assert (changed.kind, changed.key, changed.before, changed.after) == (Compared.CASE, 1, ("1",), ("2",))


@pytest.mark.parametrize("policy", [FitPolicy.REFIT, FitPolicy.FIRST])
def test_that_a_fit_after_an_update_tells_what_it_changed(tmp_path: Path, policy: FitPolicy) -> None:
    file = FitFile(tmp_path / "learned.npz")
    Desk(file).settle()
    kept = some(Fit.of_arrays(some(file.load())))
    earlier = replace(some(kept.memories), version=VERSION - 1)
    file.save(replace(kept, memories=earlier).arrays())
    assert Desk(file, policy=FitPolicy.NEVER).settle() == [], "a fit of an earlier version does not decide"
    made = Desk(file, policy=policy)
    made.settle()
    assert made.learning.status() == FitStatus(FitState.CURRENT, some(made.learning.held).source, is_first=True)
    (refit,) = made.refits
    assert (refit.cases, refit.changed_cases) == (1, 1)
    assert some(some(Fit.of_arrays(some(file.load()))).memories).version == VERSION


def test_that_vectors_of_elsewhere_are_made_once_for_all_profiles_and_told_of(tmp_path: Path) -> None:
    shared = FitFile(tmp_path / "background.npz")
    first, second = (Desk(FitFile(tmp_path / f"{name}.npz"), shared=shared) for name in "ab")
    assert first.settle() == second.settle()
    assert (first.encoded, second.encoded) == (len(ELSEWHERE), 0)
    assert first.heard[0] == (0, len(ELSEWHERE))
    (tmp_path / "background.npz").write_bytes(b"no arrays")
    assert Desk(shared=shared).settle() == first.adopted


def test_that_what_is_kept_of_another_encoder_is_not_taken_up(tmp_path: Path) -> None:
    file = FitFile(tmp_path / "learned.npz")
    Desk(file).settle()
    arrays = some(file.load())
    kept = some(Fit.of_arrays(arrays))
    file.save(replace(kept, encoder="another 1").arrays())
    again = Desk(file)
    again.settle()
    assert again.encoded == len(ELSEWHERE)
    assert Fit.of_arrays({}) is None


def test_that_an_edit_answers_at_once_and_is_fitted_then() -> None:
    told = Desk()
    told.settle()
    told.teach(WALLS)
    assert max(told.chances("paint the a wall").items(), key=lambda pair: pair[1])[0] == "walls"
    assert len(told.settle()) == 2
    regression = some(told.engine.index.regression)
    assert "walls" in regression._outputs
    assert len(told.settle()) == 2, "nothing has changed since"


def test_that_of_too_many_phrases_each_label_keeps_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scoring.learned.library.MOST_PHRASES", 24)
    index = Desk().engine.index
    taught = some(taught_of(index, index.layout(), power=False, between=lambda: None))
    assert np.bincount(taught.owners).tolist() == [4] * 6


def test_that_powers_are_fitted_on_their_examples_and_none_is_asked_for_by_its_description() -> None:
    def power(name: str, key: int, count: int) -> Power:
        return Power(
            name, f"work with {name}", (name,), examples=tuple(f"{name} it {n}" for n in range(count)), key=key
        )

    index = Desk(answers=[power("paint", 1, 3), power("build", 2, 2)]).engine.index
    taught = some(taught_of(index, index.layout(), power=True, between=lambda: None))
    assert taught.are_queries is not None
    assert taught.examples == 2.5
    others = OutOfScopeTexts((), np.zeros((0, DIMENSION), np.float32))
    for number in range(FOLDS):
        asked = {taught.texts[place] for place in fold(taught, others, number).held_out.tolist()}
        assert all(" it " in text for text in asked)


def test_that_powers_without_examples_have_a_regression_and_the_weights_of_described_ones() -> None:
    powers: list[Answer] = [
        Power("paint", "colour the walls of a house", tools=(Tool("mix", "mix two colours"),), key=1),
        Power("build", "put up a shed of wood", ("shed",), key=2),
        Power("plant", "trees and shrubs", examples=("plant a tree",), key=3),
    ]
    told = Desk(answers=powers).settle()
    phrases = sum(len(power.triggers) for power in powers) / len(powers)
    weights, shipped = told[-1].powers, described(len(powers), phrases, has_paragraphs=False)
    assert weights.is_shipped
    given = weights.regression, weights.semantic, weights.bm25, weights.background, weights.none
    assert given == pytest.approx(
        (shipped.lr, shipped.semantic, shipped.bm25, shipped.background, shipped.none), abs=1e-3
    )
    assert weights.none < described(100, has_paragraphs=False).none, "three powers are few"


@pytest.mark.parametrize(("second", "has_paragraphs"), [("", False), ("\n\nand a fence", True)])
def test_that_descriptions_have_the_shipped_weight_of_their_kind(second: str, has_paragraphs: bool) -> None:
    powers: list[Answer] = [Power("paint", f"colour the walls{second}", key=1), Power("build", "a shed", key=2)]
    weights, shipped = Desk(answers=powers).settle()[-1].powers, described(len(powers), has_paragraphs=has_paragraphs)
    assert (weights.semantic, weights.description) == pytest.approx((shipped.semantic, shipped.description), abs=1e-3)


def test_that_labelled_queries_move_the_weights_of_powers_that_are_only_described() -> None:
    powers: list[Answer] = [Power(name, f"{name} it well", key=key) for key, name in enumerate(("paint", "build"), 1)]
    told = Desk(answers=powers)
    told.cases = [Case(f"please {name} {n}", (name, "build"), Task.POWER) for n in range(10) for name in ("paint", "x")]
    assert told.settle()[-1].powers.is_shipped, "half of them expect what is not taught"
    told.cases = [
        Case(f"please {n} {name}", (name, "build"), Task.POWER) for n in range(10) for name in ("paint", "build")
    ]
    told.learning.on_status_changed()
    weights = told.settle()[-1].powers
    assert (weights.cases, weights.is_shipped) == (20, False)


def test_that_examples_taught_later_have_their_weights_fitted() -> None:
    desk = Desk(answers=[Power(name, f"work with {name}", key=key) for key, name in enumerate(("paint", "build"), 1)])
    assert desk.settle()[-1].powers.is_shipped
    examples = {name: tuple(f"{name} the {n} wall" for n in range(9)) for name in ("paint", "build")}
    desk.teach(
        [Power(name, f"work with {name}", examples=own, key=n) for n, (name, own) in enumerate(examples.items(), 1)]
    )
    assert not desk.settle()[-1].powers.is_shipped


class SlowFile:
    def __init__(self) -> None:
        self.begun, self.go_on = Event(), Event()

    def load(self) -> None:
        return None

    def save(self, arrays: Arrays) -> None:
        self.begun.set()
        self.go_on.wait(PATIENCE)

    def stamp(self) -> object:
        return None

    def claim(self) -> Callable[[], None]:
        return lambda: None


async def test_that_a_fit_is_not_taken_up_by_the_index_of_another_encoder_that_came_while_it_was_kept() -> None:
    told, file = Desk(), SlowFile()
    told.learning = told.learner(file)
    settling = asyncio.ensure_future(told.learning.settle())
    await asyncio.to_thread(file.begun.wait, 10.0)
    told.engine.index.forget_vectors(2)
    told.engine.encoder = None
    file.go_on.set()
    await settling
    assert told.engine.index.regression is None


async def test_that_a_fit_counts_though_who_waited_went_while_it_was_kept() -> None:
    told, file = Desk(), SlowFile()
    told.learning = told.learner(file)
    settling = asyncio.ensure_future(told.learning.settle())
    await asyncio.to_thread(file.begun.wait, 10.0)
    settling.cancel()
    file.go_on.set()
    await asyncio.gather(settling, return_exceptions=True)
    await told.learning.settle()
    assert len(told.adopted) == 1


async def test_that_a_fit_that_fails_repeatedly_is_tried_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        if seconds > 0.0:
            waited.append(seconds)
        if len(waited) > 9:
            raise asyncio.CancelledError
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", noted)
    ready = asyncio.Event()
    ready.set()
    await asyncio.gather(Desk(has_learned=False).learning.keep_up(ready), return_exceptions=True)
    assert waited[:3] == [2.0, 4.0, 8.0]
    assert waited[-1] == MOST_WAITING
