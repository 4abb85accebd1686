"""Tests of routing by example: reliable confidences, abstention, stored models and priors."""

import io

import numpy as np
import pytest
from numpy.typing import NDArray

from app.domain.case import TaughtExample
from app.domain.encoder import Provenance
from app.scoring import example_model
from app.scoring.example_features import WEIGHT, ExampleWords, Prior, decisive_words, features
from app.scoring.example_model import EVEN, LONELY, NEVER, Sureness, fit, threshold_for
from app.scoring.example_storage import arrays_of, digest_of, is_of, prior_in, restored, vectors_in
from tests.build import some

DIMENSION = 16


def made(labels: int, each: int, noise: float, seed: int = 1) -> tuple[list[TaughtExample], NDArray[np.float32]]:
    """Make examples around one direction per label, with this noise."""
    chance = np.random.default_rng(seed)
    centres = np.eye(labels, DIMENSION)
    examples, vectors = [], []
    for label in range(labels):
        for number in range(each):
            vector = centres[label] + noise * chance.normal(size=DIMENSION)
            examples.append(TaughtExample(f"cue{label} text {label} {number}", (f"store {label}",)))
            vectors.append(vector / np.linalg.norm(vector))
    return examples, np.array(vectors, np.float32)


def test_that_clear_examples_are_learned_and_told_with_their_nearest() -> None:
    examples, vectors = made(3, 12, 0.1)
    model = some(fit(examples, vectors))
    assert model.labels == ("store 0", "store 1", "store 2")
    assert model.trained.accuracy == 1.0
    assert model.trained.coverage > 0.9
    vote = model.vote("cue1 text unseen", vectors[15] * np.float32(1.0))
    assert vote.label == "store 1"
    assert vote.confidence >= vote.threshold
    assert sum(share for _, share in vote.shares) == pytest.approx(1.0)
    assert [one.label for one in vote.nearest] == ["store 1"] * 5
    similarities = [one.similarity for one in vote.nearest]
    assert similarities == sorted(similarities, reverse=True)


def test_that_shipped_examples_count_less_where_labels_are_drawn_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    own, vectors = made(3, 8, 0.2)
    ships, theirs = made(3, 40, 0.2, seed=2)
    swapped = {"store 0": "store 1", "store 1": "store 0", "store 2": "store 2"}

    def accuracy(labels: dict[str, str]) -> float:
        others = [TaughtExample(f"{one.text} ships", (labels[one.labels[0]],), True) for one in ships]
        model = some(fit([*own, *others], np.concatenate([vectors, theirs])))
        fresh, unseen = made(3, 40, 0.2, seed=5)
        votes = [model.vote(f"new {n}", vector).label for n, vector in enumerate(unseen)]
        return float(np.mean([vote == one.labels[0] for vote, one in zip(votes, fresh, strict=True)]))

    same = {label: label for label in swapped}
    alike, otherwise = accuracy(same), accuracy(swapped)
    monkeypatch.setattr(example_model, "LEAST_OWN", 10**6)
    assert alike >= accuracy(same), "where they agree those that ship keep their weight"
    assert otherwise > accuracy(swapped) + 0.05


def test_that_what_is_taught_word_for_word_is_sure_unless_it_is_left_out() -> None:
    examples, vectors = made(2, 6, 0.2)
    wrong = TaughtExample("An odd one!", ("store 0",))
    model = some(fit([*examples, wrong], np.concatenate([vectors, vectors[-1:]])))
    known = model.vote("an odd one", vectors[-1])
    assert (known.label, known.confidence) == ("store 0", 1.0)
    left_out = model.vote("an odd one", vectors[-1], left_out=True)
    assert left_out.label == "store 1"
    assert left_out.confidence < 1.0
    assert "An odd one!" not in {one.text for one in left_out.nearest}


def test_that_how_well_a_query_is_known_falls_with_how_few_examples_are_as_lonely() -> None:
    lonely = np.linspace(0.3, 0.9, 99)
    sureness = Sureness(np.zeros(4), lonely)
    known = sureness.known(np.array([0.0, 0.15, 0.3, float(np.quantile(lonely, LONELY)), 0.6, 1.0]))
    assert known == pytest.approx([0.0, 0.1, 0.2, 1.0, 1.0, 1.0], abs=0.02)
    assert (np.diff(sureness.known(np.linspace(0.0, 1.0, 50))) >= 0.0).all()
    few = Sureness(np.zeros(4), np.array([0.4, 0.8]))
    assert few.known(np.array([0.2, 0.4, 0.6])) == pytest.approx([0.5, 1.0, 1.0])
    assert Sureness(np.zeros(4), np.zeros(3)).known(np.zeros(2)) == pytest.approx([1.0, 1.0])


def strange(count: int, seed: int = 9, *, ships: bool = True) -> tuple[list[TaughtExample], NDArray[np.float32]]:
    """Make examples without labels, around another direction."""
    found = np.eye(1, DIMENSION, DIMENSION - 1) + 0.25 * np.random.default_rng(seed).normal(size=(count, DIMENSION))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return [TaughtExample(f"odd {n} thing", (), ships) for n in range(count)], found.astype(np.float32)


def test_that_strangers_make_the_like_of_them_unsure_and_are_no_label() -> None:
    examples, vectors = made(3, 30, 0.25)
    others, far = strange(12)
    _, unseen = strange(40, seed=10)
    without = fit(examples, vectors)
    model = fit([*examples, *others], np.concatenate([vectors, far]))
    assert model is not None
    assert model.labels == ("store 0", "store 1", "store 2")
    assert (model.trained.examples, model.trained.strangers) == (90, 10)
    before = np.mean([some(without).vote("new", vector).confidence for vector in unseen])
    votes = [model.vote("new", vector) for vector in unseen]
    assert np.mean([vote.confidence for vote in votes]) < 0.5 * before
    assert sum(vote.confidence >= vote.threshold for vote in votes) <= 0.05 * len(votes)
    assert model.trained.accuracy >= some(without).trained.accuracy - 0.02
    assert all(one.label for vote in votes for one in vote.nearest)
    assert sum(share for _, share in votes[0].shares) < 0.7
    assert model.vote("Odd 3 thing!", far[3]).confidence == 0.0
    assert model.vote("Odd 3 thing!", far[3], left_out=True).confidence < votes[0].threshold


def test_that_strangers_that_ship_give_way_to_what_is_taught_and_to_its_number() -> None:
    examples, vectors = made(2, 9, 0.1)
    others, far = strange(12)
    model = some(fit([*examples, *others], np.concatenate([vectors, far])))
    assert model.trained.strangers == 2
    alike = some(fit([*examples, *others], np.concatenate([vectors, vectors[:12]])))
    assert alike.trained.strangers == 0
    own, _ = strange(12, ships=False)
    all_of_them = some(fit([*examples, *own], np.concatenate([vectors, far])))
    assert all_of_them.trained.strangers == 12
    assert fit(own, far) is None
    assert fit([*own, *examples[:2], examples[9]], np.concatenate([far, vectors[[0, 1, 9]]])) is None


def test_that_what_is_likelier_wrong_than_right_never_counts_however_good_the_vote_is() -> None:
    examples, vectors = made(3, 30, 0.05)
    model = some(fit(examples, vectors))
    assert model.trained.accuracy == 1.0
    assert model.trained.threshold >= EVEN


def test_that_a_vote_tells_its_factors_what_backs_it_and_its_words() -> None:
    examples, vectors = made(3, 12, 0.1)
    model = some(fit(examples, vectors))
    vote = model.vote("cue1 text unseen", vectors[15])
    grounds = vote.grounds
    assert grounds.usual * grounds.known == pytest.approx(vote.confidence)
    assert grounds.is_backed
    assert [one.label for one in grounds.backing] == ["store 1"] * 5
    blurred = some(fit(*made(3, 12, 1.5)))
    assert blurred.vote("cue1 text unseen", vectors[15]).grounds.words[0].startswith("cue1")
    against = model.vote("cue1 text unseen", vectors[0])
    assert {one.label for one in against.nearest} == {"store 0"}
    assert against.grounds.is_backed == (against.label == "store 0")
    known = model.vote(examples[0].text, vectors[0])
    assert (known.confidence, known.grounds.usual, known.grounds.known) == (1.0, 1.0, 1.0)


def test_that_the_words_that_are_told_are_those_that_speak_for_the_label_as_they_are_read() -> None:
    words = ExampleWords.of(["start it now", "start it here", "since 2020 we", "since 2021 we"])
    lead = np.zeros(len(words.places))
    for feature, value in {"^ start": 0.9, "start": 0.8, "it": 0.5, "since <year>": 0.7}.items():
        lead[words.places[feature]] = value
    assert decisive_words(words, "start it 2020", lead) == ("start", "it")
    assert set(decisive_words(words, "start since 2020", lead)) == {"start", "since (year)"}
    assert decisive_words(words, "start it", -lead) == ()


def test_that_an_example_may_have_several_labels() -> None:
    examples, vectors = made(2, 8, 0.1)
    both = [TaughtExample(one.text, (*one.labels, "either")) for one in examples]
    model = some(fit(both, vectors))
    assert model.trained.accuracy == 1.0


def test_that_too_little_teaches_nothing() -> None:
    examples, vectors = made(2, 2, 0.1)
    assert fit(examples[:3], vectors[:3]) is None
    assert fit([TaughtExample(str(n), ("same",)) for n in range(4)], vectors) is None
    assert fit(examples, vectors) is not None


def test_that_the_threshold_is_the_least_with_the_precision_or_never() -> None:
    sure = np.linspace(1.0, 0.1, 20)
    right = np.array([True] * 15 + [False] * 5)
    assert threshold_for(sure, right, 0.9) == pytest.approx(sure[15])
    assert threshold_for(sure, ~right, 0.9) == NEVER
    assert threshold_for(sure, np.ones(20, np.bool_)) == pytest.approx(0.1)


def test_that_wrong_signs_are_not_believed() -> None:
    shares = np.array([[0.9, 0.1], [0.6, 0.4]] * 20)
    right = np.array([False, True] * 20)
    weights = example_model._calibrated(shares, np.full(40, 0.5), right)
    assert (weights[:-1] >= 0.0).all()


def test_that_words_are_taken_with_their_shapes_and_neighbours() -> None:
    found = features("Papers by Chen since 2021, page 7?")
    assert {"papers", "chen", "?", "<year>", "<number>", "^ papers", "by chen", "papers _ chen", "? $"} <= set(found)
    words = ExampleWords.of(["a b", "a c", "d"])
    assert set(words.places) == {"a", "^ a", "a _ $"}
    assert np.linalg.norm(words.row("a z")) == pytest.approx(1.0)
    assert not words.row("zzz").any()
    assert words.rows([]).shape == (0, 3)
    assert words.rows(["a", "b"]).shape == (2, 3)


SOURCES = (Provenance("one", "1", 8), Provenance("one, layers", "1", 8))
EXAMPLES = [TaughtExample(f"{'ask' if n % 2 else 'tell'} of {n}", (str(n % 2),), n < 5) for n in range(12)]
CHANCE = np.random.default_rng(2)
VECTORS = CHANCE.normal(size=(12, 8)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
LEARNED = VECTORS[:, ::-1].copy()
DIGEST = digest_of(EXAMPLES, SOURCES, by_subject=True)


def kept() -> dict[str, np.ndarray]:
    model = some(fit(EXAMPLES, VECTORS, LEARNED))
    file = io.BytesIO()
    arrays = arrays_of(model, DIGEST, SOURCES, [one.text for one in EXAMPLES], VECTORS, LEARNED)
    np.savez(file, allow_pickle=False, **arrays)
    file.seek(0)
    return dict(np.load(file, allow_pickle=False))


def test_that_a_model_that_is_read_again_votes_alike() -> None:
    model, again = fit(EXAMPLES, VECTORS, LEARNED), restored(kept(), EXAMPLES, SOURCES)
    assert some(again).trained == some(model).trained
    for text, left_out in (("tell of this", False), (EXAMPLES[3].text, False), (EXAMPLES[3].text, True)):
        one = some(model).vote(text, VECTORS[0], LEARNED[0], left_out=left_out)
        other = some(again).vote(text, VECTORS[0], LEARNED[0], left_out=left_out)
        assert (one.label, one.grounds.words) == (other.label, other.grounds.words)
        assert one.confidence == pytest.approx(other.confidence, abs=1e-3)
        assert [near.text for near in one.nearest] == [near.text for near in other.nearest]


def test_that_other_examples_vectors_or_labels_are_another_lesson() -> None:
    arrays = kept()
    assert is_of(arrays, DIGEST)
    others = (
        digest_of(EXAMPLES[:-1], SOURCES, by_subject=True),
        digest_of(EXAMPLES, SOURCES[:1], by_subject=True),
        digest_of(EXAMPLES, SOURCES, by_subject=False),
        digest_of([*EXAMPLES[:-1], TaughtExample(EXAMPLES[-1].text, ("0",))], SOURCES, by_subject=True),
    )
    assert not any(is_of(arrays, digest) for digest in others)
    assert not is_of({}, DIGEST)


def test_that_vectors_are_found_by_text_where_they_come_from_the_same_encoder() -> None:
    found = vectors_in(kept(), ["unheard of", EXAMPLES[7].text], SOURCES)
    assert list(found) == [EXAMPLES[7].text]
    assert found[EXAMPLES[7].text][0] == pytest.approx(VECTORS[7], abs=1e-3)
    assert found[EXAMPLES[7].text][1] == pytest.approx(LEARNED[7], abs=1e-3)
    assert not vectors_in(kept(), [EXAMPLES[7].text], SOURCES[:1])


@pytest.mark.parametrize("name", ["trained", "taken", "vectors", "words", "coefficients"])
def test_that_what_is_damaged_is_as_none(name: str) -> None:
    arrays = kept()
    del arrays[name]
    assert restored(arrays, EXAMPLES, SOURCES) is None
    assert restored({**kept(), "taken": np.array([99])}, EXAMPLES, SOURCES) is None


@pytest.mark.parametrize(
    "name", ["taken", "vectors", "telling", "coefficients", "intercepts", "sureness", "lonely", "left_out"]
)
def test_that_arrays_of_another_shape_or_of_no_numbers_are_as_none(name: str) -> None:
    arrays = kept()
    own = arrays[name]
    odd = [own[None], own[:0], own[..., :-1] if own.ndim > 1 else own[:, None]]
    if own.dtype.kind == "f":
        odd.append(np.full_like(own, np.nan))
    for array in odd:
        assert restored({**arrays, name: array}, EXAMPLES, SOURCES) is None, array.shape


def test_that_places_below_none_and_vectors_of_another_length_are_as_none() -> None:
    arrays = kept()
    assert restored({**arrays, "taken": arrays["taken"] - 1}, EXAMPLES, SOURCES) is None
    assert restored(arrays, EXAMPLES, [Provenance("one", "1", 8), Provenance("one, layers", "1", 9)]) is None


PRIOR_SOURCES = (Provenance("one", "1", 2), Provenance("one, layers", "1", 2))
NORTH, EAST = [0.0, 1.0], [1.0, 0.0]
PRIOR_EXAMPLES = [
    TaughtExample(f"{'ask' if n % 2 else 'tell'} of {n}", ("up",) if n % 2 else ("down",), True) for n in range(8)
]
PRIOR_VECTORS = np.array([NORTH if n % 2 else EAST for n in range(8)], np.float32)
BETWEEN = np.full(2, 0.5**0.5, np.float32)


def prior(*labels: str, counts: float = 40.0) -> Prior:
    rows = len(labels)
    words = np.zeros((rows, 2), np.float32)
    words[:, 1] = 0.5
    return Prior(np.tile(BETWEEN, (rows, 1)), words, ("nowhere", "of"), labels, np.full(rows, counts))


def test_that_a_query_that_examples_leave_open_is_answered_as_public_questions_are() -> None:
    for label in ("up", "down"):
        model = some(fit(PRIOR_EXAMPLES, PRIOR_VECTORS, by_subject=False, prior=prior(label)))
        assert model.vote("of all", BETWEEN).label == label


def test_that_labels_nobody_teaches_here_change_nothing() -> None:
    alone, beside = (
        fit(PRIOR_EXAMPLES, PRIOR_VECTORS, by_subject=False, prior=one) for one in (None, prior("elsewhere", ""))
    )
    assert np.array_equal(some(alone).regression.coefficients, some(beside).regression.coefficients)


def test_that_only_shared_words_are_read_each_in_its_place() -> None:
    words = ExampleWords({"of": 0, "ask": 1}, np.ones(2))
    rows = prior("up", "down").rows(words)
    assert rows.shape == (2, 4)
    assert np.array_equal(rows[:, 2:], [[0.5, 0.0], [0.5, 0.0]])
    assert prior("up").weights.tolist() == [40.0 * WEIGHT]


def test_that_it_is_read_again_beside_the_model_of_the_same_encoder_alone() -> None:
    model, file = fit(PRIOR_EXAMPLES, PRIOR_VECTORS, by_subject=False, prior=prior("up", "")), io.BytesIO()
    assert model is not None
    texts = [one.text for one in PRIOR_EXAMPLES]
    np.savez(
        file,
        allow_pickle=False,
        **arrays_of(model, "1", PRIOR_SOURCES, texts, PRIOR_VECTORS, PRIOR_VECTORS),
        **prior("up", "").arrays(),
    )
    file.seek(0)
    arrays = dict(np.load(file, allow_pickle=False))
    again = some(prior_in(arrays, PRIOR_SOURCES))
    assert again.labels == ("up", "")
    assert again.features == ("nowhere", "of")
    assert np.allclose(again.vectors, BETWEEN, atol=1e-3)
    assert prior_in(arrays, PRIOR_SOURCES[:1]) is None
    damaged = (
        ("prior counts", np.array([1.0])),
        ("prior counts", np.array([[1.0], [1.0]])),
        ("prior counts", np.array([1.0, -1.0])),
        ("prior counts", np.array([1.0, 1e300])),
        ("prior vectors", np.full((2, 2), np.nan)),
        ("prior vectors", np.ones(2)),
        ("prior vectors", np.ones((2, 1))),
        ("prior labels", np.array(["up"])),
    )
    for name, array in damaged:
        assert prior_in(arrays | {name: array}, PRIOR_SOURCES) is None
    assert (
        prior_in({name: array for name, array in arrays.items() if not name.startswith("prior")}, PRIOR_SOURCES) is None
    )


def test_that_rows_of_unlike_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="each row of a prior"):
        Prior(np.zeros((2, 2), np.float32), np.zeros((1, 1), np.float32), ("of",), ("up",), np.ones(1))
