"""Result of the route rules in a text: matched intents and their confidence (S6.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from app.detect.keywords import CompiledRule
from app.detect.patterns import PatternError
from app.domain.intent import Rule, RuleHit, RulePurpose
from app.domain.route import CONFIDENCES, DOCUMENTED, OWN_CONFIDENCE, ROUTE_NAMES, RouteIntent, Routes, route_label

SEVERAL = 0.6
"""Confidence if several intents matched (S6.2)."""


@dataclass(frozen=True, slots=True)
class RulesFound:
    """Hits in the order of the text, including suppressed ones, and the resulting intent.

    `intents` are the matched labels with the confidence of the best rule of each, best first; `intent` is the
    result, "" without a match.
    """

    hits: tuple[RuleHit, ...] = ()
    intents: tuple[tuple[str, float], ...] = ()
    intent: str = ""
    stores: tuple[str, ...] = ()
    confidence: float = 0.0

    @property
    def counting(self) -> tuple[RuleHit, ...]:
        """Hits that are not suppressed."""
        return tuple(hit for hit in self.hits if not hit.held_back)


class RouteRules:
    """Enabled route rules, compiled; invalid ones are skipped and named in `problems`.

    With `labels` only rules of these take part: for a user's own routes, cues of others mislead. Rules of disabled
    `routes` take no part either.
    """

    def __init__(
        self, rules: Iterable[Rule], labels: Collection[str] | None = None, routes: Routes = DOCUMENTED
    ) -> None:
        self._routes = routes
        self._rules: list[tuple[str, CompiledRule]] = []
        self.problems: list[str] = []
        for rule in sorted(rules, key=lambda rule: (rule.pack, rule.position)):
            label = route_label(rule.label)
            if routes.is_off(label) or not (labels is None or label in labels):
                continue
            if rule.enabled and rule.purpose is RulePurpose.ROUTE:
                try:
                    self._rules.append((label, CompiledRule.of(rule)))
                except PatternError as error:
                    self.problems.append(f"Rule {rule.id} is left out. {error}")

    def __len__(self) -> int:
        return len(self._rules)

    def find(self, text: str) -> RulesFound:
        """Match the rules in a text and combine their results."""
        found = [(label, hit) for label, rule in self._rules if (hit := rule.find(text)) is not None]
        hits = tuple(sorted((hit for _, hit in found), key=lambda hit: hit.span))
        sure: dict[str, float] = {}
        for label, hit in found:
            if not hit.held_back:
                sure[label] = max(sure.get(label, 0.0), confidence_of(label, hit.rule))
        intents = tuple(sorted(sure.items(), key=lambda item: -item[1]))
        if not intents:
            return RulesFound(hits)
        single = [label for label, _ in intents if label != RouteIntent.MULTI]
        label, confidence = intents[0]
        if len(intents) == 1:
            return RulesFound(hits, intents, label, self._routes.stores_of(label), confidence)
        if self._routes.is_off(RouteIntent.MULTI):  # then the best one, at most as confident as several
            return RulesFound(hits, intents, label, self._routes.stores_of(label), min(confidence, SEVERAL))
        several = RouteIntent.MULTI.value
        # One of the others and a cue of several: the stores of several.
        stores = self._routes.stores_of_several(single) if len(single) > 1 else self._routes.stores_of(several)
        return RulesFound(hits, intents, several, stores, SEVERAL)


def confidence_of(label: str, rule: Rule) -> float:
    """Return the rule's own confidence, else that of its intent (S6.2)."""
    return CONFIDENCES.get(label, OWN_CONFIDENCE) if rule.confidence is None else rule.confidence


def is_foreign(labels: Collection[str], routes: Routes = DOCUMENTED) -> bool:
    """Return whether these are two or more labels, none of them of the five routes.

    False if the user has set up routes, whose `enabled` then applies.
    """
    return not routes.own and len(labels) > 1 and ROUTE_NAMES.isdisjoint(labels)
