"""What each change of an explanation is called, for the window and the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from app.display.side_by_side import combination_word
from app.display.words import say
from app.domain.intent import Rule, RulePurpose
from app.domain.library import Answer, Memory, Power
from app.domain.why_not import AddTrigger, Change, ChangeSettings, PutBack, Rewrite, StoreRules, TeachRoute

_REWRITES: Mapping[str, str] = {
    "trigger.remove": "Take “{phrase}” away from {theirs}",
    "trigger.move": "Move “{phrase}” from {theirs} to {mine}",
    "memory.relabel": "Give “{phrase}” the label “{after}” instead of “{before}”",
    "memory.pause": "Pause {theirs}, whose only trigger misleads",
    "enable": "Enable {mine}",
    "enable.teach": "Enable {mine} and teach it “{phrase}”",
}

_RULES: Mapping[str, str] = {
    "rule.enable": "Switch on the rule “{rule}”",
    "rule.disable": "Switch off the rule “{rule}”, which found “{phrase}”",
    "rule.unless": "Let nothing hold back the rule “{rule}”",
    "rule.weight": "Let the rule “{rule}” weigh {after} instead of {before}",
}


def change_words(change: Change) -> str:
    """What is to be done, without a full stop."""
    match change.act:
        case ChangeSettings() as chosen:
            return _settings(change, chosen)
        case AddTrigger(answer, text):
            if isinstance(answer, Power):
                return say("Teach “{phrase}” as one more example of {mine}", phrase=text, mine=_called(answer))
            return say("Teach “{phrase}” as one more trigger of {mine}", phrase=text, mine=_called(answer))
        case Rewrite():
            return say(_REWRITES[change.key], **_named(change))
        case PutBack():
            return say("Put “{name}” back", name=change.about[0].name)
        case TeachRoute(case, rules):
            return _teaching(case.text, case.expected[0], rules)
        case StoreRules((rule, *_)):
            return _rule(change, rule)
        case _:
            raise AssertionError("rules that are stored are some")


def _settings(change: Change, chosen: ChangeSettings) -> str:
    match chosen.point:
        case ("preset", name):
            return say("Take the preset “{name}”", name=name)
        case ("power_combination", name):
            title = combination_word(name)
            return say("Combine the scores of powers by “{title}” (power_combination {name})", title=title, name=name)
        case (_, name):
            title = combination_word(name)
            return say("Combine the scores by “{title}” (combination {name})", title=title, name=name)
        case None:
            moved = (
                say("{setting} from {before} to {after}", setting=one.name, before=one.before, after=one.after)
                for one in change.moved
            )
            return say("Set {settings}", settings=say(" and ").join(moved))


def _named(change: Change) -> dict[str, str]:
    """What the words of a change of answers may name."""
    moved = change.moved[0] if change.moved else None
    return {
        "phrase": change.text,
        "theirs": _called(change.about[0]),
        "mine": _called(change.about[-1]),
        "before": moved.before if moved else "",
        "after": moved.after if moved else "",
    }


def _called(answer: Answer) -> str:
    """The answer as a person knows it, a label's memory with both."""
    if isinstance(answer, Memory) and answer.intent is not None and answer.id is None:
        return say("“{name}” ({label})", name=answer.name, label=answer.intent)
    return say("“{name}”", name=answer.name)


def _teaching(text: str, route: str, rules: tuple[Rule, ...]) -> str:
    taught = say("Teach “{phrase}” as a query for “{route}”", phrase=text, route=route)
    if not rules:
        return taught
    named = ", ".join(say("“{name}”", name=rule.id) for rule in rules)
    if len(rules) == 1:
        return say("{taught}, and switch off the rule {named}", taught=taught, named=named)
    return say("{taught}, and switch off the rules {named}", taught=taught, named=named)


def _rule(change: Change, rule: Rule) -> str:
    if change.key != "rule.add":
        moved = change.moved[0] if change.moved else None
        before, after = (moved.before, moved.after) if moved else ("", "")
        return say(_RULES[change.key], rule=rule.id, phrase=change.text, before=before, after=after)
    values = {"label": rule.label, "cue": change.text}
    if rule.purpose is RulePurpose.ROUTE:
        sure = f"{change.sure or 0.0:.2f}"
        return say("Add a rule for “{label}” that finds “{cue}”, as sure as its others ({sure})", sure=sure, **values)
    if rule.weight == 1.0:
        return say("Add a rule for “{label}” that finds “{cue}”", **values)
    return say("Add a rule for “{label}” that finds “{cue}”, of weight {weight}", weight=f"{rule.weight:g}", **values)
