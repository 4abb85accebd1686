"""Fit the weights that ship in app/scoring/learned/defaults.py anew, on public sets, and print them.

    python packaging/weights.py DATA [--vectors FILE] [--part memories|taught|described|tiers] [--trade]

DATA holds clinc150, banking77, metatool, mcp_powers and question_type (resources/datasets/README.md names their
sources); of each only what is there to learn from is read: patterns and validation queries of CLINC150, patterns of
BANKING77, a half of MetaTool's queries by the digest of their text. Libraries of many sizes are drawn from them with a
fixed seed; each is taught as the program is, and asked by texts that it does not know. FILE keeps the vectors, so that
a second run encodes nothing. Beside the weights it prints how each library fares before and after. It takes scipy, the
program's own environment, and OMP_NUM_THREADS=1 where the processor is busy.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tiers import fit_tiers

from app.domain.library import Power, Tool
from app.scoring.learned import logit
from app.scoring.learned.defaults import described, of_many, taught_powers
from app.scoring.learned.inputs import centre_of, inputs_of, letters_of_each
from app.scoring.learned.logit import ChoiceSets
from app.scoring.learned.model import Weights
from app.scoring.learned.regression import Problem, solve
from app.scoring.learned.taught import NONE, Background, TrainingSet
from app.scoring.learned.views import LabelledBatch, View

if TYPE_CHECKING:
    from app.scoring.learned.model import Floats

PROJECT = Path(__file__).resolve().parent.parent

ELSEWHERE_STEP = 12
"""Of the questions of elsewhere, one of so many is a stranger to the tiers."""

ASKED, STRANGERS = 300, 150
"""So many queries of what is taught, and of each kind of strangers, a library is asked at most."""

MEMORY_SHARES = {"own": 0.92, "label": 0.03, "elsewhere": 0.05}
POWER_SHARES = {"own": 0.65, "label": 0.05, "elsewhere": 0.30}
DESCRIBED_SHARES = {"own": 0.50, "label": 0.05, "elsewhere": 0.45}
DESCRIBED_SHARES_WITH_REQUESTS = {"own": 0.50, "label": 0.05, "elsewhere": 0.25, "requests": 0.20}
"""How much each kind of query counts: of what is taught, of labels that are not, of elsewhere. Powers that are only
described are asked by strangers as often as by those that they serve, since much of what people type is for none."""

SERVED = {"calendar", "calendar_update", "meeting_schedule", "schedule_meeting", "weather", "reminder",
          "reminder_update", "todo_list", "todo_list_update", "pay_bill", "text", "transactions"}  # fmt: skip
"""Labels of CLINC150 that a power of the seed library may serve; requests of the others are strangers there."""

RIDGE, DESCRIBED_RIDGE = 0.002, 0.15
"""The pull of each coefficient to what ships, a share of the mean loss: what the sets do not tell stays. It is stronger
where powers are only described: public sets have no keywords, and few libraries tell what those are worth."""

WEAK, HIGH = 0.3, 0.9
"""From these confidences on a power is offered, and started."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Library:
    """What one library's queries tell: its questions, and the numbers that its weights may hang on."""

    name: str
    along: tuple[float, ...]
    asked: ChoiceSets
    before: Weights
    share: float = 1.0
    """How much it counts among the others."""


class Texts:
    """Vectors of texts by the encoder that ships, each made once."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._places: dict[str, int] = {}
        self._cosine, self._learned = np.zeros((0, 384), np.float16), np.zeros((0, 384), np.float16)
        if file is not None and file.is_file():
            held = np.load(file, allow_pickle=False)
            self._cosine, self._learned = held["cosine"], held["learned"]
            self._places = {text: place for place, text in enumerate(held["texts"].tolist())}

    def need(self, texts: Sequence[str]) -> None:
        """Encode those that are not known yet, and keep them."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._places]
        if not missing:
            return
        from app.adapters.encoders.minilm import MiniLm

        cosine, learned = MiniLm.load().encode_layers(missing)
        self._places |= {text: len(self._places) + number for number, text in enumerate(missing)}
        self._cosine = np.concatenate([self._cosine, cosine.astype(np.float16)])
        self._learned = np.concatenate([self._learned, learned.astype(np.float16)])
        if self._file is not None:
            np.savez(self._file, texts=np.array(list(self._places)), cosine=self._cosine, learned=self._learned)

    def of(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """The vectors that cosines are taken of, and those that a learner reads."""
        places = [self._places[text] for text in texts]
        return self._cosine[places].astype(np.float32), self._learned[places].astype(np.float32)


def rows(file: Path) -> Rows:
    """The records of a file of JSON Lines."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def half(text: str) -> int:
    """0 or 1 by the digest of a text: 0 is fitted on, 1 judged with."""
    return hashlib.sha256(text.casefold().encode()).digest()[0] % 2


# ---- libraries, and what they are asked


def batch(texts: Texts, owners: Sequence[int], asked: Sequence[str]) -> LabelledBatch:
    """Queries as a view reads them."""
    cosine, learned = texts.of(asked)
    return LabelledBatch(np.array(owners, np.intp), list(asked), learned, cosine, letters_of_each(asked))


def view_of(texts: Texts, taught: TrainingSet, background: Background) -> View:
    """A library and the regression on all of it."""
    centre = centre_of(taught.vectors, background.vectors)
    vectors = np.concatenate([taught.vectors, background.vectors])
    letters = np.concatenate([letters_of_each(taught.texts), letters_of_each(background.texts)])
    count = len(taught.labels)
    classes = np.concatenate([taught.owners, np.full(len(background.texts), count, np.intp)])
    inputs = inputs_of(vectors, letters, centre)
    found = solve(Problem(inputs, classes, np.ones(len(classes), np.float32), count + 1))
    return View(taught, np.arange(len(taught.owners)), found, centre, lambda: None)


def taught_set(
    texts: Texts, labels: Sequence[str], phrases: Sequence[tuple[int, str, bool, bool]], are_powers: bool
) -> TrainingSet:
    """From label number, text, whether it is a query, and whether it is one of several paragraphs."""
    owners = np.array([owner for owner, *_ in phrases], np.intp)
    own = [text for _, text, *_ in phrases]
    cosine, learned = texts.of(own)
    queries = np.array([is_query for *_, is_query, _ in phrases]) if are_powers else None
    paragraphs = np.array([several for *_, several in phrases]) if are_powers else None
    return TrainingSet(tuple(labels), owners, own, learned, cosine, queries, paragraphs)


def questions(
    view: View, own: LabelledBatch, strangers: dict[str, LabelledBatch], shares: dict[str, float], usual: Weights
) -> ChoiceSets:
    """All that a library is asked, each kind counting its share of 1."""
    parts = [view.questions(own, usual, lambda: None).scaled_to(shares["own"])]
    for kind, asked in strangers.items():
        if len(asked.owners):
            parts.append(view.questions(asked, usual, lambda: None).scaled_to(shares[kind]))
    return ChoiceSets.joined(parts)


def power_phrases(power: Power, number: int, examples: Sequence[str] = ()) -> list[tuple[int, str, bool, bool]]:
    """The triggers of a power as rows of a library."""
    several = set(power.paragraphs) if len(power.paragraphs) > 1 else set()
    found = [(number, text, text in power.examples, text in several) for text in power.triggers]
    return found + [(number, text, True, False) for text in examples if text not in power.triggers]


class Sets:
    """The public sets, parted into what is fitted on and what is judged with."""

    def __init__(self, data: Path, texts: Texts) -> None:
        self.texts = texts
        clinc = rows(data / "clinc150" / "patterns.jsonl")
        validation = [row for row in rows(data / "clinc150" / "validation.jsonl") if row["intent"] != "oos"]
        bank = rows(data / "banking77" / "patterns.jsonl")
        tools = [row for row in rows(data / "metatool" / "queries.jsonl") if half(row["text"]) == 0]
        single = [row | {"intent": row["tools"][0]} for row in tools if row["kind"] == "single"]
        self.phrases = {
            "clinc150": grouped([*clinc, *validation]),
            "banking77": grouped(bank),
            "metatool": grouped(single),
        }
        self.requests = requests_for_none(clinc)
        self.tool_strangers = [row["text"] for row in tools if row["kind"] == "none"]
        self.tool_queries = [(row["text"], tuple(row["tools"])) for row in tools if row["kind"] == "single"]
        self.elsewhere = questions_of_elsewhere(data)
        self.tools = {row["name"]: metatool_power(row) for row in rows(data / "metatool" / "powers.jsonl")}
        self.plain_tools = {name: Power(name, power.paragraphs[0]) for name, power in self.tools.items()}
        self.servers = [server_power(row) for row in rows(data / "mcp_powers" / "powers.jsonl")]
        self.seed = [seed_power(row) for row in rows(PROJECT / "resources" / "seed" / "powers.jsonl")]
        tuning = rows(PROJECT / "resources" / "datasets" / "tiers-tune.jsonl")
        self.seed_queries = [(row["text"], tuple(row["expected"])) for row in tuning if len(row["expected"]) < 2]
        asked = [row for row in rows(data / "mcp_powers" / "queries.jsonl") if half(row["text"]) == 0]
        self.server_queries = [(row["text"], tuple(row["acceptable"])) for row in asked]
        lines = (PROJECT / "resources" / "datasets" / "background.txt").read_text("utf-8").splitlines()
        own = [text for groups in self.phrases.values() for group in groups.values() for text in group]
        powers = [*self.tools.values(), *self.plain_tools.values(), *self.servers, *self.seed]
        own += [text for power in powers for text in power.triggers]
        own += [text for text, _ in (*self.seed_queries, *self.server_queries)]
        texts.need([*own, *lines, *self.elsewhere, *self.tool_strangers, *(text for text, _ in self.tool_queries)])
        cosine, learned = texts.of(lines)
        self.background = Background(lines, learned, cosine)

    def without_background(self, kept: Any) -> Background:
        """Some of the background's rows."""
        held = self.background
        own = [held.texts[place] for place in kept.tolist()]
        return Background(own, held.vectors[kept], held.cosine_vectors[kept])


def requests_for_none(clinc: Rows) -> list[str]:
    """Requests that no power of the seed library serves, in an order by chance."""
    requests = [row["text"] for row in clinc if row["intent"] not in SERVED and row["rank"] < 4]
    return sorted(requests, key=lambda text: hashlib.sha256(text.encode()).digest())


def questions_of_elsewhere(data: Path) -> list[str]:
    return [row["text"] for row in rows(data / "question_type" / "nfcats.jsonl")]


def grouped(found: Rows) -> dict[str, list[str]]:
    """Texts by intent, each once."""
    groups: dict[str, dict[str, None]] = {}
    for row in found:
        groups.setdefault(row["intent"], {})[row["text"]] = None
    return {intent: list(own) for intent, own in groups.items()}


def metatool_power(row: dict[str, Any]) -> Power:
    return Power(row["name"], "\n\n".join(filter(None, [row["description"], row.get("long_description")])))


def server_power(row: dict[str, Any]) -> Power:
    tools = tuple(Tool(tool["name"], tool["description"]) for tool in row["tools"])
    return Power(row["name"], row["description"], tools=tools)


def seed_power(row: dict[str, Any]) -> Power:
    tools = tuple(Tool(tool["name"], tool.get("description", "")) for tool in row.get("tools", []))
    examples = tuple(row.get("examples", []))
    return Power(row["name"], row["description"], tuple(row.get("keywords", [])), tools=tools, examples=examples)


def memories(sets: Sets, chance: np.random.Generator) -> list[Library]:
    """Libraries of phrases: 3 to 150 labels, 1 to 80 phrases of each."""
    found = []
    for name, wide in (("clinc150", 150), ("banking77", 77), ("metatool", 150)):
        groups = sets.phrases[name]
        for count, labels in [(1, wide), (1, 20), (2, wide), (2, 40), (3, 8), (5, wide), (5, 30), (5, 10), (10, wide),
                              (10, 20), (20, 60), (20, 10), (20, 4), (40, 40), (40, 8), (80, 25), (80, 5)]:  # fmt: skip
            usable = [label for label, own in groups.items() if len(own) >= count + 2]
            if len(usable) < labels:
                continue
            drawn = chance.permutation(usable)
            chosen, others = drawn[:labels].tolist(), drawn[labels:].tolist()
            phrases, asked = [], []
            for number, label in enumerate(chosen):
                own = chance.permutation(groups[label]).tolist()
                phrases += [(number, text, True, False) for text in own[:count]]
                asked += [(number, text) for text in own[count:]]
            asked = [asked[place] for place in chance.permutation(len(asked))[:ASKED]]
            foreign = chance.permutation([text for label in others for text in groups[label]])[:STRANGERS].tolist()
            elsewhere = chance.choice(sets.elsewhere, STRANGERS, replace=False).tolist()
            taught = taught_set(sets.texts, chosen, phrases, are_powers=False)
            usual = of_many(count)
            view = view_of(sets.texts, taught, sets.background)
            strangers = {
                "label": batch(sets.texts, [NONE] * len(foreign), foreign),
                "elsewhere": batch(sets.texts, [NONE] * len(elsewhere), elsewhere),
            }
            own_batch = batch(sets.texts, [owner for owner, _ in asked], [text for _, text in asked])
            held = questions(view, own_batch, strangers, MEMORY_SHARES, usual)
            found.append(Library(f"{name} {count} x {labels}", (1.0, math.log(count)), held, usual))
    return found


def taught(sets: Sets, chance: np.random.Generator) -> list[Library]:
    """Libraries of powers with examples: 12 to 190 powers of MetaTool, 1 to 16 queries of each beside their
    descriptions, in one paragraph or two."""
    found = []
    groups = sets.phrases["metatool"]
    for count in (2, 4, 8, 16):
        for labels in (12, 40, 150):
            for powers in (sets.tools, sets.plain_tools):
                usable = [label for label in groups if label in powers and len(groups[label]) >= min(count, 6) + 2]
                drawn = chance.permutation(usable)
                chosen, others = drawn[:labels].tolist(), drawn[labels:].tolist()
                phrases, asked = [], []
                for number, label in enumerate(chosen):
                    own = chance.permutation(groups[label]).tolist()
                    kept = min(count, len(own) - 2)
                    phrases += power_phrases(powers[label], number, own[:kept])
                    asked += [(number, text) for text in own[kept:]]
                asked = [asked[place] for place in chance.permutation(len(asked))[:ASKED]]
                taught_powers_set = taught_set(sets.texts, chosen, phrases, are_powers=True)
                foreign = [text for label in others for text in groups[label]]
                foreign = chance.permutation(foreign)[:STRANGERS].tolist() if foreign else []
                elsewhere = [*sets.tool_strangers, *chance.choice(sets.elsewhere, STRANGERS, replace=False).tolist()]
                usual = taught_powers(taught_powers_set.examples, len(chosen))
                view = view_of(sets.texts, taught_powers_set, sets.background)
                strangers = {
                    "label": batch(sets.texts, [NONE] * len(foreign), foreign),
                    "elsewhere": batch(sets.texts, [NONE] * len(elsewhere), elsewhere),
                }
                own_batch = batch(sets.texts, [owner for owner, _ in asked], [text for _, text in asked])
                held = questions(view, own_batch, strangers, POWER_SHARES, usual)
                along = (1.0, math.log(min(max(taught_powers_set.examples, 1.0), 20.0)), math.log(max(len(chosen), 10)))
                found.append(Library(f"powers {count} x {labels}", along, held, usual))
    return found


def described_libraries(sets: Sets, chance: np.random.Generator, *, paragraphs: bool) -> list[Library]:
    """Libraries of powers without examples: 6 to 199 of MetaTool; where none has paragraphs, the seed library and 70
    servers with their tools too, which count as much and half as much as all of MetaTool: keywords, which these powers
    have and those do not, are told by few words. A fifth of the background asks
    without having been there."""
    found = []
    usual = described(has_paragraphs=paragraphs)
    powers = sets.tools if paragraphs else sets.plain_tools
    names = list(powers)
    sizes = (6, 12, 12, 25, 25, 50, 100, len(names))
    for labels in sizes:
        chosen = chance.permutation(names)[:labels].tolist()
        places = {name: number for number, name in enumerate(chosen)}
        phrases = [row for name, number in places.items() for row in power_phrases(powers[name], number)]
        known = [(text, places[owner]) for text, owners in sets.tool_queries for owner in owners if owner in places]
        known = [known[place] for place in chance.permutation(len(known))[:ASKED]]
        unknown = [text for text, owners in sets.tool_queries if not places.keys() & set(owners)]
        foreign = chance.permutation(unknown)[:STRANGERS].tolist() if unknown else []
        asked = [number for _, number in known], [text for text, _ in known]
        found.append(_described_library(sets, chance, f"described {labels}", chosen, phrases, asked, foreign, usual))
    if paragraphs:
        return found
    for kind, powers, queries in (
        ("seed", sets.seed, sets.seed_queries),
        ("servers", sets.servers, sets.server_queries),
    ):
        places = {power.name: number for number, power in enumerate(powers)}
        phrases = [row for name, number in places.items() for row in power_phrases(powers[number], number)]
        known = [(text, places[nearest(sets, text, powers, names)]) for text, names in queries if names]
        none = [text for text, names in queries if not names]
        asked = [number for _, number in known], [text for text, _ in known]
        share = len(sizes) * (1.0 if kind == "seed" else 0.5)
        found.append(_described_library(sets, chance, kind, list(places), phrases, asked, none, usual, share))
    return found


def nearest(sets: Sets, text: str, powers: Sequence[Power], names: Sequence[str]) -> str:
    """The power of these names with the trigger nearest to a text: where several would serve, it is to come first."""
    (vector,), _ = sets.texts.of([text])
    own = {
        power.name: float((sets.texts.of(power.triggers)[0] @ vector).max()) for power in powers if power.name in names
    }
    return max(own, key=own.__getitem__)


def _described_library(
    sets: Sets,
    chance: np.random.Generator,
    name: str,
    labels: Sequence[str],
    phrases: Sequence[tuple[int, str, bool, bool]],
    asked: tuple[Sequence[int], Sequence[str]],
    foreign: Sequence[str],
    usual: Weights,
    share: float = 1.0,
) -> Library:
    held_out = np.zeros(len(sets.background.texts), np.bool_)
    held_out[chance.permutation(len(held_out))[: len(held_out) // 5]] = True
    rest = sets.without_background(np.flatnonzero(~held_out))
    lines = [sets.background.texts[place] for place in np.flatnonzero(held_out).tolist()]
    elsewhere = [*lines, *chance.choice(sets.elsewhere, STRANGERS, replace=False).tolist()]
    requests = sets.requests[: 2 * STRANGERS] if name == "seed" else []
    view = view_of(sets.texts, taught_set(sets.texts, labels, phrases, are_powers=True), rest)
    strangers = {
        "label": batch(sets.texts, [NONE] * len(foreign), foreign),
        "elsewhere": batch(sets.texts, [NONE] * len(elsewhere), elsewhere),
        "requests": batch(sets.texts, [NONE] * len(requests), requests),
    }
    shares = DESCRIBED_SHARES_WITH_REQUESTS if requests else DESCRIBED_SHARES
    held = questions(view, batch(sets.texts, *asked), strangers, shares, usual)
    return Library(name, (1.0,), held, usual, share)


# ---- the fit: coefficients of lines, within the bounds of each weight


def fitted(libraries: Sequence[Library], start: Floats, free: Floats, ridge: float) -> Floats:
    """Coefficients, shape (lines, weights), of least mean loss over the libraries, each counting the same; `free` tells
    which may move."""
    from scipy.optimize import minimize

    scale = np.maximum(np.abs(start[0]), 1.0)

    def value(flat: Floats) -> tuple[float, Floats]:
        own = start.copy()
        own[free] = flat
        loss, slope = 0.0, np.zeros_like(own)
        for one in libraries:
            along = np.array(one.along)
            at = np.clip(along @ own, logit.LOWER_BOUNDS, logit.UPPER_BOUNDS)
            clipped = at != along @ own
            loss += one.share * logit.loss(one.asked, at, at, 0.0)
            gradient, _ = logit.gradient_and_hessian(one.asked, at, at, 0.0)
            slope += one.share * np.outer(along, np.where(clipped, 0.0, gradient))
        count = sum(one.share for one in libraries)
        away = (own - start) / scale
        return loss / count + ridge * float((away**2).sum()), (slope / count + 2.0 * ridge * away / scale)[free]

    best = minimize(value, start[free], jac=True, method="L-BFGS-B", options={"maxiter": 500})
    own = start.copy()
    own[free] = best.x
    return own


def lines_of(of: Callable[..., Weights], at: Sequence[tuple[Any, ...]], along: Sequence[tuple[float, ...]]) -> Floats:
    """The coefficients that weights have now."""
    found: Floats = np.linalg.lstsq(np.array(along), np.array([astuple(of(*one)) for one in at]), rcond=None)[0]
    return found


def told(libraries: Sequence[Library], lines: Floats) -> None:
    """How each library fares before and after: mean loss, and the share whose first answer is right."""
    for one in libraries:
        after = np.clip(np.array(one.along) @ lines, logit.LOWER_BOUNDS, logit.UPPER_BOUNDS)
        both = [
            (logit.loss(one.asked, at, at, 0.0), right(one.asked, at)) for at in (np.array(astuple(one.before)), after)
        ]
        (loss, first), (later, then) = both
        print(f"{one.name:24} loss {loss:.3f} -> {later:.3f}   right {first:.3f} -> {then:.3f}")


def traded(libraries: Sequence[Library], lines: Floats) -> None:
    """What other weights of none and of the background cost around a fit, over all libraries: of queries that a power
    serves the share that is offered it, of those the share that starts one and how many of these rightly, and of
    strangers the share that is turned away."""
    names = [field.name for field in fields(Weights)]
    print("  background  none   offered  started  rightly  turned away")
    for background in (0.4, 0.55, 0.75):
        for none in (4.2, 4.8, 5.4, 6.0):
            at = lines[0].copy()
            at[names.index("background")], at[names.index("none")] = background, none
            rows = np.array([_trade(one.asked, at) for one in libraries])
            offered, started, rightly, turned = np.average(rows, axis=0, weights=[one.share for one in libraries])
            shares = f"{offered:9.3f} {started:8.3f} {rightly / started:8.3f} {turned:12.3f}"
            print(f"  {background:10.2f} {none:5.1f} {shares}")


def _trade(asked: ChoiceSets, at: Floats) -> tuple[float, float, float, float]:
    outcome = logit.outcomes(asked, Weights(*at.tolist()))
    chance, what, weights = outcome[:, 0], outcome[:, 1], asked.weights
    serves = what != logit.OUT_OF_SCOPE
    whole = weights[serves].sum()
    is_right = serves & (what == logit.RIGHT)
    offered, started = (weights[is_right & (chance >= line)].sum() / whole for line in (WEAK, HIGH))
    all_started = weights[serves & (chance >= HIGH)].sum() / whole
    turned = weights[~serves & (chance < WEAK)].sum() / weights[~serves].sum()
    return float(offered), float(all_started), float(started), float(turned)


def right(asked: ChoiceSets, at: Floats) -> float:
    """The weighted share of queries whose most likely answer, none among them, is right."""
    weights = Weights(*at.tolist())
    z = asked.candidates @ weights.candidate
    none = asked.none @ weights.of_none + weights.none
    whole = np.concatenate([np.where(np.isnan(z), -np.inf, z), none[:, None]], axis=1)
    return float((asked.weights * (whole.argmax(axis=1) == asked.right)).sum() / asked.weights.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--part", choices=("memories", "taught", "described", "tiers"))
    parser.add_argument("--trade", action="store_true", help="of described powers: what other weights of none cost")
    arguments = parser.parse_args()
    if arguments.part in (None, "tiers"):
        requests = requests_for_none(rows(arguments.data / "clinc150" / "patterns.jsonl"))[: 2 * STRANGERS]
        fit_tiers(PROJECT / "resources", [*requests, *questions_of_elsewhere(arguments.data)[::ELSEWHERE_STEP]])
    if arguments.part == "tiers":
        return
    sets = Sets(arguments.data, Texts(arguments.vectors))
    names = [field.name for field in fields(Weights)]
    parts = [arguments.part] if arguments.part else ["memories", "taught", "described"]
    for part in parts:
        chance = np.random.default_rng(7)
        if part == "memories":
            jobs = {part: (memories(sets, chance), lines_of(of_many, [(1,), (20,)], [(1.0, 0.0), (1.0, math.log(20))]))}
        elif part == "taught":
            at = [(1, 10), (20, 10), (1, 200)]
            along = [(1.0, math.log(examples), math.log(powers)) for examples, powers in at]
            jobs = {part: (taught(sets, chance), lines_of(taught_powers, at, along))}
        else:
            jobs = {
                f"{part}, {'paragraphs' if paragraphs else 'one'}": (
                    described_libraries(sets, chance, paragraphs=paragraphs),
                    np.array([astuple(described(has_paragraphs=paragraphs))]),
                )
                for paragraphs in (True, False)
            }
        for name, (libraries, start) in jobs.items():
            free = np.broadcast_to(np.abs(start).sum(axis=0) > 0.0, start.shape)
            found = fitted(libraries, start, free, DESCRIBED_RIDGE if part == "described" else RIDGE)
            print(f"\n{name}")
            told(libraries, found)
            if arguments.trade and part == "described":
                traded(libraries, found)
            for number, weight in enumerate(names):
                print(
                    f"  {weight:12}",
                    *(
                        f"{now:8.2f} (was {was:.2f})"
                        for now, was in zip(found[:, number], start[:, number], strict=True)
                    ),
                )


if __name__ == "__main__":
    main()
