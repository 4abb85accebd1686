"""Reported confidences from combined scores: calibrated, or as shares of all."""

from __future__ import annotations

import math

import numpy as np

from app.domain.confidence import Chance
from app.scoring.columns.bm25 import ASKING, OF_A_WORD, lacking_words
from app.scoring.columns.column import Floats, Places
from app.scoring.combiners import Combiner, combiner_for
from app.scoring.index.scores import Scores
from app.scoring.index.search import Search
from app.scoring.shares import LEAST_LABEL, SHARED, LabelShares, Shares, Within, preference_of
from app.scoring.text import words
from app.settings.model import Settings

Scale = Chance | Shares


def combined(scores: Scores, settings: Settings) -> Floats:
    """Compute the ranking value of each live slot, in [0, 1]; 0 for those `apart`."""
    if len(scores.layout.slots) == 0:
        return np.zeros(0)
    for_memory, for_power = combiner_for(settings, power=False), combiner_for(settings, power=True)
    found = for_memory.combine(scores.by_slot, settings)
    if for_power is not for_memory:
        found = np.where(scores.layout.is_power, for_power.combine(scores.by_slot, settings), found)
    values: Floats = np.clip(np.nan_to_num(found, nan=0.0), 0.0, 1.0)
    values[scores.apart] = 0.0
    return values


def confidences(scores: Scores, settings: Settings) -> Floats:
    """Compute one confidence in [0, 1] per live slot."""
    values, layout = combined(scores, settings), scores.layout
    for power, places in ((False, layout.memory_places), (True, layout.power_places)):
        if not len(places):
            continue
        is_shared = combiner_for(settings, power=power).is_shared
        best = best_of_groups(layout.groups[places], values[places]) if is_shared else None
        scale = scale_for(scores, settings, power=power, best=best)
        if scale is not None:
            within = None if power else within_for(scores, settings, scale, values)
            values = values.copy()
            values[places] = as_chances(scale, values[places])
            if within is not None:
                values[within.places] = within.chances
    return values


def scale_for(scores: Scores, settings: Settings, *, power: bool, best: Floats | None = None) -> Scale | None:
    """Return the calibration or shares of this kind; None for confidences as combined.

    None without the query's vector. `best` are the SHARED best combined values, one per group, if known.
    """
    combiner = combiner_for(settings, power=power)
    if "semantic" not in scores.by_slot:
        return None
    if not combiner.is_shared:
        return _chance(scores, settings, power) if combiner.is_calibrated else None
    logit = settings.learned.of(power=power, has_regression="regression" in scores.by_slot)
    known = {} if scores.quick is None else scores.quick.shares
    if best is None and (power, logit) in known:
        return known[power, logit]
    if best is None:
        best = _best_of_groups(scores, settings, combiner, power)
    lacking = _lacking_words(scores) if power else 0.0
    shares = known[power, logit] = Shares.of(logit, best[:SHARED].tolist(), scores.readings.get(power), lacking)
    return shares


def _lacking_words(scores: Scores) -> float:
    """Return the lacking words; a query that a power is taught, or whose only keywords ask, is whole."""
    asked, found = scores.query.words, scores.hits.values()
    if (lacking := lacking_words(asked)) != OF_A_WORD:
        return lacking
    keywords = {word for hits in found for hit in hits for word in words(hit.keyword)}
    is_taught = bool((scores.by_slot["exact"][scores.layout.power_places] > 0.0).any())
    return lacking_words(asked, is_request=is_taught or (bool(keywords) and keywords <= ASKING))


def _best_of_groups(scores: Scores, settings: Settings, combiner: Combiner, power: bool) -> Floats:
    """Return the SHARED best combined values, one per group, with bounds where available."""
    layout = scores.layout
    if scores.quick is None:
        own = layout.power_places if power else layout.memory_places
        return best_of_groups(layout.groups[own], combined(scores, settings)[own])
    if not power:
        return best_of_labels(scores, settings)[1]
    return Search(scores.quick, combiner, settings, power, layout.groups).best(layout.memory_places, SHARED)[1]


def best_of_groups(groups: Places, values: Floats) -> Floats:
    """Return the SHARED largest of the groups' best values, largest first."""
    most = np.zeros(int(groups.max(initial=0)) + 1)
    np.maximum.at(most, groups, values)
    found: Floats = np.sort(most)[::-1][:SHARED]
    return found


def _chance(scores: Scores, settings: Settings, power: bool) -> Chance:
    calibration, layout = settings.calibration, scores.layout
    chance = calibration.powers if power else calibration.memories
    if not chance.crowd:
        return chance
    groups = layout.groups[layout.power_places if power else layout.memory_places]
    return chance.among(int(np.count_nonzero(np.bincount(groups))))  # one label is one answer


def as_chances(scale: Scale | None, values: Floats) -> Floats:
    """Map combined values to reported confidences."""
    # One by one, as in a match's explanation: numpy's exponential may differ in the last digit.
    return values if scale is None else np.fromiter(map(scale, values.tolist()), np.float64, len(values))


# ---- Competition of memories under one label: its chance, divided among its responses.


def within_for(scores: Scores, settings: Settings, scale: object, every: Floats | None = None) -> Within | None:
    """Divide the likely labels among their memories; None without shares or competing memories.

    `every` are the combined values of all live slots, if known.
    """
    layout, quick, contested = scores.layout, scores.quick, scores.contested
    if contested is None or not isinstance(scale, Shares):
        return None
    if quick is not None and scale.logit in quick.within:
        return quick.within[scale.logit]
    if every is not None:
        memories = layout.memory_places
        order = memories[np.lexsort((memories, -every[memories]))]
        best = order[np.sort(np.unique(layout.groups[order], return_index=True)[1])][:SHARED]
        values = every[best]
    elif quick is not None:
        best, values = best_of_labels(scores, settings)
    else:
        return None
    likely = [value > 0.0 and scale(value) >= LEAST_LABEL for value in values.tolist()]
    best = best[np.array(likely, np.bool_) & contested[best]]
    found = None
    if len(best):
        places = np.flatnonzero(np.isin(layout.groups, layout.groups[best]) & contested)
        own = combined_at(scores, settings, places) if every is None else every[places]
        found = _divided(scores, scale, places, own)
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
        quick.labels[logit] = search.best(layout.power_places, SHARED, scores.apart)
    return quick.labels[logit]


def combined_at(scores: Scores, settings: Settings, places: Places) -> Floats:
    """Return the exact combined values of these memories, shape (places,)."""
    assert scores.quick is not None, "only the index's own scores are looked at"
    values = combiner_for(settings, power=False).combine(scores.quick.at(places).by_slot, settings)
    found: Floats = np.minimum(np.fmax(values, 0.0), 1.0)
    return found


def within_features(scores: Scores, places: Places) -> Floats:
    """Return the WithinFeatures of memories, shape (places, 4); NaN without a vector."""
    vector, means = scores.query.vector, scores.means
    assert vector is not None, "only meaning tells memories apart"
    assert means is not None, "they are there with the vector"
    rows, firsts = scores.layout.rows(places)
    every, identical = (
        scores.by_row[name][rows] if scores.quick is None else scores.quick.parts.at(name, rows)
        for name in ("semantic", "exact")
    )
    semantic, exact = np.fmax.reduceat(every, firsts), np.fmax.reduceat(identical, firsts)
    count = np.add.reduceat(~np.isnan(every), firsts, dtype=np.float64)
    own, several = semantic.copy(), count > 1.0
    own[several] = means.scores(places[several], vector)
    return np.stack((semantic, own, np.log(np.maximum(count, 1.0)), exact), axis=1)


def preferences_of(scores: Scores) -> Floats:
    """Return the log-odds of each live slot within its label; NaN where none competes or without a vector."""
    found, contested = np.full(len(scores.layout.slots), np.nan), scores.contested
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
    responses_of = layout.responses[places]
    if scores.lapsed is not None:
        responses_of = np.where(scores.lapsed.slots[places], 0, responses_of)
    preferences = [preference_of(one) for one in tells.tolist()]
    best, competing = dict[int, float](), dict[int, dict[int, float]]()
    rows = zip(combined.tolist(), preferences, groups.tolist(), strict=True)
    for (value, own, group), response in zip(rows, responses_of.tolist(), strict=True):
        if value > 0.0:
            best[group] = max(best.get(group, -math.inf), scale.logit.z(value))
        if value > 0.0 and response:
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
