"""The input of a fit from an index, for one kind of answer, and the stored result of a fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.fits import SHIPPED_MEMORIES, SHIPPED_POWERS, Contest, FitSource, Learned, Logit
from app.domain.library import Answer, Memory
from app.scoring.columns.column import Singles
from app.scoring.columns.descriptions import roles_of
from app.scoring.index.layout import Layout, group_of
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.learned import logit
from app.scoring.learned.defaults import few
from app.scoring.learned.fit import LEAST_CASES
from app.scoring.learned.model import VERSION, LearnedModel, Weights
from app.scoring.learned.taught import (
    NONE,
    LabelledQueries,
    OutOfScopeTexts,
    TrainingSet,
    digest_of_text,
    plain,
)
from app.scoring.text import name_in_words, sentences
from app.settings.model import Settings

_OF_MEMORIES, _OF_POWERS = (Task.INTENT, Task.MEMORY), (Task.POWER,)
"""The tasks whose labelled queries are used for each kind."""

MOST_CASES = 1_000
"""Maximum number of labelled queries in a fit.

The six weights change little with further ones.
"""

MOST_PHRASES = 30_000
"""Maximum number of phrases in a fit, shared evenly between the labels.

The fit takes seconds.
"""

SENTENCES_OF_EACH, MOST_SENTENCES, READ = 3, 1_500, 2_000
"""Maximum of sentences of a response that a fit uses, of all, and of characters of each."""

LEAST_LABELS = 2
"""With fewer labels there is nothing to tell apart."""

GIVE_WAY_AFTER = 2_000
"""Number of answers read between two calls of `between`, which let other work run."""

DIGITS = 3
"""Decimals of the weights, in every sum that people see; further decimals change no answer."""

FORMAT = 2

MOST_SECONDS = 1e11
"""Largest valid time, in seconds since 1970; a later time means a damaged file."""

UNTAUGHT, OUTDATED = -1, -2
"""The library fingerprint of a fit of background texts only, or by an earlier version."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The fitted model of each kind, None where too little is taught, and the background texts.

    `encoder` names the encoder of the vectors, `library` is the fingerprint of the library it was fitted on.
    """

    encoder: str
    library: int
    background: OutOfScopeTexts
    memories: LearnedModel | None = None
    powers: LearnedModel | None = None
    contests: Mapping[bool, Contest] = field(default_factory=dict)
    """Its results on labelled cases; the key is True for powers."""
    source: FitSource = field(default_factory=FitSource)
    """Description of the data it was fitted on, to show to people; `library` is the fingerprint."""

    @property
    def is_empty(self) -> bool:
        """True if too little was taught to fit anything."""
        return self.memories is None and self.powers is None

    @property
    def is_untaught(self) -> bool:
        """True if it holds only the background texts."""
        return self.library == UNTAUGHT

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all of it as arrays of numbers and UTF-8 bytes."""
        header: dict[str, Any] = {"format": FORMAT, "encoder": self.encoder, "library": self.library}
        header["source"] = astuple(self.source)
        header["contests"] = [[power, *astuple(contest)] for power, contest in self.contests.items()]
        about, others = json.dumps({**header, "texts": list(self.background.texts)}), self.background
        arrays: dict[str, NDArray[Any]] = {
            "about": np.frombuffer(about.encode(), np.uint8),
            "background": others.vectors.astype(np.float16),
            "meanings": others.cosine_vectors.astype(np.float16),
        }
        for kind, model in (("memories", self.memories), ("powers", self.powers)):
            if model is not None:
                arrays |= {f"{kind}.{name}": array for name, array in model.arrays().items()}
        return arrays

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Fit | None:
        """Return the fit that `arrays` stored.

        None if the format differs or the arrays do not fit together.
        """
        try:
            about = json.loads(bytes(np.asarray(arrays["about"], np.uint8)))
            if about["format"] != FORMAT:
                return None
            memories, powers = (_model(arrays, kind) for kind in ("memories", "powers"))
            vectors, semantic_vectors = (arrays[name].astype(np.float32) for name in ("background", "meanings"))
            background = OutOfScopeTexts(tuple(map(str, about["texts"])), vectors, semantic_vectors)
            contests = {bool(power): _contest(*numbers) for power, *numbers in about.get("contests", ())}
            source = _source(about.get("source", ()))
            is_current = all(model is None or model.version == VERSION for model in (memories, powers))
            library = int(about["library"]) if is_current else OUTDATED
            found = cls(str(about["encoder"]), library, background, memories, powers, contests, source)
            return found if found._is_whole() else None
        except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError):
            return None

    def _is_whole(self) -> bool:
        """Return whether its parts fit together.

        Raises ValueError or TypeError if a part is invalid.
        """
        others, models = self.background, [model for model in (self.memories, self.powers) if model is not None]
        for model in models:
            hash(model.labels)
        parts = (others.vectors, others.cosine_vectors)
        are_rows = all(part.ndim == 2 and len(part) == len(others.texts) for part in parts)
        are_finite = all(bool(np.isfinite(part).all()) for part in parts)
        fit = are_rows and all(len(model.centre) == others.vectors.shape[1] for model in models)
        return fit and are_finite and self.learned is not None

    @property
    def models(self) -> dict[bool, LearnedModel]:
        """The models that have a regression; the key is True for powers."""
        own = {False: self.memories, True: self.powers}
        return {power: model for power, model in own.items() if model is not None and model.has_regression}

    @property
    def learned(self) -> Learned:
        """The weights to decide with."""
        models = self.models
        weights = _logit(models.get(False), SHIPPED_MEMORIES), _logit(models.get(True), SHIPPED_POWERS)
        return Learned(*weights, self.contests.get(False), self.contests.get(True))


def _source(numbers: Sequence[float]) -> FitSource:
    *counts, made = numbers or (0, 0, 0, 0.0)
    memories, powers, cases = (max(0, int(count)) for count in counts)
    if not 0.0 <= float(made) < MOST_SECONDS:
        raise ValueError("a fit was made at some time")
    return FitSource(memories, powers, cases, float(made))


def _contest(
    cases: float, learned: float, other: float, p: float, low: float, high: float, is_outdone: bool, about: float
) -> Contest:
    counts = int(cases), int(learned), int(other)
    found = Contest(*counts, float(p), float(low), float(high), bool(is_outdone), int(about))
    if not (found.cases > 0 and np.isfinite([found.p, found.low, found.high]).all()):
        raise ValueError("a contest is of cases, and its numbers are finite")
    return found


def _model(arrays: Mapping[str, NDArray[Any]], kind: str) -> LearnedModel | None:
    own = {name.removeprefix(f"{kind}."): array for name, array in arrays.items() if name.startswith(f"{kind}.")}
    return LearnedModel.of_arrays(own) if own else None


def _logit(model: LearnedModel | None, shipped: Logit) -> Logit:
    if model is None:
        return shipped
    labelled = model.cases
    found = _of_weights(model.weights, shipped)
    cross_fitted = tuple(_of_weights(weights, shipped) for weights in labelled.cross_fitted)
    whether = {logit.WRONG: False, logit.RIGHT: True, logit.OUT_OF_SCOPE: None}
    outcomes = tuple((chance, whether[int(what)]) for chance, what in model.outcomes.tolist())
    return replace(
        found,
        phrases=model.phrases,
        evidence=model.evidence,
        case_digests=frozenset(labelled.texts),
        cross_fitted=cross_fitted,
        outcomes=outcomes,
    )


def _of_weights(own: Weights, shipped: Logit) -> Logit:
    return Logit(
        none=round(own.none, DIGITS),
        semantic=round(own.semantic, DIGITS),
        description=round(own.description, DIGITS),
        bm25=round(own.bm25, DIGITS),
        centroid=round(own.centroid, DIGITS),
        fuzzy=round(own.fuzzy, DIGITS),
        keyword=shipped.keyword,
        regression=round(own.lr, DIGITS),
        energy=round(own.energy, DIGITS),
        background=round(own.background, DIGITS),
    )


def settings_without_case(settings: Settings, text: str) -> Settings:
    """Return the settings for judging an answer to this text.

    If the text is a labelled query that the weights of `learned` were fitted with, these are the weights fitted
    without it: a fit that includes the query would only repeat its label.
    """
    learned = settings.learned
    if not (learned.memories.case_digests or learned.powers.case_digests):
        return settings
    own = learned.without_case(digest_of_text(text))
    return settings if own is learned else settings.with_learned(own)


def taught_of(index: TriggerIndex, layout: Layout, *, power: bool, between: Callable[[], None]) -> TrainingSet | None:
    """Return the training set of the triggers of one kind with vectors; None if too few.

    The labels are the groups with a common centroid and a valid answer. Powers may have no examples: they have
    descriptions. It only reads, and may run on a thread of its own. Raises LookupError if the index is changed
    meanwhile.
    """
    rows: list[int] = []
    owners: list[int] = []
    roles = [np.zeros((3, 0), np.bool_)]
    numbers: dict[Hashable, int] = {}
    lapsed = index.lapsed_labels()
    for place, slot in enumerate(layout.slots[layout.power_places if power else layout.memory_places].tolist()):
        candidate = index.candidate(slot)
        if (group := group_of(candidate.answer)) in lapsed:
            continue
        number = numbers.setdefault(group, len(numbers))
        rows += candidate.rows
        owners += [number] * len(candidate.rows)
        roles.append(roles_of(candidate.answer, len(candidate.rows)))
        if place % GIVE_WAY_AFTER == 0:
            between()
    semantic = index.semantic
    chosen, owner = np.array(rows, np.intp), np.array(owners, np.intp)
    known = np.flatnonzero(semantic.known[chosen]) if len(chosen) else chosen
    kept = known[_of_each(owner[known])][:MOST_PHRASES]
    chosen = chosen[kept]
    marks = np.concatenate(roles, axis=1)[:, kept] if power else ()
    names, owner = np.unique(owner[kept], return_inverse=True)
    if len(names) < LEAST_LABELS:
        return None
    labels = list(numbers)
    texts = [index.text(row) for row in chosen.tolist()]
    named = tuple(labels[name] for name in names.tolist())
    return TrainingSet(named, owner.astype(np.intp), texts, semantic.vectors[chosen], None, *marks)


def names_of(taught: TrainingSet) -> dict[int, str]:
    """Return the names of labels that read as words, by label number.

    None where there are phrases enough, and of powers, whose names are phrases. A name that is itself a phrase of
    its label is left out: a fold would hold out the phrase, and not the name.
    """
    if taught.has_descriptions or not few(taught.examples):
        return {}
    phrases = {(owner, plain(text)) for owner, text in zip(taught.owners.tolist(), taught.texts, strict=True)}
    names = ((number, name_in_words(label)) for number, label in enumerate(taught.labels) if isinstance(label, str))
    return {number: name for number, name in names if name and (number, name) not in phrases}


def sentences_of(index: TriggerIndex, layout: Layout, taught: TrainingSet) -> list[tuple[int, str]]:
    """Return the first sentences of the responses of memories, with the numbers of their labels.

    None where there are phrases enough, and of powers. Raises LookupError if the index is changed meanwhile.
    """
    if taught.has_descriptions or not few(taught.examples):
        return []
    numbers = {label: number for number, label in enumerate(taught.labels)}
    answers = [index.candidate(slot).answer for slot in layout.slots[layout.memory_places].tolist()]
    known = [one for one in answers if group_of(one) in numbers]
    return [(numbers[group_of(one)], text) for one in known for text in _read_of(one, len(answers))]


def _read_of(answer: Answer, memories: int) -> list[str]:
    """Return the sentences of a response that a fit of this many memories reads."""
    most = min(SENTENCES_OF_EACH, MOST_SENTENCES // max(1, memories))
    return sentences(answer.response[:READ])[:most] if most and isinstance(answer, Memory) else []


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A labelled query with the labels that are right for it.

    The labels are empty where nothing taught is right.
    """

    text: str
    labels: tuple[Hashable, ...]


def labelled_of(
    index: TriggerIndex, layout: Layout, cases: Sequence[Case], *, power: bool, between: Callable[[], None]
) -> list[LabelledText]:
    """Return at most MOST_CASES labelled queries of one kind for a fit, sorted by digest.

    Cases that expect an answer which is not taught, or that only list wrong answers, are left out. Raises
    LookupError if the index is changed meanwhile.
    """
    own = [case for case in cases if case.task in (_OF_POWERS if power else _OF_MEMORIES) and not case.unwanted]
    if len(own) < LEAST_CASES:
        return []
    groups: dict[tuple[Task, str], Hashable] = {}
    for place, slot in enumerate(layout.slots[layout.power_places if power else layout.memory_places].tolist()):
        answer = index.candidate(slot).answer
        group = group_of(answer)
        if power:
            groups[Task.POWER, answer.name] = group
        else:
            groups[Task.MEMORY, answer.name] = groups[Task.INTENT, answer.answer_label or answer.name] = group
        if place % GIVE_WAY_AFTER == 0:
            between()
    found: dict[int, LabelledText] = {}
    for case in sorted(own, key=lambda case: (digest_of_text(case.text), case.task.value)):
        expected = [name for name in case.expected if name not in NO_MATCH_WORDS]
        known = [groups[case.task, name] for name in expected if (case.task, name) in groups]
        if case.text.strip() and len(known) == len(expected):
            found.setdefault(digest_of_text(case.text), LabelledText(case.text, tuple(dict.fromkeys(known))))
    return list(found.values())[:MOST_CASES]


def cases_of(
    labelled: Sequence[LabelledText], taught: TrainingSet, vectors: Singles, semantic_vectors: Singles
) -> LabelledQueries:
    """Return the labelled queries in the form a fit reads, from vectors of shape (texts, any).

    Each query appears once for each of its labels that the fit knows.
    """
    numbers = {label: number for number, label in enumerate(taught.labels)}
    rows, owners, shares = list[int](), list[int](), list[float]()
    for row, one in enumerate(labelled):
        known = [numbers[label] for label in one.labels if label in numbers] if one.labels else [NONE]
        rows += [row] * len(known)
        owners += known
        shares += [1.0 / len(known)] * len(known)
    places = np.array(rows, np.intp)
    texts = [labelled[row].text for row in rows]
    return LabelledQueries(
        np.array(owners, np.intp), texts, vectors[places], semantic_vectors[places], np.array(shares)
    )


def digest_of_cases(labelled: Sequence[LabelledText]) -> int:
    """Return a number that identifies the labelled queries and their labels."""
    texts = (repr((one.text, one.labels)).encode("utf-8", "surrogatepass") for one in labelled)
    return sum(int.from_bytes(blake2b(one, digest_size=7).digest()) for one in texts)


def _of_each(owners: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the positions of the first phrase of each label, then of the second, and so on."""
    order = np.argsort(owners, kind="stable")
    sizes = np.bincount(owners)
    turns = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found: NDArray[np.intp] = order[np.argsort(turns, kind="stable")]
    return found


def digest_of(index: TriggerIndex, layout: Layout, between: Callable[[], None]) -> int:
    """Return a number that identifies all texts of labels with a valid answer, in any order.

    Raises LookupError if the index is changed meanwhile.
    """
    total, lapsed = 0, index.lapsed_labels()
    for place, slot in enumerate(layout.slots.tolist()):
        candidate = index.candidate(slot)
        if (group := group_of(candidate.answer)) in lapsed:
            continue
        name = f"{candidate.answer.kind} {group}"
        read = _read_of(candidate.answer, len(layout.memory_places))
        for text in (*map(index.text, candidate.rows), *(f"\0{one}" for one in read)):
            content = f"{name}\0{text}".encode("utf-8", "surrogatepass")
            total += int.from_bytes(blake2b(content, digest_size=7).digest())
        if place % GIVE_WAY_AFTER == 0:
            between()
    return total % 2**63
