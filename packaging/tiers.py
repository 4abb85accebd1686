"""Fit the decision between tiers of powers and judge it out of fold: `weights.py --part tiers`.

The program answers the four tier sets (resources/datasets) and out-of-scope queries on the sample library. Only queries
that activate no power take part; confidence alone decides the others.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from app.__main__ import main as run_program
from app.bootstrap import make_workbench
from app.detect.resolve import FITTED, TierFeatures, evidence
from app.domain.inspection import MULTIPLE, WEAK, Inspection
from app.domain.match import Tier
from app.settings.model import Choices, Settings

SETS = ("tiers", "tiers-tune", "tiers-held-out", "tiers-fresh")

STRANGERS = 1.6
"""Weight of all out-of-scope queries relative to those of the sets."""

RIDGE = 0.002
"""Ridge penalty of each coefficient of the scaled inputs, relative to the mean loss."""

FOLDS, DRAWS = 10, 3

TIERS = list(Tier)
NOTHING = TIERS.index(Tier.NOT_FOUND)
OFFERED = {Tier.ACTIVATED: 1, Tier.MULTIPLE_MATCHES: MULTIPLE, Tier.WEAK_MATCHES: WEAK, Tier.NOT_FOUND: 0}


@dataclass(frozen=True)
class Asked:
    """Query, what is right, and the answer; `inputs` is None if confidence alone decides."""

    meant: int
    part: int
    expected: tuple[str, ...]
    ranked: tuple[str, ...]
    status: int
    inputs: TierFeatures | None

    def is_served(self, tier: int) -> bool:
        """Check that this tier offers a right power, or nothing if none is right."""
        if not self.expected:
            return tier == NOTHING
        return bool(set(self.ranked[: OFFERED[TIERS[tier]]]) & set(self.expected))


def fit_tiers(resources: Path, strangers: Sequence[str]) -> None:
    """Print the coefficients and their results out of fold."""
    cases = [(row, part) for part, name in enumerate(SETS) for row in _rows(resources / "datasets" / f"{name}.jsonl")]
    cases += [({"text": text, "expected": [], "tier": "not_found"}, -1) for text in strangers]
    asked = asyncio.run(_answers([row for row, _ in cases], [part for _, part in cases]))
    own, others = [one for one in asked if one.part >= 0], [one for one in asked if one.part < 0]
    print(f"{len(own)} queries, {len(others)} out-of-scope queries")
    by_shares = ([_by_share(one) for one in group] for group in (own, others))
    _report("by confidence alone", own, others, *by_shares)
    _report("as shipped now", own, others, [_tiers([one], _shipped())[0] for one in own], _tiers(others, _shipped()))
    chance = np.random.default_rng(7)
    for draw in range(DRAWS):
        folds, apart = _folds(own, chance), chance.integers(0, FOLDS, len(others))
        _report(f"{FOLDS} folds, draw {draw + 1}", own, others, *_out_of_fold(own, others, folds, apart))
    parts = np.array([one.part for one in own])
    _report("a set left out", own, others, *_out_of_fold(own, others, parts, np.arange(len(others)) % len(SETS)))
    found = _fitted(own, others)
    _report("by all of them, in sample", own, others, _tiers(own, found), _tiers(others, found))
    print("FITTED = (")
    for line in found:
        print(f"    TierFeatures({', '.join(f'{weight:.3f}' for weight in line)}),")
    print(")")


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


async def _answers(cases: Sequence[dict[str, Any]], parts: Sequence[int]) -> list[Asked]:
    """Ask the program with the sample library."""
    with TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        await asyncio.to_thread(run_program, ["--profile", str(profile), "import", "--seed"])
        workbench = make_workbench(Choices(profile=profile))
        await workbench.open(encoder=True, llm=False, watch=False)
        try:
            await workbench.ready()
            found = [await workbench.settle(case["text"], route=False) for case in cases]
        finally:
            await workbench.close()
    return [_asked(case, part, one) for case, part, one in zip(cases, parts, found, strict=True)]


def _asked(case: dict[str, Any], part: int, found: Inspection) -> Asked:
    resolution = found.resolution
    assert resolution is not None, "the sample library has powers"
    inputs = None
    if resolution.together is not None and resolution.best_scores is not None:
        confidences = [match.confidence for match in found.powers]
        inputs = evidence(confidences, resolution.together, resolution.best_scores)
    ranked = tuple(match.answer.name for match in found.powers)
    meant, status = TIERS.index(Tier(case["tier"])), TIERS.index(resolution.status)
    return Asked(meant, part, tuple(case["expected"]), ranked, status, inputs)


def _folds(own: Sequence[Asked], chance: np.random.Generator) -> np.ndarray:
    """Return the fold of each query; each tier is spread evenly."""
    folds, meant = np.zeros(len(own), np.intp), np.array([one.meant for one in own])
    for tier in range(len(TIERS)):
        places = chance.permutation(np.flatnonzero(meant == tier))
        folds[places] = np.arange(len(places)) % FOLDS
    return folds


def _out_of_fold(
    own: Sequence[Asked], others: Sequence[Asked], folds: np.ndarray, apart: np.ndarray
) -> tuple[list[int], list[int]]:
    """Return the tiers of in-scope and out-of-scope queries by fits on the other folds."""
    tiers, of_others = [0] * len(own), [0] * len(others)
    for fold in np.unique(folds):
        kept = [one for one, at in zip(own, folds, strict=True) if at != fold]
        lines = _fitted(kept, [one for one, at in zip(others, apart, strict=True) if at != fold])
        for queries, places, found in ((own, folds, tiers), (others, apart, of_others)):
            for place in np.flatnonzero(places == fold).tolist():
                (found[place],) = _tiers([queries[place]], lines)
    return tiers, of_others


def _fitted(own: Sequence[Asked], others: Sequence[Asked]) -> np.ndarray:
    """Fit a multinomial logit; return its coefficients relative to `nothing`, shape (3, inputs)."""
    from scipy.optimize import minimize

    some, strange = ([one for one in group if one.inputs is not None] for group in (own, others))
    inputs = np.array([one.inputs for one in (*some, *strange)])[:, 1:]
    meant = np.array([one.meant for one in (*some, *strange)])
    weights = np.r_[np.full(len(some), 1.0 / len(some)), np.full(len(strange), STRANGERS / len(strange))]
    weights /= weights.sum()
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    scaled = np.column_stack([np.ones(len(inputs)), (inputs - middle) / spread])
    hits = np.eye(len(TIERS))[meant]

    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        lines = flat.reshape(len(TIERS), -1)
        z = scaled @ lines.T
        z -= z.max(axis=1, keepdims=True)
        chances = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        loss = -(weights * np.log(chances[np.arange(len(meant)), meant] + 1e-12)).sum()
        slope = (weights[:, None] * (chances - hits)).T @ scaled
        pulled = np.column_stack([np.zeros(len(TIERS)), lines[:, 1:]])
        return loss + RIDGE * float((pulled**2).sum()), (slope + 2.0 * RIDGE * pulled).ravel()

    best = minimize(
        value, np.zeros(len(TIERS) * scaled.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )
    lines = best.x.reshape(len(TIERS), -1)
    lines = lines[:NOTHING] - lines[NOTHING]
    lines[:, 1:] /= spread
    lines[:, 0] -= lines[:, 1:] @ middle
    return lines


def _shipped() -> np.ndarray:
    return np.array(FITTED)


def _tiers(queries: Sequence[Asked], lines: np.ndarray) -> list[int]:
    """Return the tier of each query by these coefficients and the default thresholds."""
    limits, found = Settings().tiers, []
    for one in queries:
        if one.inputs is None:
            found.append(one.status)
            continue
        odds = np.exp(lines @ np.array(one.inputs))
        weak = max(odds.sum() / (1.0 + odds.sum()), 1.0 / (1.0 + math.exp(-one.inputs.first)))
        tier, several = Tier.WEAK_MATCHES if weak >= limits.weak else Tier.NOT_FOUND, odds[:2].sum() / odds.sum() * weak
        found.append(TIERS.index(Tier.MULTIPLE_MATCHES if several >= limits.medium else tier))
    return found


def _by_share(one: Asked) -> int:
    """Return the tier by the joint confidence of all powers."""
    if one.inputs is None:
        return one.status
    limits, shared = Settings().tiers, 1.0 / (1.0 + math.exp(-one.inputs.whole))
    tier = Tier.WEAK_MATCHES if shared >= limits.weak else Tier.NOT_FOUND
    return TIERS.index(Tier.MULTIPLE_MATCHES if shared >= limits.medium else tier)


def _report(name: str, own: Sequence[Asked], others: Sequence[Asked], tiers: list[int], of_others: list[int]) -> None:
    """Print shares of right tiers, served queries, wrong starts and rejected out-of-scope queries."""
    right = [tier == one.meant for one, tier in zip(own, tiers, strict=True)]
    served = [one.is_served(tier) for one, tier in zip(own, tiers, strict=True)]
    wrong = sum(tier == 0 and one.ranked[0] not in one.expected for one, tier in zip(own, tiers, strict=True))
    several = [one.expected != () for one, tier in zip(own, tiers, strict=True) if tier == 1]
    related = [one.expected != () for one, tier in zip(own, tiers, strict=True) if tier == 2]
    turned = np.mean([tier == NOTHING for tier in of_others])
    print(
        f"{name:26} as meant {sum(right)} ({np.mean(right):.3f}), served {np.mean(served):.3f}, wrong started {wrong}, "
        f"for some power: of several {np.mean(several):.3f}, of weak {np.mean(related):.3f}; "
        f"out of scope rejected {turned:.3f}"
    )
