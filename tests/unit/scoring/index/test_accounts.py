"""Tests of matches: explanations, ranking by label, confidences, ranges, powers' best."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Barrier, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.reach import ANY, EXACT, NOTHING, Span, confidence_spans, holders_of, keyword_span
from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import EagerExplanation, Match, Operand
from app.scoring import arithmetic
from app.scoring.combiners import COMBINERS
from app.scoring.index import search as search_module
from app.scoring.index.layout import group_of, key_of
from app.scoring.index.ranking import band_of, matches, rank
from app.scoring.index.ranking import rank as rank_all
from app.scoring.index.scales import confidences
from app.scoring.index.scales import confidences as confidences_on_scale
from app.scoring.index.scores import LEAST_POWERS, Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import QueryVector, ScoredText
from app.settings.model import Settings
from tests.build import some
from tests.unit.detect.test_reach import under
from tests.unit.scoring.index.test_while_typing import ANSWERS, TRIGGERS, _live, _vector
from tests.unit.scoring.vectors import index_of, vector_of
from tests.waiting import PATIENCE

LIBRARY = (
    Memory(("open the invoice", "show my invoice", "invoices"), intent="billing", key=1),
    Memory(("open the door",), key=2),
    Memory(("close the door",), key=3),
    Power("database", keywords=("invoice", "open"), key=1),
)
QUERY = "open my invoice"
COMBINATIONS = ("balanced", "max", "weighted_average", "cascade", "keyword_or_semantic", "fuzzy")


def the_index() -> TriggerIndex:
    return index_of(LIBRARY)


def found_in(index: TriggerIndex, combination: str = "balanced") -> tuple[Match, ...]:
    settings = Settings.model_validate({"combination": combination})
    scores = index.score(ScoredText(QUERY, vector_of(QUERY)))
    return matches(index, scores, rank(scores, settings, 10), settings)


def told(match: Match) -> EagerExplanation:
    return EagerExplanation(match.steps, match.best_trigger, match.triggers, match.keywords)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Operand]:
    """Collect every operand that the arithmetic creates for display."""
    seen: list[Operand] = []

    def operand(name: str, value: float, weight: float | None = None) -> Operand:
        seen.append(Operand(name, value, weight))
        return seen[-1]

    monkeypatch.setattr(arithmetic, "Operand", operand)
    return seen


def test_that_no_arithmetic_is_written_out_before_it_is_asked(made: list[Operand]) -> None:
    first, *_ = found_in(the_index())
    assert not made
    assert first.steps
    assert made


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_that_the_last_step_is_the_confidence(combination: str) -> None:
    for match in found_in(the_index(), combination):
        assert (match.steps[-1].result if match.steps else 0.0) == match.confidence
        for step in match.steps:
            assert arithmetic.OPERATIONS[step.operation](step.operands) == step.result


def test_that_an_account_is_of_the_keystroke_whatever_the_index_becomes() -> None:
    index = the_index()
    expected = [told(match) for match in found_in(index)]
    found = found_in(index)
    index.put([replace(LIBRARY[0], triggers=("something else",)), Memory(("open my invoice",), key=4)])
    index.remove((LIBRARY[3].kind, 1))
    index.score(ScoredText("another", np.asarray(vector_of("another"))))
    assert [told(match) for match in found] == expected


def test_that_the_triggers_of_an_account_are_all_with_their_own_scores() -> None:
    by_name = {match.answer.key: match for match in found_in(the_index()) if isinstance(match.answer, Memory)}
    several, lone = by_name[1], by_name[2]
    assert [one.text for one in several.triggers] == list(LIBRARY[0].triggers)
    for name in ("fuzzy", "token_overlap", "semantic"):
        own = [one.scores[name] or 0.0 for one in several.triggers]
        assert max(own) == several.scores[name]
        assert several.triggers[own.index(max(own))].text == several.best_trigger[name]
    assert lone.triggers[0].scores == {name: lone.scores[name] for name in lone.triggers[0].scores}


def test_that_a_power_tells_the_keywords_that_it_holds() -> None:
    power = next(match for match in found_in(the_index()) if isinstance(match.answer, Power))
    assert {held.keyword for held in power.keywords} == {"invoice", "open"}
    assert power.best_trigger["keyword"] == power.keywords[0].keyword


def test_that_threads_that_ask_at_once_are_told_the_same() -> None:
    match, begin, heard = found_in(the_index())[0], Barrier(4), list[EagerExplanation]()

    def ask() -> None:
        begin.wait(PATIENCE)
        heard.append(told(match))

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert heard == [told(match)] * 4


COUNT = 3
WORDS = ("open", "the", "my", "invoice", "invoices", "database", "a", "zebra", "?", "")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
LABELS = st.sampled_from((None, "billing", "travel", "money", "howto"))
MEMORIES = st.builds(Memory, triggers=st.lists(TEXTS, min_size=1, max_size=2).map(tuple), intent=LABELS)
POWERS = st.builds(Power, name=st.sampled_from(("database", "mail")))


def _index(answers: list[Answer]) -> TriggerIndex:
    return index_of(replace(answer, key=key) for key, answer in enumerate(answers, 1))


def _found(index: TriggerIndex, scores: Scores, chosen: Settings, count: int = COUNT) -> list[Match]:
    ranking = rank(scores, chosen, count, by_label=True)
    return [one for one in matches(index, scores, ranking, chosen) if one.kind is Kind.MEMORY]


@given(
    answers=st.lists(MEMORIES | POWERS, min_size=1, max_size=14),
    typed=st.lists(TEXTS, min_size=1, max_size=3),
    combination=st.sampled_from(list(COMBINERS)),
)
def test_that_the_best_labels_are_found_each_by_its_best_memory(
    answers: list[Answer], typed: list[str], combination: str
) -> None:
    chosen = Settings.model_validate({"combination": combination})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "FIRST", 1)
        patch.setattr(search_module, "TIMES", 2)
        index = _index(answers)
        for text in typed:
            floor = index.score(ScoredText(text))
            for scores in (floor, index.with_meaning(floor, QueryVector(vector_of(text), vector_of(text)))):
                _are_the_best(index, scores, chosen)


def _are_the_best(index: TriggerIndex, scores: Scores, chosen: Settings) -> None:
    held: dict[object, list[float]] = {}
    for slot, value in zip(scores.layout.slots.tolist(), confidences(scores, chosen).tolist(), strict=True):
        answer = index.candidate(slot).answer
        if isinstance(answer, Memory):
            held.setdefault(group_of(answer), []).append(value)
    found = _found(index, scores, chosen)
    best = sorted((max(values) for values in held.values()), reverse=True)[:COUNT]
    assert [match.confidence for match in found] == pytest.approx(best, abs=1e-6)
    assert len({group_of(match.answer) for match in found}) == len(found)
    for match in found:
        values = held[group_of(match.answer)]
        assert match.confidence == pytest.approx(max(values), abs=1e-6)
        assert match.others == len(values) - 1


def test_that_a_label_of_many_memories_leaves_room_for_the_others() -> None:
    many = [Memory((f"open the invoice {n}",), intent="billing") for n in range(500)]
    index = _index([*many, Memory(("open the door",), intent="doors"), Memory(("open a zebra",))])
    for text in ("open the invoice 7", "zzz"):
        scores = index.score(ScoredText(text, vector_of(text)))
        found = _found(index, scores, Settings(combination="max"))
        assert {match.answer.name for match in found} >= {"open the door", "open a zebra"}
        assert sorted(match.others or 0 for match in found) == [0, 0, 499]


def test_that_of_equal_memories_of_a_label_the_first_that_was_taught_stands_for_it() -> None:
    index = _index([Memory(("open the door",), intent=("one", "two")[n % 2]) for n in range(300)])
    for text in ("zzz", "open", "open the door"):
        for vector in (None, vector_of(text)):
            found = _found(index, index.score(ScoredText(text, vector)), Settings())
            assert [match.answer.key for match in found] == [1, 2]


def test_that_the_lead_is_over_the_next_label_and_the_confidence_the_memorys_own() -> None:
    taught = ["open the invoice", "open the invoice now", "close it"]
    index = _index([Memory((text,), intent=text.split()[0]) for text in taught])
    scores = index.score(ScoredText("open the invoice"))
    chosen = Settings(combination="max")
    alone = matches(index, scores, rank(scores, chosen, COUNT), chosen)
    grouped = _found(index, scores, chosen)
    assert [match.answer.name for match in grouped] == ["open the invoice", "close it"]
    assert grouped[0].confidence == alone[0].confidence == 1.0
    assert grouped[0].lead == pytest.approx(1.0 - grouped[1].confidence)
    assert [match.others for match in alone] == [None] * 3


def test_that_labels_that_are_search_intents_leave_their_memories_apart() -> None:
    index = _index([Memory((f"open {n}",), intent="howto") for n in range(3)])
    found = _found(index, index.score(ScoredText("open 1")), Settings())
    assert [match.others for match in found] == [0, 0, 0]
    assert np.array_equal(index.layout().groups, np.arange(3))


BALANCED, CALIBRATED = Settings(combination="balanced"), Settings(combination="calibrated")
CHANCES = st.builds(
    Chance, st.floats(1.0, 20.0), st.floats(-15.0, 5.0), asked=st.sampled_from((0, 70)), of_logarithm=st.booleans()
)
CALIBRATIONS = st.builds(Calibration, CHANCES | st.just(SHIPPED_MEMORIES), CHANCES | st.just(SHIPPED_POWERS))


def _ranked(index: TriggerIndex, scores: Scores, chosen: Settings, kind: Kind) -> list[Match]:
    return [one for one in matches(index, scores, rank(scores, chosen, 3), chosen) if one.kind is kind]


@given(answers=ANSWERS, text=TRIGGERS, calibration=CALIBRATIONS)
def test_that_calibrated_has_the_order_of_balanced_and_exactly_the_numbers_of_the_plain_loop(
    answers: list[Answer], text: str, calibration: Calibration
) -> None:
    index = _live({key_of(answer): answer for answer in answers})
    scores = index.score(ScoredText(text, _vector(text)))
    told = CALIBRATED.with_calibration(calibration)
    every = confidences(scores, told)
    for kind, chance, places in (
        (Kind.MEMORY, calibration.memories, scores.layout.memory_places),
        (Kind.POWER, calibration.powers, scores.layout.power_places),
    ):
        plain, found = _ranked(index, scores, BALANCED, kind), _ranked(index, scores, told, kind)
        groups = {index.candidate(int(slot)).group for slot in scores.layout.slots[places]}
        scale = chance.among(len(groups))
        expected = sorted(((scale(one.confidence), key_of(one.answer)) for one in plain), key=lambda pair: -pair[0])
        assert [(one.confidence, key_of(one.answer)) for one in found] == expected
        combined = confidences(scores, BALANCED)[places]
        assert every[places].tolist() == [scale(value) for value in combined.tolist()]


@given(answers=ANSWERS, text=TRIGGERS, calibration=CALIBRATIONS)
def test_that_the_account_ends_in_the_scale(answers: list[Answer], text: str, calibration: Calibration) -> None:
    index, told = _live({key_of(answer): answer for answer in answers}), CALIBRATED.with_calibration(calibration)
    scores = index.score(ScoredText(text, _vector(text)))
    for match in matches(index, scores, rank(scores, told, 5), told):
        assert (match.steps[-1].result if match.steps else 0.0) == match.confidence
        for step in match.steps:
            assert arithmetic.OPERATIONS[step.operation](step.operands) == step.result
        if match.steps:
            chance = calibration.powers if match.kind is Kind.POWER else calibration.memories
            operation, operands = match.steps[-1].operation, match.steps[-1].operands
            assert operation == (arithmetic.CHANCE_OF_LOGARITHM if chance.of_logarithm else arithmetic.CHANCE)
            assert operands[1].name == (arithmetic.SHIPPED_SLOPE if chance.is_shipped else arithmetic.SLOPE)


def test_that_without_the_vector_of_the_query_it_is_told_as_balanced() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open the door",), key=1), (Kind.POWER, 1): Power("mail", key=1)})
    floor = index.score(ScoredText("open a door"))
    plain = matches(index, floor, rank(floor, BALANCED, 3), BALANCED)
    told = matches(index, floor, rank(floor, CALIBRATED, 3), CALIBRATED)
    assert [(one.confidence, one.steps) for one in told] == [(one.confidence, one.steps) for one in plain]


def test_that_powers_may_be_told_by_a_scale_and_memories_not() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open it",), key=1), (Kind.POWER, 1): Power("open", key=1)})
    scores = index.score(ScoredText("open this", _vector("open this")))
    mixed = Settings(combination="balanced", power_combination="calibrated")
    operations = {one.kind: one.steps[-1].operation for one in matches(index, scores, rank(scores, mixed, 3), mixed)}
    assert operations == {Kind.MEMORY: "max", Kind.POWER: "chance"}


def test_that_bands_are_of_the_confidence_that_is_told() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open the red door",), key=1)})
    scores = index.score(ScoredText("open the blue door", _vector("open the blue door")))
    sure = CALIBRATED.with_calibration(Calibration(memories=Chance(1.0, 10.0)))
    (match,) = matches(index, scores, rank(scores, sure, 1), sure)
    assert match.confidence > 0.99 or match.confidence == 0.0
    assert match.band is band_of(match.confidence, sure)


@pytest.mark.parametrize("name", ["balanced", "max", "semantic"])
def test_that_no_other_combination_is_told_by_a_scale(name: str) -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open it",), key=1)})
    scores = index.score(ScoredText("open this", _vector("open this")))
    chosen = Settings.model_validate({"combination": name})
    told = chosen.with_calibration(Calibration(memories=Chance(1.0, 10.0)))
    assert confidences(scores, told).tolist() == confidences(scores, chosen).tolist()


SHARED = (
    Power("postgres", "", ("database", "postgres"), key=1),
    Power("mysql", "", ("databases", "sql"), key=2),
    Power("mongo", "", ("Database",), key=3),
)


def test_that_a_keyword_counts_its_holders_whatever_its_case_and_number() -> None:
    held = holders_of(SHARED)
    (singular,) = (phrase for phrase, powers in held.items() if powers[0][1] == "postgres")
    assert {phrase: len(powers) for phrase, powers in held.items()} == {("database",): 3, singular: 1, ("sql",): 1}


def test_that_keywords_score_as_the_formula_says() -> None:
    alone, shared = keyword_span(SHARED[:1], name_counts=False), keyword_span(SHARED, name_counts=False)
    assert (some(alone).least, some(alone).most) == pytest.approx((0.9, 0.92))
    assert (some(shared).least, some(shared).most) == pytest.approx((0.5 + 0.4 / 3, 0.92))
    assert keyword_span((Power("one", "", ()),), name_counts=True) == Span(0.95, 0.95)
    assert keyword_span((Power("one", "", ()),), name_counts=False) is None


@pytest.mark.parametrize(
    ("name", "power", "meaning", "spans"),
    [
        ("semantic", False, True, ANY),
        ("centroid", True, False, (NOTHING,)),
        ("exact", False, False, EXACT),
        ("keyword", False, True, (NOTHING,)),
        ("keyword_or_semantic", True, False, (NOTHING, Span(0.9, 0.92))),
        ("keyword_or_semantic", True, True, ANY),
        ("balanced", True, False, ANY),
        ("cascade", True, True, ANY),
        ("calibrated", False, False, ANY),
    ],
)
def test_that_each_combination_has_its_range(name: str, power: bool, meaning: bool, spans: tuple[Span, ...]) -> None:
    keyword = Span(0.9, 0.92) if power else None
    assert confidence_spans(under(combination=name), power=power, has_meaning=meaning, keyword=keyword) == spans


def test_that_a_weight_alone_has_the_range_of_its_scorer() -> None:
    none = dict.fromkeys(("weights.fuzzy", "weights.token_overlap", "weights.semantic", "weights.keyword"), 0.0)
    only_exact = under(combination="weighted_average", **none)
    assert confidence_spans(only_exact, power=False, has_meaning=True) == EXACT
    only_keyword = under(combination="weighted_average", **{**none, "weights.exact": 0.0, "weights.keyword": 1.0})
    assert confidence_spans(only_keyword, power=True, has_meaning=True, keyword=Span(0.7, 0.9))[1] == Span(0.7, 0.9)
    assert confidence_spans(only_keyword, power=False, has_meaning=True) == (NOTHING,)


def test_that_a_scale_leaves_a_gap_above_nothing() -> None:
    chance = Chance(5.0, -1.0)
    spans = confidence_spans(under(combination="calibrated"), power=False, has_meaning=True, chance=chance)
    assert spans[0] == NOTHING
    assert spans[1].least == pytest.approx(chance(1e-9))
    assert spans[1].most == 1.0


@given(
    st.sampled_from(["balanced", "max", "weighted_average", "cascade", "exact", "fuzzy", "token_overlap", "keyword"]),
    st.lists(st.sampled_from(["database", "postgres", "sql", "check my database", "list", "a"]), max_size=3),
)
def test_that_no_confidence_lies_outside(name: str, query: list[str]) -> None:
    settings = under(combination=name)
    index = TriggerIndex(2)
    index.put(SHARED)
    spans = confidence_spans(
        settings, power=True, has_meaning=False, keyword=keyword_span(SHARED, name_counts=settings.name_counts)
    )
    for told in confidences_on_scale(index.score(ScoredText(" ".join(query))), settings).tolist():
        assert any(span.least - 1e-9 <= told <= span.most + 1e-9 for span in spans)


MANY = [Power(f"power {place}", f"does thing {place}", (f"thing{place}",), key=place + 1) for place in range(60)]
BARE = [replace(power, keywords=()) for power in MANY]


def scored(powers: Sequence[Power], text: str, *, with_vector: bool = True) -> Scores:
    index = index_of([Memory((text,), key=1), *powers])
    return index.score(ScoredText(text, vector_of(text)) if with_vector else ScoredText(text))


@pytest.mark.parametrize("text", ["thing7 and thing9", "does thing 12", "nothing of it", "thing3"])
@pytest.mark.parametrize("count", [LEAST_POWERS, 60])
def test_that_the_best_scores_are_those_of_all_powers(text: str, count: int) -> None:
    scores = scored(MANY[:count], text)
    best, powers = scores.best_of_powers, scores.layout.power_places
    assert best is not None
    cosines = np.sort(scores.by_slot["semantic"][powers])[::-1]
    assert (best.nearest, best.next_nearest) == pytest.approx((cosines[0], cosines[1]))
    assert best.keyword == pytest.approx(scores.by_slot["keyword"][powers].max())
    assert rank_all(scores, Settings(combination="learned"), 5).best_scores == best
    assert rank_all(scores, Settings(combination="balanced"), 5).best_scores is None


@pytest.mark.parametrize(
    ("powers", "with_vector"), [(BARE, True), (MANY[: LEAST_POWERS - 1], True), (MANY, False), ([], True)]
)
def test_that_without_keywords_vector_or_company_nothing_is_told(powers: Sequence[Power], *, with_vector: bool) -> None:
    assert scored(powers, "thing7", with_vector=with_vector).best_of_powers is None
