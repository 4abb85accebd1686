"""The conditional logit: fits the weight of each feature to queries with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace

import numpy as np

from app.domain.fits import BRIEF, BRIEF_NONE
from app.scoring.columns.column import Floats, Places, Singles
from app.scoring.learned.model import FEATURES, Weights

LOWER_BOUNDS = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -np.inf, 0.0, -np.inf])
UPPER_BOUNDS = np.array([np.inf, np.inf, np.inf, np.inf, np.inf, np.inf, 0.0, np.inf, np.inf])
"""The bounds of Weights, in their order.

A feature that speaks for an answer may not count against it where little is taught.
"""

GIVEN = np.array([field.name == "fuzzy" for field in fields(Weights)])
"""Weights that no fit changes.

Left-out phrases have no typing errors, which the spelling feature is for.
"""

WRONG, RIGHT, OUT_OF_SCOPE = 0, 1, 2
"""The kinds of best candidate of a query.

It is a wrong one, the right one, or one where none is right.
"""

RIDGE = 10.0
"""The strength of the pull towards the weights that ship.

Few queries change them little, hundreds change them freely.
"""

EVIDENCE = 150.0
"""Amount of evidence above which the pull for memories has about the strength RIDGE.

The unit is one query. With half as many it is 17 times as strong, and with a few dozen the weights stay as they
are. Left-out phrases of small libraries mislead: few of them are out of scope, and weights fitted to them offered
an answer to near out-of-scope queries up to twice as often.
"""

LEFT_OUT = 20.0
"""Factor for the pull for powers, divided by their mean number of examples.

A power with two or three examples is incomplete without one of them, and out-of-scope queries look further away.
"""

ITERATIONS, TOLERANCE = 60, 1e-9
ARMIJO = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceSets:
    """Queries with their candidates.

    `candidates` has shape (questions, candidates, features), `none` (questions, none features). `right`
    (questions,) is the position of the right candidate, or the number of candidates where none is right. `weights`
    (questions,) are the weights of the queries. The features of a missing candidate are NaN.
    """

    candidates: Floats
    none: Floats
    right: Places
    weights: Floats
    lacking: Floats | None = None
    """Number of content words that each query lacks, for powers."""

    @property
    def scales(self) -> Floats:
        """The factor of all weights for each query, with shape (queries, 1)."""
        lacking = np.zeros(len(self.right)) if self.lacking is None else self.lacking
        found: Floats = 1.0 - BRIEF * (lacking * (lacking + 1.0))[:, None] / 2.0
        return found

    @classmethod
    def joined(cls, parts: Sequence[ChoiceSets]) -> ChoiceSets:
        """Return all parts together, with as many candidates as the largest part has."""
        candidates = [part.candidates for part in parts]
        most = max(one.shape[1] for one in candidates)
        return cls(
            np.concatenate(
                [np.pad(one, ((0, 0), (0, most - one.shape[1]), (0, 0)), constant_values=np.nan) for one in candidates]
            ),
            np.concatenate([part.none for part in parts]),
            np.concatenate([np.where(part.right == part.candidates.shape[1], most, part.right) for part in parts]),
            np.concatenate([part.weights for part in parts]),
            np.concatenate([np.zeros(len(part.right)) if part.lacking is None else part.lacking for part in parts]),
        )

    def scaled_to(self, whole: float) -> ChoiceSets:
        """Return the same queries with weights that sum to `whole`."""
        total = float(self.weights.sum())
        return replace(self, weights=self.weights * (whole / total if total > 0.0 else 0.0))

    def at(self, places: Places) -> ChoiceSets:
        """Return some of the queries, with their weights."""
        lacking = None if self.lacking is None else self.lacking[places]
        return ChoiceSets(self.candidates[places], self.none[places], self.right[places], self.weights[places], lacking)


def ridge_by_size(prior: Weights) -> Floats:
    """Return RIDGE for each weight, for weights of very different sizes, shape (weights,).

    The same relative change then costs the same for every weight above 1.
    """
    found: Floats = RIDGE / np.square(np.maximum(np.abs(np.array(astuple(prior))), 1.0))
    return found


def fitted(
    questions: ChoiceSets, prior: Weights, ridge: Floats | float = RIDGE, start: Weights | None = None
) -> Weights:
    """Return the weights of least loss within their bounds, with a ridge towards the prior.

    The method is projected Newton steps. A weight that ships as 0 and has the lower bound 0 stays 0, and those in
    GIVEN stay as they are. The loss is convex. A step that would raise it is halved until it does not. `start` is a
    point near the solution, if one is known.
    """
    centre = np.clip(np.array(astuple(prior)), LOWER_BOUNDS, UPPER_BOUNDS)
    unused = (centre == 0.0) & (LOWER_BOUNDS == 0.0) | GIVEN
    at = centre.copy() if start is None else np.array(astuple(start))
    for _ in range(ITERATIONS):
        gradient, hessian = gradient_and_hessian(questions, at, centre, ridge)
        held = ((at <= LOWER_BOUNDS) & (gradient > 0.0)) | ((at >= UPPER_BOUNDS) & (gradient < 0.0)) | unused
        direction = np.zeros(len(at))
        free = np.flatnonzero(~held)
        direction[free] = -np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        then = _line_search(questions, at, direction, gradient, centre, ridge)
        moved = float(np.abs(then - at).max())
        at = then
        if moved < TOLERANCE:
            break
    return Weights(*(float(weight) for weight in at))


def _line_search(
    questions: ChoiceSets, at: Floats, direction: Floats, gradient: Floats, centre: Floats, ridge: Floats | float
) -> Floats:
    """Return the first point along the direction with enough decrease; `at` if none has.

    The step is halved each time.
    """
    now = loss(questions, at, centre, ridge)
    for halvings in range(40):
        then: Floats = np.clip(at + direction / 2.0**halvings, LOWER_BOUNDS, UPPER_BOUNDS)
        if loss(questions, then, centre, ridge) <= now + ARMIJO * float(gradient @ (then - at)):
            return then
    return at


def z_of(questions: ChoiceSets, at: Floats) -> Floats:
    """Return z of all candidates and, last, of none; shape (questions, candidates + 1)."""
    count = len(FEATURES)
    z = questions.candidates @ at[:count]
    z = np.column_stack([np.where(np.isnan(z), -np.inf, z), questions.none @ at[count:-1] + at[-1]]) * questions.scales
    if questions.lacking is not None:
        z[:, -1] += BRIEF_NONE * questions.lacking
    return z


def _shares(questions: ChoiceSets, at: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of candidates and none, and the logarithm of the right one's."""
    z = z_of(questions, at)
    z -= z.max(axis=1, keepdims=True)
    raised = np.exp(z)
    whole = raised.sum(axis=1)
    return raised / whole[:, None], z[np.arange(len(z)), questions.right] - np.log(whole)


def outcomes(questions: ChoiceSets, weights: Weights) -> Singles:
    """Return the probability of each query's best candidate and its kind, shape (questions, 2).

    The kind is WRONG, RIGHT or OUT_OF_SCOPE (no candidate is right).
    """
    shares, _ = _shares(questions, np.array(astuple(weights)))
    own, each = shares[:, :-1], np.arange(len(shares))
    best = own.argmax(axis=1)
    is_strange = questions.right == own.shape[1]
    what = np.where(is_strange, OUT_OF_SCOPE, np.where(best == questions.right, RIGHT, WRONG))
    return np.column_stack([own[each, best], what]).astype(np.float32)


def loss(questions: ChoiceSets, at: Floats, centre: Floats, ridge: Floats | float) -> float:
    _, right = _shares(questions, at)
    return float((ridge / 2.0 * (at - centre) ** 2).sum() - (questions.weights * right).sum())


def gradient_and_hessian(
    questions: ChoiceSets, at: Floats, centre: Floats, ridge: Floats | float
) -> tuple[Floats, Floats]:
    """Return the gradient (weights,) and the Hessian (weights, weights) of `loss`."""
    shares, _ = _shares(questions, at)
    count = len(FEATURES)
    scales = questions.scales
    candidates = np.nan_to_num(questions.candidates) * scales[:, :, None]
    none = np.column_stack([questions.none, np.ones(len(questions.none))]) * scales
    each, places = np.arange(len(shares)), questions.right
    mean = np.column_stack([np.einsum("qc,qcf->qf", shares[:, :-1], candidates), shares[:, -1:] * none])
    own = np.zeros_like(mean)
    is_none = places == candidates.shape[1]
    own[~is_none, :count] = candidates[each[~is_none], places[~is_none]]
    own[is_none, count:] = none[is_none]
    weights = questions.weights
    gradient = weights @ (mean - own) + ridge * (at - centre)
    hessian = np.eye(len(at)) * ridge
    rows = (candidates * np.sqrt(shares[:, :-1] * weights[:, None])[:, :, None]).reshape(-1, count)
    hessian[:count, :count] += rows.T @ rows
    hessian[count:, count:] += (none * (shares[:, -1] * weights)[:, None]).T @ none
    return gradient, hessian - (mean * weights[:, None]).T @ mean
