"""Changes that may let a memory, a label or a power come first: triggers, what is set aside, combinations, lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.domain.case import Task
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match
from app.domain.why_not import AddTrigger, LostAt, Moved, Rewrite
from app.scoring.combiners import COMBINERS, combiner_for
from app.services.why_not.drafts import Draft, SettingsUnder, Trial, down, settings_draft
from app.services.why_not.trials import Asked, Edit
from app.services.why_not.verdict import Candidate, Verdict
from app.settings.model import PRESETS, Settings

CASCADE = {
    "exact": "thresholds.exact",
    "keyword": "thresholds.keyword",
    "fuzzy": "thresholds.fuzzy",
    "token_overlap": "thresholds.token",
}
"""The settings that say from which score on each scorer decides in a cascade."""


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
    edit = Edit((with_trigger(answer, text),))
    yield Draft("trigger.add", AddTrigger(answer, text), Trial(lost.settings, edit), 2, about=(answer,), text=text)


def with_trigger(answer: Answer, text: str) -> Answer:
    """The answer with one trigger more, of a power one example."""
    if isinstance(answer, Power):
        return replace(answer, examples=(*answer.examples, text))
    return replace(answer, triggers=(*answer.triggers, text))


def _misleading(lost: Lost) -> Iterator[Draft]:
    """The trigger by which another comes first, taken from it or moved to what was expected."""
    if lost.rival is None or lost.rival.answer.key == lost.expected.answer.key:
        return
    theirs, mine = lost.rival.answer, lost.expected.answer
    text = misleading(lost.rival.match)
    less, more = _without(theirs, text), _with(mine, theirs, text)
    if less is not None:
        yield _rewriting(lost, "trigger.remove", (less,), 3, (theirs,), text)
        if more is not None:
            yield _rewriting(lost, "trigger.move", (less, more), 4, (theirs, mine), text, verb="moved a trigger of")
    elif isinstance(theirs, Memory) and len(theirs.triggers) == 1:
        if lost.task is Task.INTENT and isinstance(mine, Memory):
            draft = _rewriting(lost, "memory.relabel", (replace(theirs, intent=mine.intent),), 3, (theirs,), text)
            yield replace(draft, moved=(Moved("label", theirs.intent or "", mine.intent or ""),))
        yield _rewriting(lost, "memory.pause", (replace(theirs, paused=True),), 5, (theirs,), text, verb="paused")


def misleading(match: Match) -> str:
    """The trigger, or keyword, to which a match owes its confidence."""
    best = match.best_trigger
    return next((text for name in match.winners if (text := best.get(name))), None) or match.trigger


def _rewriting(
    lost: Lost,
    key: str,
    answers: tuple[Answer, ...],
    size: int,
    about: tuple[Answer, ...],
    text: str,
    *,
    verb: str = "edited",
) -> Draft:
    return Draft(key, Rewrite(answers, verb), Trial(lost.settings, Edit(answers)), size, about=about, text=text)


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
    about = (answer,)
    found = [Draft("enable", Rewrite((back,), "enabled"), Trial(settings, edit), 1, about=about, anyway=True)]
    if text not in answer.triggers:
        both = with_trigger(back, text)
        trial = Trial(settings, Edit((both,)))
        found.append(Draft("enable.teach", Rewrite((both,), "enabled"), trial, 3, about=about, text=text))
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
        size = 6 if row.title.endswith(" alone") else 5
        draft = settings_draft(lost.under, lost.settings, pairs, size=size, point=(key, name), family=key)
        if draft is not None:
            yield draft
    yield from (draft for draft in (_named(lost), *(_preset(lost, preset) for preset in PRESETS)) if draft)


def _named(lost: Lost) -> Draft | None:
    counts = "false" if lost.settings.name_counts else "true"
    return _setting(lost, 4, name_counts=counts) if lost.is_power else None


def _preset(lost: Lost, name: str) -> Draft | None:
    return settings_draft(lost.under, lost.settings, {"preset": name}, size=7, point=("preset", name))
