"""Changes that may let a memory, a label or a power come first: triggers, what is set aside, combinations, lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.domain.case import Task
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match
from app.domain.why_not import AddTrigger, LostAt, Rewrite
from app.scoring.combiners import COMBINERS, combiner_for
from app.services.why_not.drafts import Draft, SettingsUnder, Trial, down, settings_draft
from app.services.why_not.trials import Asked, Edit
from app.services.why_not.verdict import Candidate, Verdict
from app.settings import PRESETS, Settings

CASCADE = {
    "exact": "thresholds.exact",
    "keyword": "thresholds.keyword",
    "fuzzy": "thresholds.fuzzy",
    "token_overlap": "thresholds.token",
}
"""The settings that say from which score on each scorer decides in a cascade."""

LABEL = {Task.INTENT: "the label", Task.MEMORY: "the memory", Task.POWER: "the power"}


@dataclass(frozen=True, slots=True)
class Lost:
    """A query with what was expected and what came instead, or comes next."""

    asked: Asked
    task: Task
    name: str
    text: str
    verdict: Verdict
    expected: Candidate
    rival: Candidate | None
    settings: Settings
    under: SettingsUnder

    @property
    def is_power(self) -> bool:
        return self.task is Task.POWER

    @property
    def rival_name(self) -> str:
        if self.rival is None or self.verdict.rival is None:
            return ""
        return self.asked.library.candidates[self.task].names[self.verdict.rival]


def drafts(lost: Lost) -> list[Draft]:
    """Every change that is worth trying, none of them tried yet."""
    found = [*_lines(lost), *_teaching(lost)]
    if lost.verdict.stage in (LostAt.SCORING, LostAt.AMBIGUITY, LostAt.RANKING):
        found += [*_misleading(lost), *_cascade(lost)]
    return [*found, *_combinations(lost)]


def _setting(lost: Lost, size: int, family: str = "", **pairs: str) -> Draft | None:
    named = {key.replace("__", "."): value for key, value in pairs.items()}
    return settings_draft(lost.under, lost.settings, named, size=size, family=family)


# ---- thresholds


def _lines(lost: Lost) -> Iterator[Draft]:
    """The lines that the confidence misses, moved just so far."""
    value, tiers = lost.verdict.confidence, lost.settings.tiers
    if lost.is_power:
        line = min(tiers.high, down(value))
        high = {"tiers.high": line}
        high |= {key: line for key, own in (("tiers.medium", tiers.medium), ("tiers.weak", tiers.weak)) if line < own}
        if line > 0.0:
            yield from _moved(lost, high)
            margin = {"tiers.ambiguity_margin": _margin(lost)}
            yield from _moved(lost, margin)
            yield from _moved(lost, {**high, **margin}, size=2)
    elif 0.0 < value < lost.settings.fallback_threshold:
        yield from _moved(lost, {"fallback_threshold": down(value)})


def _margin(lost: Lost) -> float:
    """The widest margin that leaves the expected power alone; 0 turns it off."""
    if lost.verdict.rival_confidence is None:
        return lost.settings.tiers.ambiguity_margin
    lead = lost.verdict.confidence - lost.verdict.rival_confidence
    margin = down(max(0.0, lead))
    if margin >= lead:
        margin = max(0.0, margin - 0.01)
    return min(lost.settings.tiers.ambiguity_margin, margin)


def _moved(lost: Lost, lines: dict[str, float], size: int = 1) -> Iterator[Draft]:
    pairs = {key: f"{line:.2f}" for key, line in lines.items()}
    draft = settings_draft(lost.under, lost.settings, pairs, size=size + len(pairs) - 1, family="line")
    if draft is not None:
        yield draft


def _cascade(lost: Lost) -> Iterator[Draft]:
    """In a cascade: the first scorer that decides is another where a threshold is moved."""
    if combiner_for(lost.settings, power=lost.is_power).name != "cascade":
        return
    for scorer, key in CASCADE.items():
        own = lost.expected.scores.get(scorer)
        others = None if lost.rival is None else lost.rival.scores.get(scorer)
        lines = [down(own)] if own else []
        lines += [down(others) + 0.01] if others is not None and others < 0.99 else []
        for line in lines:
            draft = _setting(lost, 1, "cascade", **{key: f"{line:.2f}"})
            if draft is not None:
                yield draft


# ---- teaching


def _teaching(lost: Lost) -> Iterator[Draft]:
    """The query as one more trigger of what was expected."""
    answer, text = lost.expected.answer, lost.text
    if text in answer.triggers:
        return
    what = f"Teach “{text}” as one more {'example' if lost.is_power else 'trigger'} of {_called(answer)}"
    edit = Edit((with_trigger(answer, text),))
    yield Draft("trigger.add", what, AddTrigger(answer, text), Trial(lost.settings, edit), 2)


def with_trigger(answer: Answer, text: str) -> Answer:
    """The answer with one trigger more, of a power one example."""
    if isinstance(answer, Power):
        return replace(answer, examples=(*answer.examples, text))
    return replace(answer, triggers=(*answer.triggers, text))


def _called(answer: Answer) -> str:
    """The answer as a person knows it, a label's memory with both."""
    if isinstance(answer, Memory) and answer.intent is not None and answer.id is None:
        return f"“{answer.name}” ({answer.intent})"
    return f"“{answer.name}”"


def _misleading(lost: Lost) -> Iterator[Draft]:
    """The trigger by which another comes first, taken from it or moved to what was expected."""
    if lost.rival is None or lost.rival.answer.key == lost.expected.answer.key:
        return
    theirs, mine = lost.rival.answer, lost.expected.answer
    text = misleading(lost.rival.match)
    less, more = _without(theirs, text), _with(mine, theirs, text)
    if less is not None:
        what = f"Take “{text}” away from {_called(theirs)}"
        yield _rewriting(lost, "trigger.remove", what, (less,), 3)
        if more is not None:
            what = f"Move “{text}” from {_called(theirs)} to {_called(mine)}"
            yield _rewriting(lost, "trigger.move", what, (less, more), 4, verb="moved a trigger of")
    elif isinstance(theirs, Memory) and len(theirs.triggers) == 1:
        if lost.task is Task.INTENT and isinstance(mine, Memory):
            what = f"Give “{text}” the label “{mine.intent}” instead of “{theirs.intent}”"
            yield _rewriting(lost, "memory.relabel", what, (replace(theirs, intent=mine.intent),), 3)
        what = f"Pause {_called(theirs)}, whose only trigger misleads"
        yield _rewriting(lost, "memory.pause", what, (replace(theirs, paused=True),), 5, verb="paused")


def misleading(match: Match) -> str:
    """The trigger, or keyword, to which a match owes its confidence."""
    best = match.best_trigger
    return next((text for name in match.winners if (text := best.get(name))), None) or match.trigger


def _rewriting(lost: Lost, key: str, what: str, answers: tuple[Answer, ...], size: int, verb: str = "edited") -> Draft:
    return Draft(key, what, Rewrite(answers, verb), Trial(lost.settings, Edit(answers)), size)


def _without(answer: Answer, text: str) -> Answer | None:
    """The answer without a trigger; None where it would be left without any, or a power without what it is."""
    if isinstance(answer, Memory):
        left = tuple(one for one in answer.triggers if one != text)
        return replace(answer, triggers=left) if left and len(left) < len(answer.triggers) else None
    if text in answer.keywords:
        return replace(answer, keywords=tuple(one for one in answer.keywords if one != text))
    if text in answer.examples:
        return replace(answer, examples=tuple(one for one in answer.examples if one != text))
    return None


def _with(answer: Answer, giver: Answer, text: str) -> Answer | None:
    """The answer with the trigger that another gives away; None where it has it."""
    if text in answer.triggers:
        return None
    if isinstance(answer, Power) and text in giver.keywords:
        return replace(answer, keywords=(*answer.keywords, text))
    return with_trigger(answer, text)


# ---- what is set aside


def enabling(answer: Answer, text: str, settings: Settings) -> list[Draft]:
    """A paused answer enabled, alone and with the query as one more trigger."""
    back = replace(answer, paused=False)
    edit = Edit((back,))
    what = f"Enable {_called(answer)}"
    found = [Draft("enable", what, Rewrite((back,), "enabled"), Trial(settings, edit), 1, anyway=True)]
    if text not in answer.triggers:
        both = with_trigger(back, text)
        what = f"Enable {_called(answer)} and teach it “{text}”"
        found.append(Draft("enable.teach", what, Rewrite((both,), "enabled"), Trial(settings, Edit((both,))), 3))
    return found


def letting_in(memory: Memory, others: tuple[Memory, ...], settings: Settings, under: SettingsUnder) -> list[Draft]:
    """`min_score` lowered to the memory's success score; `others` are those that it would let in as well."""
    pairs = {"min_score": f"{down(memory.success):.2f}"}
    draft = settings_draft(under, settings, pairs, size=2, anyway=True)
    if draft is None:
        return []
    come = {one.key: one for one in (*others, memory) if one.success >= draft.trial.settings.min_score}
    return [replace(draft, trial=replace(draft.trial, edit=Edit(tuple(come.values()))))]


# ---- combinations


def _combinations(lost: Lost) -> Iterator[Draft]:
    """Other combinations, and the other set of defaults."""
    for name, row in COMBINERS.items():
        if (name == "keyword" and not lost.is_power) or name == combiner_for(lost.settings, power=lost.is_power).name:
            continue
        key = "power_combination" if lost.is_power else "combination"
        pairs = {key: name}
        if not lost.settings.use_hybrid_retrieval:
            pairs["use_hybrid_retrieval"] = "true"
        what = f"Combine the scores {'of powers ' if lost.is_power else ''}by “{row.title}” ({key} {name})"
        draft = settings_draft(
            lost.under, lost.settings, pairs, size=6 if row.title.endswith(" alone") else 5, what=what, family=key
        )
        if draft is not None:
            yield draft
    yield from (draft for draft in (_named(lost), *(_preset(lost, preset) for preset in PRESETS)) if draft)


def _named(lost: Lost) -> Draft | None:
    counts = "false" if lost.settings.name_counts else "true"
    return _setting(lost, 4, name_counts=counts) if lost.is_power else None


def _preset(lost: Lost, name: str) -> Draft | None:
    what = f"Take the preset “{name}”"
    return settings_draft(lost.under, lost.settings, {"preset": name}, size=7, what=what)
