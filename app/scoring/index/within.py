"""Competition of memories under one label: its chance, divided among its responses."""

from __future__ import annotations

import math

import numpy as np

from app.scoring.columns.column_answer import Floats, Places
from app.scoring.combiners import combiner_for
from app.scoring.index.scores import Scores
from app.scoring.index.search import Search
from app.scoring.shares import LEAST_LABEL, SHARED, LabelShares, Shares, Within, preference_of
from app.settings.model import Settings


def within_for(scores: Scores, settings: Settings, scale: object, every: Floats | None = None) -> Within | None:
    """Divide the likely labels among their memories; None without shares or competing memories.

    `every` are the combined values of all live slots, if known.
    """
    layout, quick = scores.layout, scores.quick
    if layout.contested is None or not isinstance(scale, Shares):
        return None
    if quick is not None and scale.logit in quick.within:
        return quick.within[scale.logit]
    if every is not None:
        best, values = _best_of_labels(layout.groups, layout.memory_places, every)
    elif quick is not None:
        best, values = best_of_labels(scores, settings)
    else:
        return None
    likely = [value > 0.0 and scale(value) >= LEAST_LABEL for value in values.tolist()]
    best = best[np.array(likely, np.bool_) & layout.contested[best]]
    found = None
    if len(best):
        is_likely = np.zeros(int(layout.groups.max()) + 1, np.bool_)
        is_likely[layout.groups[best]] = True
        places = np.flatnonzero(is_likely[layout.groups] & layout.contested)
        if every is not None:
            found = _divided(scores, scale, places, every[places])
        else:
            assert quick is not None, "without all values the index is searched"
            combined = combined_at(scores, settings, places)
            found = _divided(scores, scale, places, combined)
    if quick is not None:
        quick.within[scale.logit] = found
    return found


def best_of_labels(scores: Scores, settings: Settings) -> tuple[Places, Floats]:
    """Return the best memories of the SHARED best labels with combined values, best first."""
    quick, layout = scores.quick, scores.layout
    assert quick is not None, "only the index's own scores are searched"
    combiner = combiner_for(settings, power=False)
    logit = settings.learned.of(power=False, has_regression="regression" in scores.by_slot)
    if logit not in quick.labels:
        search = Search(quick, combiner, settings, False, layout.groups)
        quick.labels[logit] = search.best(layout.power_places, SHARED)
    return quick.labels[logit]


def _best_of_labels(groups: Places, memories: Places, every: Floats) -> tuple[Places, Floats]:
    order = memories[np.lexsort((memories, -every[memories]))]
    firsts = order[np.sort(np.unique(groups[order], return_index=True)[1])][:SHARED]
    return firsts, every[firsts]


def combined_at(scores: Scores, settings: Settings, places: Places) -> Floats:
    """Return the exact combined values of these memories, shape (places,)."""
    assert scores.quick is not None, "only the index's own scores are looked at"
    values = combiner_for(settings, power=False).combine(scores.quick.at(places).by_slot, settings)
    found: Floats = np.minimum(np.fmax(values, 0.0), 1.0)
    return found


def within_features(scores: Scores, places: Places) -> Floats:
    """Return the WithinFeatures of memories, shape (places, 3); NaN without a vector."""
    vector, means = scores.query.vector, scores.means
    assert vector is not None, "only meaning tells memories apart"
    assert means is not None, "they are there with the vector"
    rows, firsts = scores.layout.rows(places)
    every = scores.by_row["semantic"][rows] if scores.quick is None else scores.quick.parts.at("semantic", rows)
    semantic = np.fmax.reduceat(every, firsts)
    count = np.add.reduceat(~np.isnan(every), firsts, dtype=np.float64)
    own, several = semantic.copy(), count > 1.0
    own[several] = means.scores(places[several], vector)
    return np.stack((semantic, own, np.log(np.maximum(count, 1.0))), axis=1)


def preferences_of(scores: Scores) -> Floats:
    """Return the log-odds of each live slot within its label; NaN where none competes or without a vector."""
    found, contested = np.full(len(scores.layout.slots), np.nan), scores.layout.contested
    if contested is not None:
        places = np.flatnonzero(contested)
        found[places] = [preference_of(one) for one in within_features(scores, places).tolist()]
    return found


def _divided(scores: Scores, scale: Shares, places: Places, combined: Floats) -> Within | None:
    """Divide the labels of these memories, except labels with a memory without a vector."""
    layout = scores.layout
    assert layout.responses is not None, "contested labels have responses"
    tells = within_features(scores, places)
    groups, waiting = layout.groups[places], layout.groups[places[np.isnan(tells[:, 0])]]
    preferences = [preference_of(one) for one in tells.tolist()]
    best, competing = dict[int, float](), dict[int, dict[int, float]]()
    rows = zip(places.tolist(), combined.tolist(), preferences, groups.tolist(), strict=True)
    for (place, value, own, group), response in zip(rows, layout.responses[places].tolist(), strict=True):
        if value > 0.0:
            best[group] = max(best.get(group, -math.inf), scale.logit.z(value))
        if value > 0.0 and response and place not in scores.lapsed:
            responses = competing.setdefault(group, {})
            responses[response] = max(responses.get(response, -math.inf), own)
    by_group = {
        group: LabelShares(scale, best[group], tuple(sorted(responses.values(), reverse=True)))
        for group, responses in competing.items()
        if group not in waiting
    }
    if not by_group:
        return None
    stay = np.isin(groups, list(by_group))
    known = zip(groups.tolist(), combined.tolist(), preferences, strict=True)
    chances = [by_group[group](own) if value > 0.0 else 0.0 for group, value, own in known if group in by_group]
    return Within(by_group, places[stay], np.array(chances, np.float64), tells[stay])
