"""How near nodes are to anchors along links, for stores that answer with links alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Walk:
    """Breadth-first search from each anchor, so many steps far; links lead both ways."""

    def __init__(self, anchors: Iterable[str], links: Iterable[tuple[str, str]], hops: int) -> None:
        self._next: dict[str, set[str]] = {}
        for one, other in links:
            self._next.setdefault(one, set()).add(other)
            self._next.setdefault(other, set()).add(one)
        self._depths = {anchor: self._from(anchor, hops) for anchor in anchors}

    def _from(self, anchor: str, hops: int) -> dict[str, int]:
        depths, edge = {anchor: 0}, [anchor]
        for depth in range(1, hops + 1):
            edge = list(dict.fromkeys(n for node in edge for n in self._next.get(node, ()) if n not in depths))
            depths |= dict.fromkeys(edge, depth)
        return depths

    def ranked(self, among: Iterable[str], newest: Mapping[str, str]) -> list[tuple[str, float]]:
        """Those of these nodes that are reached, with their score, in the order of the port: the nearest on average,
        then the newest where times are given, then what more links lead to, then by id."""
        found = []
        for node in among:
            reached = [depths for depths in self._depths.values() if node in depths]
            if reached:
                score = sum(1.0 / (1 + depths[node]) for depths in reached) / len(self._depths)
                links = sum(len(self._before(node, depths)) for depths in reached)
                found.append((node, score, links))
        found.sort(key=lambda one: (-one[2], one[0]))
        found.sort(key=lambda one: newest.get(one[0], ""), reverse=True)
        found.sort(key=lambda one: -one[1])
        return [(node, score) for node, score, _ in found]

    def path(self, node: str) -> list[str]:
        """From the nearest anchor to this node."""
        depths = min((each for each in self._depths.values() if node in each), key=lambda each: each[node])
        path = [node]
        while before := self._before(path[0], depths):
            path.insert(0, min(before))
        return path

    def _before(self, node: str, depths: Mapping[str, int]) -> list[str]:
        """The nodes one step nearer that lead here."""
        return [one for one in self._next.get(node, ()) if depths.get(one, depths[node]) < depths[node]]
