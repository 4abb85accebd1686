"""The memories with the largest products of confidence and weight, found without looking closely at all of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

import numpy as np

from app.detect.surfacing import Weighed, is_complete, weigh
from app.domain.library import Memory
from app.scoring.columns.asked import Places
from app.scoring.combiners import combiner_for
from app.scoring.index.best import as_told, chance_for
from app.scoring.index.ranking import rank
from app.scoring.index.trigger_index import Layout, Scores, TriggerIndex
from app.settings.model import Settings

FIRST, TIMES = 64, 8
"""So many memories are looked at first, and so many times more in each further round."""

FEW = 2_048
"""Up to so many memories of heavy namespaces are looked at one by one rather than widening the round."""

Weight = Callable[[str], float]
"""From a namespace to its weight."""


class Pool:
    """Looks into one index; remembers which memories are in which namespace while nothing changes there."""

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._of: Mapping[str, Places] = {}

    def best(
        self, index: TriggerIndex, scores: Scores, settings: Settings, weight: Weight, count: int
    ) -> tuple[list[Weighed], int]:
        """At least the `count` largest products above 0, best first, and how many memories were looked at.

        The best by confidence come first. Outside them only namespaces that are heavy enough to lift the last
        confidence over the last product can matter: those are looked at too, or the round is widened.
        """
        self._look(index, scores.layout)
        weights = {namespace: weight(namespace) for namespace in self._of}
        size = FIRST
        while True:
            ranking = rank(scores, settings, size)
            found = {place: ranking.confidences[place] for place in ranking.memories.tolist()}
            last = min(found.values(), default=0.0)
            weighed = self._weighed(index, scores, found, weight)
            if len(found) < size or last <= 0.0 or is_complete(weighed, count, last, max(weights.values())):
                return weighed, len(found)
            if len(weighed) >= count:
                least = weighed[count - 1].product
                heavy = [self._of[name] for name, one in weights.items() if last * one >= least]
                if sum(map(len, heavy)) <= FEW:
                    found |= _looked_at(scores, settings, np.sort(np.concatenate(heavy)))
                    return self._weighed(index, scores, found, weight), len(found)
            size *= TIMES

    def those(
        self, index: TriggerIndex, scores: Scores, settings: Settings, weight: Weight, keys: Container[int | None]
    ) -> list[Weighed]:
        """The memories of these keys whose product is above 0, best first; the others are not looked at."""
        if scores.layout is not self._layout:
            own = (p for p in scores.layout.memory_places.tolist() if _memory(index, scores.layout, p).key in keys)
            self._layout, self._of = scores.layout, {"": np.fromiter(own, np.intp)}
        return self._weighed(index, scores, _looked_at(scores, settings, self._of[""]), weight)

    def _look(self, index: TriggerIndex, layout: Layout) -> None:
        if layout is self._layout:
            return
        of: dict[str, list[int]] = {}
        for place in layout.memory_places.tolist():
            of.setdefault(_memory(index, layout, place).namespace, []).append(place)
        self._layout, self._of = layout, {name: np.array(places, np.intp) for name, places in of.items()}

    def _weighed(
        self, index: TriggerIndex, scores: Scores, found: Mapping[int, float], weight: Weight
    ) -> list[Weighed]:
        """Those above 0; equal ones in the order of their places, as they are ranked."""
        pairs = ((_memory(index, scores.layout, place), found[place]) for place in sorted(found) if found[place] > 0.0)
        return [one for one in weigh(pairs, weight) if one.product > 0.0]


def _memory(index: TriggerIndex, layout: Layout, place: int) -> Memory:
    answer = index.candidate(int(layout.slots[place])).answer
    assert isinstance(answer, Memory), "only memories are looked at"
    return answer


def _looked_at(scores: Scores, settings: Settings, places: Places) -> dict[int, float]:
    """The exact confidences of these memories."""
    assert scores.quick is not None, "only the index's own scores are looked at"
    combined = combiner_for(settings, power=False).combine(scores.quick.at(places).by_slot, settings)
    values = as_told(chance_for(scores, settings, power=False), np.minimum(np.fmax(combined, 0.0), 1.0))
    return dict(zip(places.tolist(), values.tolist(), strict=True))
