"""Benchmark of `learned` on small libraries: 10 to 60 labels of public sets, with 1 to 5 phrases each.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.small_libraries DATA [--libraries N] [--cache FOLDER] [--fit]

DATA holds clinc150, banking77 and metatool (resources/datasets/README.md names their sources). Half of the queries of a
library are out of scope: near ones are of labels of the same domain that were left out, far ones of another set. Seeds
are fixed; the encoder that ships makes the vectors, once. Some phrases are asked again with slips of the keys. Figures
of other draws do not compare: the centroid alone has top-1 0.81 here, and 0.85 where all labels have three phrases.
The memories in libraries.jsonl are our own texts: a few phrases per label that differ from each other, and queries in
other words, as people write and ask them. Phrases and queries of the public sets were collected in the same way, so
they are closer to each other.
--fit prints the weights that suit them (OF_FEW and NONE_OF of app/scoring/learned/defaults.py), and how they fare on
each set where they were fitted on the others; it takes scipy. Each drawn library counts twice there, with and without
the names of its labels. Each handwritten one is judged by a fit without it.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.adapters.encoders.minilm import FOLDER, MiniLm
from app.scoring.learned import logit
from app.scoring.learned.defaults import NONE_OF, none_inputs
from app.scoring.learned.fit import LabelledBatch, View, fit
from app.scoring.learned.library import names_of
from app.scoring.learned.logit import ChoiceSets
from app.scoring.learned.model import LearnedModel, Weights
from app.scoring.learned.regression import Solution, letters_of_each
from app.scoring.learned.taught import NONE, LabelTexts, OutOfScopeTexts, TrainingSet, tightness
from app.scoring.text import name_in_words, sentences

SETS = ("clinc150", "banking77", "metatool")
ASKED = 60
"""Number of in-scope queries, and of out-of-scope ones, half of which are near."""

MONEY = ("banking", "credit_cards")
"""Domains of CLINC150 that BANKING77 is about."""

MEDIUM, HIGH = 0.5, 0.75

SLIPPED, SLIP_SHARE = 25, 0.2
"""Number of phrases, and of in-scope queries, with typing errors; their weight in a fit."""

IN_SCOPE, NEAR, FAR, SLIP = range(4)
"""The kinds of queries."""

HANDWRITTEN, HANDWRITTEN_SHARE = Path(__file__).parent / "libraries.jsonl", 0.1
"""Our own libraries of memories and powers, one a line, and the weight of memories in a fit."""

GIVEN = {"bm25": 0.1, "energy": 0.0, "background": 0.17}
"""Weights that a fit leaves: fitted, they answer far queries and reject no near ones."""

RIDGE = 1e-4
"""Pull of each weight of a fit to 0, relative to the mean loss."""

Sets = dict[str, dict[str, dict[str, list[str]]]]
"""Phrases by set, domain and label."""


class Texts:
    """Vectors of texts, each computed once and stored in a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "vectors.npz"
        self._places: dict[str, int] = {}
        self._parts: list[NDArray[np.float32]] = [np.zeros((0, 384), np.float32)] * 2
        if self._file.is_file():
            held = np.load(self._file, allow_pickle=False)
            self._places = {text: place for place, text in enumerate(held["texts"].tolist())}
            self._parts = [held[name].astype(np.float32) for name in ("cosine", "learned")]

    def need(self, texts: list[str]) -> None:
        missing = [text for text in dict.fromkeys(texts) if text not in self._places]
        if not missing:
            return
        both = MiniLm.load().encode_layers(missing)
        self._places |= {text: place for place, text in enumerate(missing, len(self._places))}
        self._parts = [np.concatenate(pair).astype(np.float32) for pair in zip(self._parts, both, strict=True)]

    def keep(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        cosine, learned = (part.astype(np.float16) for part in self._parts)
        np.savez(self._file, texts=np.array(list(self._places)), cosine=cosine, learned=learned)

    def of(self, texts: list[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the vectors for cosines, and those for learning."""
        places = [self._places[text] for text in texts]
        return self._parts[0][places], self._parts[1][places]


@dataclass(frozen=True)
class Drawn:
    """Library with its queries, each of one kind."""

    source: str
    taught: TrainingSet
    asked: LabelledBatch
    kinds: NDArray[np.intp]


@dataclass(frozen=True)
class Outcome:
    """Result of each query: probability of the best answer, its correctness, and the kind."""

    source: str
    chances: NDArray[np.float64]
    right: NDArray[np.bool_]
    kinds: NDArray[np.intp]


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def phrases_of(data: Path, source: str) -> dict[str, dict[str, list[str]]]:
    """Return the phrases by domain and label; a set without domains is one domain."""
    found: dict[str, dict[str, list[str]]] = {}
    if source == "metatool":
        given = [row for row in rows(data / source / "queries.jsonl") if row["kind"] == "single"]
        every = [("", row["tools"][0], row["text"]) for row in given]
    else:
        files = ("patterns", "validation") if source == "clinc150" else ("patterns",)
        given = [row for name in files for row in rows(data / source / f"{name}.jsonl") if row["intent"] != "oos"]
        every = [(row.get("domain", ""), row["intent"], row["text"]) for row in given]
    for domain, label, text in every:
        own = found.setdefault(domain, {}).setdefault(label, [])
        if text not in own:
            own.append(text)
    return {
        domain: usable
        for domain, labels in found.items()
        if len(usable := {label: own for label, own in labels.items() if len(own) >= 12}) >= 12
    }


def far_of(sets: Sets, source: str) -> list[dict[str, list[str]]]:
    """Return labels of other sets; money is the only subject of two sets."""
    others = {name: domains for name, domains in sets.items() if name != source}
    if source == "clinc150":
        del others["banking77"]
    return [labels for domains in others.values() for name, labels in domains.items() if name not in MONEY]


def slipped(text: str, chance: np.random.Generator, count: int) -> str:
    """Return the text with typing errors, each within a word of four letters or more."""
    for _ in range(count):
        parts = text.split(" ")
        long = [place for place, part in enumerate(parts) if len(part) >= 4 and part.isalpha()]
        if not long:
            return text
        place = int(chance.choice(long))
        word, at = parts[place], int(chance.integers(1, len(parts[place]) - 1))
        other = "abcdefghijklmnopqrstuvwxyz"[int(chance.integers(26))]
        middles = (
            word[at + 1 :],
            word[at + 1] + word[at] + word[at + 2 :],
            other + word[at + 1 :],
            word[at - 1] + word[at:],
        )
        parts[place] = word[:at] + middles[int(chance.integers(4))]
        text = " ".join(parts)
    return text


def draw(sets: Sets, texts: Texts, source: str, seed: int) -> Drawn:
    """Draw a library of 10 to 60 labels with 1 to 5 phrases each.

    A quarter of its domains' labels is left out.
    """
    chance = np.random.default_rng([seed, SETS.index(source)])
    domains = sets[source]
    wanted = int(chance.integers(10, 61))
    phrases: dict[str, list[str]] = {}
    for domain in chance.permutation(list(domains)).tolist():
        if len(phrases) < wanted * 4 // 3:
            phrases |= domains[domain]
    labels = chance.permutation(list(phrases)).tolist()
    kept = labels[: min(wanted, len(labels) * 3 // 4)]
    taught: list[tuple[int, str]] = []
    inside: list[tuple[int, str]] = []
    for number, label in enumerate(kept):
        own = chance.permutation(phrases[label]).tolist()
        count = int(chance.integers(1, 6))
        taught += [(number, text) for text in own[:count]]
        inside += [(number, text) for text in own[count : count + 8]]
    near = [text for label in labels[len(kept) :] for text in chance.permutation(phrases[label]).tolist()[:8]]
    elsewhere = [text for labels in far_of(sets, source) for own in labels.values() for text in own]
    own = [inside[place] for place in chance.permutation(len(inside))[:ASKED].tolist()]
    strangers = chance.permutation(near)[: ASKED // 2].tolist(), chance.choice(elsewhere, ASKED // 2).tolist()
    again = [taught[place] for place in chance.permutation(len(taught))[:SLIPPED].tolist()]
    slips = [(owner, slipped(text, chance, 2)) for owner, text in again]
    slips += [(owner, slipped(text, chance, int(chance.integers(1, 3)))) for owner, text in own[:SLIPPED]]
    asked = [*own, *((NONE, text) for of_kind in strangers for text in of_kind), *slips]
    kinds = np.repeat([IN_SCOPE, NEAR, FAR, SLIP], [len(own), *map(len, strangers), len(slips)])
    return drawn_of(source, kept, taught, asked, kinds, texts)


def handwritten(texts: Texts) -> list[Drawn]:
    found = []
    for library in rows(HANDWRITTEN):
        if library["kind"] != "memories":
            continue
        items = list(enumerate(library["items"]))
        taught, asked = ([(owner, text) for owner, item in items for text in item[of]] for of in ("texts", "requests"))
        told = [(owner, text) for owner, item in items for text in sentences(item["answer"])[:3]]
        strangers = library["unserved"], library["elsewhere"]
        kinds = np.repeat([IN_SCOPE, NEAR, FAR], [len(asked), *map(len, strangers)])
        asked += [(NONE, text) for of_kind in strangers for text in of_kind]
        labels = [item["name"] for _, item in items]
        found.append(drawn_of(library["library"], labels, taught, asked, kinds, texts, told))
    return found


def drawn_of(
    source: str,
    labels: list[str],
    taught: list[tuple[int, str]],
    asked: list[tuple[int, str]],
    kinds: NDArray[np.intp],
    texts: Texts,
    told: Sequence[tuple[int, str]] = (),
) -> Drawn:
    rows, queries = [text for _, text in taught], [text for _, text in asked]
    texts.need([*rows, *queries, *(name_in_words(label) for label in labels), *(text for _, text in told)])
    cosine, learned = texts.of(rows)
    training = TrainingSet(tuple(labels), np.array([owner for owner, _ in taught], np.intp), rows, learned, cosine)
    names = names_of(training)
    if about := [*names.items(), *told]:
        own_texts, places = [text for _, text in about], np.array([owner for owner, _ in about], np.intp)
        training = replace(training, about=LabelTexts(places, own_texts, texts.of(own_texts)[1], len(names)))
    cosine, learned = texts.of(queries)
    owners = np.array([owner for owner, _ in asked], np.intp)
    return Drawn(source, training, LabelledBatch(owners, queries, learned, cosine, letters_of_each(queries)), kinds)


def asked_of(drawn: Drawn, model: LearnedModel) -> ChoiceSets:
    solution = Solution(model.coefficients, model.intercepts, 0)
    view = View(drawn.taught, np.arange(len(drawn.taught.owners)), solution, model.centre, lambda: None)
    return view.questions(drawn.asked, model.weights, lambda: None)


def outcome(drawn: Drawn, asked: ChoiceSets, weights: Weights) -> Outcome:
    found = logit.outcomes(asked, weights).astype(np.float64)
    return Outcome(drawn.source, found[:, 0], found[:, 1] == logit.RIGHT, drawn.kinds)


Told = tuple[Drawn, ChoiceSets]

SIMPLE = {"nearest": (1,), "centroid": (4,), "their mean": (1, 4), "regression": (0,)}
"""Simple combinations, as places of features; they have an order, but no probability of *none*."""


def simple(libraries: list[Told], places: tuple[int, ...]) -> str:
    """Format the ranking figures of a simple combination in a line, with the first answer right by set."""
    first = dict[str, list[NDArray[np.bool_]]]()
    values, inside = [], []
    for drawn, asked in libraries:
        scores = asked.candidates[:, :, places].sum(axis=2)
        is_inside, counts = drawn.kinds == IN_SCOPE, drawn.kinds != SLIP
        first.setdefault(drawn.source, []).append((scores.argmax(axis=1) == asked.right)[is_inside])
        values.append(scores.max(axis=1)[counts])
        inside.append(is_inside[counts])
    each = "  ".join(f"{source} {np.concatenate(first[source]).mean():.3f}" for source in SETS if source in first)
    whole = np.concatenate([one for own in first.values() for one in own]).mean()
    return f"top-1 {whole:.3f}  auroc {auroc(np.concatenate(values), np.concatenate(inside)):.3f}  ({each})"


def ece(chances: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    bins = np.minimum((chances * 15).astype(int), 14)
    own = [bins == number for number in range(15)]
    return sum(abs(float(chances[one].mean() - right[one].mean())) * float(one.mean()) for one in own if one.any())


def auroc(values: NDArray[np.float64], inside: NDArray[np.bool_]) -> float:
    """Compute the share of pairs in which the in-scope query has the larger value."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values)] = np.arange(1, len(values) + 1)
    count = int(inside.sum())
    return float(ranks[inside].sum() - count * (count + 1) / 2) / (count * (len(values) - count))


def told(name: str, outcomes: list[Outcome]) -> str:
    every = [
        np.concatenate(part) for part in zip(*((one.chances, one.right, one.kinds) for one in outcomes), strict=True)
    ]
    chances, right, kinds = every[0], every[1].astype(np.bool_), every[2]
    answered, slips = right & (chances >= MEDIUM), kinds == SLIP
    near, far = (float((chances[kinds == kind] >= HIGH).mean()) for kind in (NEAR, FAR))
    typed = float(answered[slips].mean()) if slips.any() else float("nan")
    chances, right, answered, inside = chances[~slips], right[~slips], answered[~slips], kinds[~slips] == IN_SCOPE
    decided = np.where(inside, answered, chances < MEDIUM)
    figures = {
        "top-1": right[inside].mean(),
        "answered": answered[inside].mean(),
        "rightly": decided.mean(),
        "ece": ece(chances, right),
        "auroc": auroc(chances, inside),
        "near": near,
        "far": far,
        "with slips": typed,
    }
    return f"{name:10} {len(outcomes):4} " + "  ".join(f"{figure} {value:.3f}" for figure, value in figures.items())


def fitted(libraries: list[Told]) -> NDArray[np.float64]:
    """Fit the weights of least loss, and the dependence of `none` on the library."""
    from scipy.optimize import minimize  # type: ignore[import-untyped,unused-ignore]

    near = [lies_of(drawn.taught) for drawn, _ in libraries]
    sets = [replace(asked, weights=np.where(drawn.kinds == SLIP, SLIP_SHARE, 1.0)) for drawn, asked in libraries]
    is_ours = [drawn.source not in SETS for drawn, _ in libraries]
    public = sum(float(one.weights.sum()) for one, ours in zip(sets, is_ours, strict=True) if not ours)
    each = public * HANDWRITTEN_SHARE / (1.0 - HANDWRITTEN_SHARE) / max(1, sum(is_ours))
    sets = [one.scaled_to(each) if ours else one for one, ours in zip(sets, is_ours, strict=True)]
    whole = sum(float(one.weights.sum()) for one in sets)

    def value(at: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        loss, slope = RIDGE * whole * float(at @ at), 2.0 * RIDGE * whole * at
        for one, lies in zip(sets, near, strict=True):
            own = at[: -len(NONE_OF)].copy()
            own[-1] += float(at[-len(NONE_OF) :] @ lies)
            loss += logit.loss(one, own, own, 0.0)
            gradient, _ = logit.gradient_and_hessian(one, own, own, 0.0)
            slope += np.concatenate([gradient, gradient[-1] * lies])
        return loss / whole, slope / whole

    names, free = [field.name for field in fields(Weights)], zip(logit.LOWER_BOUNDS, logit.UPPER_BOUNDS, strict=True)
    bounds = [(GIVEN.get(name, low), GIVEN.get(name, high)) for name, (low, high) in zip(names, free, strict=True)]
    bounds += [(None, None)] * len(NONE_OF)
    start = [GIVEN.get(name, 0.0) for name in names] + [0.0] * len(NONE_OF)
    found: NDArray[np.float64] = minimize(value, np.array(start), jac=True, bounds=bounds, method="L-BFGS-B").x
    return found


def weights_of(found: NDArray[np.float64], taught: TrainingSet) -> Weights:
    *numbers, constant = found[: -len(NONE_OF)].tolist()
    none = constant + float(found[-len(NONE_OF) :] @ lies_of(taught))
    return Weights(**dict(zip((field.name for field in fields(Weights)), (*numbers, none), strict=True)))


def lies_of(taught: TrainingSet) -> NDArray[np.float64]:
    """Return the values of a library that its constant of none depends on."""
    return np.array(none_inputs(*tightness(taught), taught.named))


def background_of() -> OutOfScopeTexts:
    """Load the shipped background texts with their vectors."""
    held = np.load(FOLDER / "background.npz")
    texts = json.loads(bytes(held["about"]))["texts"]
    return OutOfScopeTexts(texts, held["background"].astype(np.float32), held["meanings"].astype(np.float32))


def drawn_libraries(data: Path, texts: Texts, count: int) -> list[Drawn]:
    """Draw this many libraries, a third of each set."""
    sets = {source: phrases_of(data, source) for source in SETS}
    texts.need([text for domains in sets.values() for own in domains.values() for of in own.values() for text in of])
    found = [draw(sets, texts, SETS[seed % len(SETS)], seed) for seed in range(count)]
    texts.keep()
    return found


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--libraries", type=int, default=200)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "small-libraries")
    parser.add_argument("--fit", action="store_true", help="print the weights that suit them")
    arguments = parser.parse_args(given)
    background = background_of()
    libraries = list[Told]()
    texts = Texts(arguments.cache)
    drawn_with_names = drawn_libraries(arguments.data, texts, arguments.libraries)
    nameless = (replace(one, taught=replace(one.taught, about=None)) for one in drawn_with_names)
    for title, every in (("with", drawn_with_names + handwritten(texts)), ("without", nameless)):
        outcomes, own = [], list[Told]()
        for drawn in every:
            model = fit(drawn.taught, background)
            own.append((drawn, asked_of(drawn, model)))
            outcomes.append(outcome(*own[-1], model.weights))
        report(f"as it is, {title} the names of labels", outcomes)
        drawn_alone = [one for one in own if one[0].source in SETS]
        print("simple combinations, of the drawn libraries")
        print(*(f"{name:10} {simple(drawn_alone, places)}" for name, places in SIMPLE.items()), sep="\n")
        libraries += own
    if arguments.fit:
        outcomes = []
        for source in dict.fromkeys(one[0].source for one in libraries):
            found = fitted([one for one in libraries if one[0].source != source])
            own = [one for one in libraries if one[0].source == source]
            outcomes += [outcome(drawn, asked, weights_of(found, drawn.taught)) for drawn, asked in own]
        report("fitted on the others", outcomes)
        inputs = ("own", "other", "named")
        names = [*(field.name for field in fields(Weights)), *(f"none of {name}" for name in inputs)]
        print(*(f"  {name:14} {weight:6.2f}" for name, weight in zip(names, fitted(libraries), strict=True)), sep="\n")


def report(title: str, outcomes: list[Outcome]) -> None:
    print(title)
    for source in SETS:
        print(told(source, [one for one in outcomes if one.source == source]))
    print(told("drawn", [one for one in outcomes if one.source in SETS]))
    if ours := [one for one in outcomes if one.source not in SETS]:
        print(told("ours", ours))


if __name__ == "__main__":
    main()
