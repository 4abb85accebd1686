"""Rules and packs as rows: cells, issues, trials of edits, and changes by a reset or import."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.detect.patterns import PatternFault
from app.detect.rule_trial import RuleEffect, RuleHint, RuleIssue, RuleOutcome
from app.display import numbers, words
from app.display.library.tables import Column, Facet, counted_facets, has_words
from app.domain.documents import fields_of
from app.domain.inspection import Detection, Inspection
from app.domain.intent import TYPE_NAMES, IntentType, Rule, RuleHit, RulePurpose, intent_type
from app.domain.language import quantity
from app.domain.match import without_lone_surrogates
from app.services.library.rules import PackPlan, RuleChange, RuleSample, RuleSurvey, RuleTrialResult

BEFORE_HIT, LONGEST = 28, 160
"""Maximum characters of a text before the match, and in total."""

FATES = {
    RuleEffect.TURNS_WRONG: "turns wrong",
    RuleEffect.TURNS_RIGHT: "turns right",
    RuleEffect.CHANGES: "another wrong answer",
    RuleEffect.STAYS_RIGHT: "stays right",
    RuleEffect.STAYS_WRONG: "stays wrong",
}


@dataclass(frozen=True, slots=True)
class HighlightedText:
    """Text on one line with a match: before, match, after; without a match all in `before`."""

    before: str
    found: str = ""
    after: str = ""
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class SampleLine:
    """One sample text, and what is detected in it."""

    text: HighlightedText
    outcome: str
    moves: bool


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case: text, effect, both answers, and the right one."""

    text: HighlightedText
    rule_effect: RuleEffect
    word: str
    answers: str


def highlighted(text: str, hit: RuleHit | None) -> HighlightedText:
    """Cut a text so that a rule's match is visible."""
    flat = text.replace("\n", " ")
    if hit is None:
        return HighlightedText(_cut(flat))
    start, end = hit.span
    from_ = max(0, start - BEFORE_HIT) if len(flat) > LONGEST else 0
    lead = "…" if from_ else ""
    found = flat[start : min(end, start + LONGEST)]
    return HighlightedText(lead + flat[from_:start], found, _cut(flat[end : end + LONGEST + 1]), hit.held_back)


def deciding_rule(answer: Inspection | None) -> Rule | None:
    """Return the rule with the most evidence for the type that the rules pick; None for none."""
    ranking = () if answer is None else answer.detection.ranking
    return max(ranking[0].hits, key=lambda hit: hit.evidence).rule if ranking else None


def decision_sentence(answer: Inspection | None) -> str:
    """Return the type of a query with its source, and the rule that matched; "" without a query."""
    if answer is None or not answer.query.text:
        return ""
    query, ranking = f"“{_cut(answer.query.text)}”", answer.detection.ranking
    said = f"{query} has no type."
    if (intent := answer.intent) is not None:
        chance, source = numbers.chance(intent.confidence), words.SOURCES[intent.source].replace("From", "from")
        said = f"{query} is {words.type_word(intent.type)} ({chance}, {source})."
    if (rule := deciding_rule(answer)) is None:
        return f"{said} No rule matches."
    more = sum(len(found.hits) for found in ranking) - 1
    beside = f"; {quantity(more, 'more rule matches', 'more rules match')}" if more else ""
    return f"{said} The rule “{readable(rule.pattern)}” says {words.type_word(ranking[0].type)}{beside}."


def sample_line(sample: RuleSample, trial: RuleTrialResult) -> SampleLine:
    """Return the outcome of one sample text."""
    before, after = _detected(sample.before), _detected(sample.after)
    said = "Does not match." if sample.hit is None else "Overruled by Unless." if sample.hit.held_back else "Matches."
    if trial.attempt.draft.purpose is RulePurpose.ROUTE and before == after:
        return SampleLine(highlighted(sample.text, sample.hit), said, moves=False)
    if before == after:
        said += f" The rules say {after} either way."
    elif trial.is_edit:
        said += f" Saved, the rules say {after} instead of {before}."
    else:
        said += f" With it the rules say {after}, without it {before}."
    return SampleLine(highlighted(sample.text, sample.hit), said, before != after)


def case_line(outcome: RuleOutcome) -> CaseLine:
    before, after = _answer(outcome.before), _answer(outcome.after)
    answers = after if before == after else f"{before} → {after}"
    right = sorted(outcome.subject.right or ())
    if outcome.rule_effect in (RuleEffect.CHANGES, RuleEffect.STAYS_WRONG):
        expected = ", ".join(words.type_word(name) for name in right) or "no type"
        answers = f"{answers}, not {expected}"
    return CaseLine(
        highlighted(outcome.subject.text, outcome.hit), outcome.rule_effect, FATES[outcome.rule_effect], answers
    )


def verdict(trial: RuleTrialResult) -> str:
    """Return the cases that change with the rule, in a sentence; "" while running."""
    if trial.rule_effects is None:
        return ""
    right, wrong = trial.rule_effects.get(RuleEffect.TURNS_RIGHT, 0), trial.rule_effects.get(RuleEffect.TURNS_WRONG, 0)
    if not right and not wrong and trial.attempt.draft.purpose is RulePurpose.ROUTE:
        return "A rule for routes changes no type. The page Routing shows the route of a query."
    if not trial.cases:
        return "No cases are labelled with a type yet. Import some to see which answers change."
    if not right and not wrong:
        return "Saving turns no case." if trial.is_edit else "Without this rule no case would turn."
    turns = f"turns {quantity(right, 'case')} right and {numbers.count(wrong)} wrong"
    return f"Saving {turns}." if trial.is_edit else f"This rule {turns}, compared with none."


def match_counts(trial: RuleTrialResult) -> str:
    """Return the number of cases and other texts that the rule matches."""
    if trial.rule_effects is None:
        return CHECKING
    parts = []
    if trial.cases:
        parts.append(f"Matches {numbers.count(trial.matched)} of {numbers.count(trial.cases)} cases")
    if trial.held_back:
        parts.append(f"overruled in {numbers.count(trial.held_back)}")
    if trial.others:
        share = f"{numbers.count(trial.others_matched)} of {numbers.count(trial.others)} texts"
        parts.append(f"in {share} and other cases" if parts else f"Matches {share} and cases")
    return f"{', '.join(parts)}." if parts else ""


CHECKING = "Checking the cases…"


def trial_limits(trial: RuleTrialResult) -> str:
    """Return what the live test leaves out."""
    return f"By the rules alone ({words.policy(trial.policy)}); examples may decide otherwise."


def unlisted_cases(trial: RuleTrialResult) -> str:
    """Return the number of affected cases that are not listed; "" if all are."""
    more = sum((trial.rule_effects or {}).values()) - len(trial.outcomes)
    return f"and {quantity(more, 'more case')}" if more > 0 else ""


def fault_sentence(fault: PatternFault, *, in_unless: bool = False) -> str:
    """Return place, reason and remedy of a pattern's fault."""
    where = "Unless, character" if in_unless else "Character"
    return f"{where} {fault.place}: {fault.sentence} {fault.remedy}"


def _answer(type_: IntentType | None) -> str:
    return "no type" if type_ is None else words.type_word(type_)


def _detected(detection: Detection) -> str:
    intent = detection.intent
    if intent is None:
        return "no type"
    return f"{words.type_word(intent.type)} {numbers.chance(intent.confidence)}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


OWN_PACK = "mine"
"""Default pack of new rules."""

PACK_TITLES: Mapping[str, str] = {
    "subcog": "Query types",
    "intentscope": "Query types, more",
    "apex": "Routes",
    "routes": "Routes, more",
}
"""Titles of the shipped packs."""

MOST_WEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """Fields as typed; `base` is the stored rule that is edited, None for a new one."""

    id: str
    pack: str
    label: str = "howto"
    pattern: str = ""
    unless: str = ""
    weight: str = "1"
    confidence: str = ""
    purpose: RulePurpose = RulePurpose.SEARCH_INTENT
    enabled: bool = True
    position: int = 0
    base: Rule | None = None

    @classmethod
    def of(cls, rule: Rule, base: Rule | None = None) -> RuleDraft:
        """Return the fields of a rule; an edit of `base`, or a new rule without it."""
        return cls(
            rule.id,
            rule.pack,
            rule.label,
            rule.pattern,
            rule.unless or "",
            f"{rule.weight:.12g}",
            "" if rule.confidence is None else f"{rule.confidence:.12g}",
            rule.purpose,
            rule.enabled,
            rule.position,
            base,
        )

    @property
    def is_changed(self) -> bool:
        """True if there is something to save."""
        return self.base is None or self != RuleDraft.of(self.base, self.base)

    def faults(self) -> dict[str, str]:
        """Return why the draft cannot be saved, by field; the engine checks the patterns."""
        found: dict[str, str] = {}
        if not self.pattern.strip():
            found["pattern"] = "Type the words that the rule looks for."
        if not self.pack.strip():
            found["pack"] = "Name a pack for the rule."
        if not self.label.strip():
            found["label"] = "Name what the rule stands for."
        elif self.purpose is RulePurpose.SEARCH_INTENT and intent_type(self.label) is None:
            types = ", ".join(sorted(TYPE_NAMES))
            found["label"] = f"“{self.label.strip()}” is not one of the six types: {types}."
        if _number(self.weight, MOST_WEIGHT) is None:
            found["weight"] = f"The weight is a number from 0 to {MOST_WEIGHT:g}."
        if self.confidence.strip() and _number(self.confidence, 1.0) is None:
            found["confidence"] = "The rule's own confidence is a number from 0 to 1, or nothing."
        return found

    def rule(self) -> Rule:
        """Return the rule as typed; invalid numbers keep their old value, for a trial."""
        base = self.base
        weight = _number(self.weight, MOST_WEIGHT)
        return Rule(
            self.id,
            without_lone_surrogates(self.label.strip()),
            without_lone_surrogates(self.pattern),
            without_lone_surrogates(self.pack.strip()),
            self.position,
            1.0 if weight is None else weight,
            _number(self.confidence, 1.0),
            without_lone_surrogates(self.unless) if self.unless.strip() else None,
            self.purpose,
            self.enabled,
            None if base is None else base.key,
            0 if base is None else base.version,
        )

    def rebased(self, stored: Rule) -> RuleDraft:
        """Return the draft rebased on the current stored rule."""
        return replace(self, base=stored, position=stored.position)


def new_draft(rules: Iterable[Rule], pack: str = OWN_PACK) -> RuleDraft:
    """Make an empty rule at the end of a pack."""
    rules = list(rules)
    last = max((rule.position for rule in rules if rule.pack == pack), default=-1)
    return RuleDraft(_free_id(f"{pack}.rule", rules), pack, position=last + 1)


def copy_of(rule: Rule, rules: Iterable[Rule]) -> RuleDraft:
    """Make a new rule in the own pack with all fields of another one."""
    made = new_draft(rules)
    stem = rule.id.partition(".")[2] or rule.id
    twin = replace(rule, id=_free_id(f"{OWN_PACK}.{stem}", rules), pack=OWN_PACK, position=made.position, key=None)
    return RuleDraft.of(twin)


def _free_id(stem: str, rules: Iterable[Rule]) -> str:
    taken = {rule.id for rule in rules}
    number = 1
    while (name := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return name


def _number(text: str, most: float) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and 0.0 <= value <= most else None


_EDITED = ("label", "pattern", "unless", "weight", "confidence", "purpose", "pack", "enabled")


def merged(draft: RuleDraft, stored: Rule) -> RuleDraft:
    """Rebase the draft on the stored rule, unless both changed the same field."""
    if draft.base is None:
        return draft
    before, now = RuleDraft.of(draft.base, draft.base), RuleDraft.of(stored, stored)
    edited = {name: getattr(draft, name) for name in _EDITED if getattr(draft, name) != getattr(before, name)}
    if any(getattr(now, name) != getattr(before, name) for name in edited):
        return draft
    return replace(now, **edited)


PURPOSES = {RulePurpose.SEARCH_INTENT: "Type", RulePurpose.ROUTE: "Route"}

FIELDS = {
    "label": "says",
    "pattern": "pattern",
    "pack": "pack",
    "weight": "weight",
    "confidence": "own confidence",
    "unless": "unless",
    "purpose": "purpose",
    "enabled": "switched",
}


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule of the table: the draft, the number of matches, hints in sentences, and unsaved state."""

    draft: RuleDraft
    matches: str = numbers.ABSENT
    hints: tuple[str, ...] = ()
    is_unsaved: bool = False

    @property
    def id(self) -> str:
        return self.draft.id

    @property
    def says(self) -> str:
        return label_word(self.draft.label, self.draft.purpose)

    @property
    def read(self) -> str:
        """The row in one sentence, for screen readers."""
        return ", ".join((self.says, self.draft.pattern, *("not saved",) * self.is_unsaved, *self.hints))


def _tone(row: RuleRow) -> str:
    return "text" if row.draft.enabled else "text_2"


def _count(row: RuleRow) -> str:
    return "⚠ " * bool(row.hints) + ("" if row.matches == "0" else row.matches)


RULE_COLUMNS: tuple[Column[RuleRow], ...] = (
    Column("pattern", "Pattern", lambda row: "• " * row.is_unsaved + readable(row.draft.pattern), 300, tone=_tone),
    Column("says", "Result", lambda row: row.says, 104, tone=_tone),
    Column("matches", "Matches", _count, 80, is_number=True, tone=_tone),
    Column("weight", "Weight", lambda row: row.draft.weight, 66, is_number=True, is_shown=False, tone=_tone),
    Column("unless", "Unless", lambda row: readable(row.draft.unless), 160, is_shown=False, tone=_tone),
    Column("confidence", "Confidence", lambda row: row.draft.confidence, 96, is_number=True, is_shown=False),
    Column("purpose", "Purpose", lambda row: PURPOSES[row.draft.purpose], 80, is_shown=False, tone=_tone),
    Column("pack", "Pack", lambda row: pack_title(row.draft.pack), 124, is_shown=False, tone=_tone),
    Column("on", "State", lambda row: "" if row.draft.enabled else "off", 56, tone=_tone, is_sparse=True),
)


def label_word(label: str, purpose: RulePurpose) -> str:
    """Return a rule's label, by display name for the six types."""
    known = intent_type(label) if purpose is RulePurpose.SEARCH_INTENT else None
    return words.type_word(known) if known is not None else label


def readable(pattern: str) -> str:
    """Return a pattern for reading: with blanks, gaps, plain groups, and space around alternatives."""
    plain = _GAP.sub(" … ", pattern).replace(r"\s+", " ").replace(r"\?", "?").replace("['’]?", "’")
    return " ".join(plain.replace("(?:", "(").replace("|", " | ").split())


_GAP = re.compile(r"\\w(?:\\S|\[\^\?\])\*|(?:\\[sb])?(?:\.|\(\?:\\w\+\\s\+\))\{\d+,\d+\}\??(?:\\[sb])?")
"""Part of a pattern that matches any words up to a limit."""


def pack_title(name: str) -> str:
    """Return the title of a pack: its purpose if it is shipped, otherwise its name."""
    return PACK_TITLES.get(name, name)


def rule_row(draft: RuleDraft, survey: RuleSurvey | None, *, is_unsaved: bool, is_shipped: bool = False) -> RuleRow:
    """Make the row of a rule or draft; matches are not counted without a survey."""
    if survey is None:
        return RuleRow(draft, is_unsaved=is_unsaved)
    tally = survey.tallies.get(draft.id)
    # A shipped rule need not match what is in a library of one's own.
    hints = [one for one in survey.hints.get(draft.id, ()) if not (is_shipped and one.issue is RuleIssue.NEVER)]
    matches = numbers.ABSENT
    if tally is not None and (survey.cases or survey.others):
        matches = numbers.count(tally.cases if survey.cases else tally.others)
    return RuleRow(draft, matches, tuple(hint_sentence(hint, survey) for hint in hints), is_unsaved)


def rule_rows(
    rules: Sequence[Rule], drafts: Mapping[str, RuleDraft], survey: RuleSurvey | None, shipped: Collection[str] = ()
) -> list[RuleRow]:
    """Return the rows of all rules: types, then routes; new drafts are last of each."""
    shown = [drafts.get(rule.id) or RuleDraft.of(rule, rule) for rule in rules]
    stored = {rule.id for rule in rules}
    shown += [draft for name, draft in drafts.items() if name not in stored]
    shown.sort(key=lambda draft: draft.purpose is RulePurpose.ROUTE)
    return [rule_row(draft, survey, is_unsaved=draft.id in drafts, is_shipped=draft.id in shipped) for draft in shown]


_FACETS: Mapping[str, tuple[str, Callable[[RuleRow], str]]] = {
    "pack": ("Pack", lambda row: row.draft.pack),
    "purpose": ("Purpose", lambda row: PURPOSES[row.draft.purpose]),
    "on": ("State", lambda row: "On" if row.draft.enabled else "Off"),
}


def rule_facets(rows: Sequence[RuleRow]) -> tuple[Facet, ...]:
    """Return the filter facets of rules, with the number of rules of each value."""
    return counted_facets(rows, _FACETS, pack_title)


def filtered_rows(rows: Iterable[RuleRow], search: str = "", chosen: Mapping[str, str] = {}) -> list[RuleRow]:
    """Return the rows with these values of facets that match every search word."""
    wanted = [(_FACETS[key][1], value) for key, value in chosen.items()]
    return [row for row in rows if _matches(row, search) and all(of(row) == value for of, value in wanted)]


def _matches(row: RuleRow, search: str) -> bool:
    draft = row.draft
    text = " ".join((row.id, row.says, draft.pattern, draft.unless, PURPOSES[draft.purpose], draft.pack, *row.hints))
    return has_words(text, search)


def counted_in(survey: RuleSurvey | None) -> str:
    """Return what the column of matches counts."""
    if survey is None:
        return "matches are being counted"
    if survey.cases:
        return f"matches in {quantity(survey.cases, 'case')} with a type"
    if survey.others:
        return f"matches in {quantity(survey.others, 'text')}"
    return "no cases to count matches in"


def hint_sentence(hint: RuleHint, survey: RuleSurvey) -> str:
    """Return a possible issue of a rule, in a sentence."""
    match hint.issue:
        case RuleIssue.BROKEN:
            return "Does not compile, so it is left out."
        case RuleIssue.DUPLICATE:
            return f"Finds just what {hint.other} finds."
        case RuleIssue.SHADOWED:
            return f"Under Priority it never decides: an earlier type always matches too, mostly by {hint.other}."
        case RuleIssue.NEVER:
            tried = numbers.count(survey.cases + survey.others)
            return f"Matches none of {tried} texts."


# ---- packs


@dataclass(frozen=True, slots=True)
class PackRow:
    """One pack: name, number of rules, number of enabled ones, and if it is shipped."""

    name: str
    rules: int
    enabled: int
    is_shipped: bool

    @property
    def state(self) -> str:
        """Number of enabled rules, and shipped or own."""
        whose = "shipped" if self.is_shipped else "own"
        return f"{self.enabled} of {self.rules} on · {whose}"


def pack_rows(rules: Iterable[Rule], shipped: Iterable[str]) -> list[PackRow]:
    """Return the packs by name, which is also the order of their rules."""
    known = set(shipped)
    names: dict[str, list[Rule]] = {}
    for rule in rules:
        names.setdefault(rule.pack, []).append(rule)
    rows = [PackRow(name, len(own), sum(rule.enabled for rule in own), name in known) for name, own in names.items()]
    return sorted(rows, key=lambda row: row.name)


def pack_line(row: PackRow) -> str:
    """Format a pack as a terminal line."""
    return f"{row.name:24}{row.state}"


def pack_document(row: PackRow) -> dict[str, object]:
    return {"pack": row.name, "rules": row.rules, "on": row.enabled, "shipped": row.is_shipped}


def rule_line(rule: Rule) -> str:
    """Format a rule as a terminal line: state, ID, label and pattern."""
    return f"{'on' if rule.enabled else 'off':5}{rule.id:32}{rule.label:16}{rule.pattern}"


def rule_document(rule: Rule) -> dict[str, object]:
    """Make the document of a rule, in the order of its pack."""
    return {
        "id": rule.id,
        "on": rule.enabled,
        **fields_of(rule, "label", "pattern", "unless", "weight", "confidence", "purpose"),
    }


# ---- plans


def plan_lines(plan: PackPlan) -> list[str]:
    """Return the changes by a reset or an import, one line per rule."""
    lines = [_change_line(change) for change in plan.changes]
    if plan.reordered:
        lines.append("The order of the rules changes.")
    return lines + [f"Left out: {problem}" for problem in plan.problems]


def _change_line(change: RuleChange) -> str:
    if change.before is None:
        assert change.after is not None, "a change has one side at least"
        return f"New: {change.after.id}, {change.after.pattern}"
    if change.after is None:
        return f"Deleted: {change.before.id}, {change.before.pattern}"
    parts = [
        (f"{FIELDS[name]} {_value(getattr(change.before, name))} → {_value(getattr(change.after, name))}")
        for name in change.fields
    ]
    return f"Changed: {change.before.id}, {'; '.join(parts)}"


def _value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else f"“{value}”"
