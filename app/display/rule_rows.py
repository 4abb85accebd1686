"""Rules and packs as rows: cells, what may be wrong with each, and what a reset or an import would change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.detect.rule_trial import Ailment, Hint
from app.display import numbers, words
from app.display.rule_draft import RuleDraft
from app.domain.intent import Rule, RulePurpose, intent_type
from app.services.library.rule_trial import Survey
from app.services.library.rules import PackPlan, RuleChange

HEADS = ("On", "Label", "Pattern", "Unless", "Weight", "Own conf.", "Purpose", "Matches", "Pack")
ON, LABEL, PATTERN, UNLESS, WEIGHT, CONFIDENCE, PURPOSE, MATCHES, PACK = range(len(HEADS))
NUMBERS = frozenset({WEIGHT, CONFIDENCE, MATCHES})

PURPOSES = {RulePurpose.SEARCH_INTENT: "Intent", RulePurpose.ROUTE: "Route"}

FIELDS = {
    "label": "label",
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
    """One rule of the table: its cells in the order of HEADS, hints in sentences, and if it is not saved as shown."""

    id: str
    pack: str
    enabled: bool
    cells: tuple[str, ...]
    hints: tuple[str, ...] = ()
    is_unsaved: bool = False
    is_new: bool = False

    @property
    def read(self) -> str:
        """The row in one sentence, for those who listen."""
        said = [self.cells[LABEL], self.cells[PATTERN]]
        if self.is_unsaved:
            said.append(words.say("not saved"))
        return ", ".join([*said, *self.hints])


def label_word(label: str, purpose: RulePurpose) -> str:
    """What a rule stands for, in the words of the six types where it is one of them."""
    known = intent_type(label) if purpose is RulePurpose.SEARCH_INTENT else None
    return words.type_word(known) if known is not None else label


def rule_row(draft: RuleDraft, survey: Survey | None, *, is_unsaved: bool) -> RuleRow:
    """A rule, or what is being made of it, as a row; nothing is counted while there is no survey."""
    tally = None if survey is None else survey.tallies.get(draft.id)
    hints = () if survey is None else survey.hints.get(draft.id, ())
    matches = numbers.ABSENT
    if survey is not None and tally is not None:
        matches = numbers.count(tally.cases if survey.cases else tally.others)
    cells = (
        words.say("On") if draft.enabled else words.say("Off"),
        label_word(draft.label, draft.purpose),
        draft.pattern,
        draft.unless,
        draft.weight,
        draft.confidence or numbers.ABSENT,
        words.say(PURPOSES[draft.purpose]),
        matches,
        draft.pack,
    )
    told = tuple(hint_sentence(hint, survey) for hint in hints) if survey is not None else ()
    return RuleRow(draft.id, draft.pack, draft.enabled, cells, told, is_unsaved, draft.base is None)


def rule_rows(
    rules: Sequence[Rule], drafts: Mapping[str, RuleDraft], survey: Survey | None, pack: str = "", sought: str = ""
) -> list[RuleRow]:
    """The rows of a pack, or of all, that hold every word sought; rules that are only drafts stand last."""
    shown = [drafts.get(rule.id) or RuleDraft.of(rule, rule) for rule in rules]
    stored = {rule.id for rule in rules}
    shown += [draft for name, draft in drafts.items() if name not in stored]
    rows = [rule_row(draft, survey, is_unsaved=draft.id in drafts) for draft in shown if pack in ("", draft.pack)]
    return [row for row in rows if _matches(row, sought)]


def _matches(row: RuleRow, sought: str) -> bool:
    text = " ".join((row.id, *row.cells[LABEL:WEIGHT], row.cells[PURPOSE], row.pack, *row.hints)).lower()
    return all(word in text for word in sought.lower().split())


def counted_in(survey: Survey | None) -> str:
    """What the column of matches counts."""
    if survey is None:
        return words.say("matches are being counted")
    if survey.cases:
        return words.say_n(survey.cases, "matches in {n} case with a type", "matches in {n} cases with a type")
    if survey.others:
        return words.say_n(survey.others, "matches in {n} taught phrase", "matches in {n} taught phrases and cases")
    return words.say("no cases to count matches in")


def hint_sentence(hint: Hint, survey: Survey) -> str:
    """What may be wrong with a rule, in a sentence."""
    match hint.ailment:
        case Ailment.BROKEN:
            return words.say("Does not compile, so it is left out.")
        case Ailment.DUPLICATE:
            return words.say("Finds just what {other} finds.", other=hint.other)
        case Ailment.SHADOWED:
            return words.say(
                "Under Priority it never decides: an earlier type always matches too, mostly by {other}.",
                other=hint.other,
            )
        case Ailment.NEVER:
            tried = numbers.count(survey.cases + survey.others)
            return words.say("Matches none of {n} cases and taught phrases.", n=tried)


# ---- packs


@dataclass(frozen=True, slots=True)
class PackRow:
    """One pack: its name, its rules, how many of them are on, and if it came with the program."""

    name: str
    rules: int
    enabled: int
    is_shipped: bool

    @property
    def state(self) -> str:
        """How many are on, and whose it is."""
        whose = words.say("shipped") if self.is_shipped else words.say("own")
        return words.say("{on} of {n} on · {whose}", on=self.enabled, n=self.rules, whose=whose)


def pack_rows(rules: Iterable[Rule], shipped: Iterable[str]) -> list[PackRow]:
    """The packs by name, which is the order that their rules stand in."""
    known = set(shipped)
    names: dict[str, list[Rule]] = {}
    for rule in rules:
        names.setdefault(rule.pack, []).append(rule)
    rows = [PackRow(name, len(own), sum(rule.enabled for rule in own), name in known) for name, own in names.items()]
    return sorted(rows, key=lambda row: row.name)


# ---- plans


def plan_lines(plan: PackPlan) -> list[str]:
    """What a reset or an import would change, a line a rule."""
    lines = [_change_line(change) for change in plan.changes]
    if plan.reordered:
        lines.append(words.say("The order of the rules changes."))
    return lines + [words.say("Left out: {problem}", problem=problem) for problem in plan.problems]


def _change_line(change: RuleChange) -> str:
    if change.before is None:
        assert change.after is not None, "a change has one side at least"
        return words.say("New: {id}, {pattern}", id=change.after.id, pattern=change.after.pattern)
    if change.after is None:
        return words.say("Deleted: {id}, {pattern}", id=change.before.id, pattern=change.before.pattern)
    parts = [
        words.say(
            "{field} {before} → {after}",
            field=words.say(FIELDS[name]),
            before=_value(getattr(change.before, name)),
            after=_value(getattr(change.after, name)),
        )
        for name in change.fields
    ]
    return words.say("Changed: {id}, {parts}", id=change.before.id, parts="; ".join(parts))


def _value(value: object) -> str:
    if value is None:
        return words.say("none")
    if isinstance(value, bool):
        return words.say("on") if value else words.say("off")
    return f"{value:g}" if isinstance(value, float) else f"“{value}”"
