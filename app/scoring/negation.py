"""Negated requests: what a query does not want, and the triggers that ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.scoring.columns.bm25 import FUNCTION_WORDS
from app.scoring.text import stem, words

Stems = frozenset[str]

FILLERS = FUNCTION_WORDS | frozenset(
    "about actually again ahead all also am any anyone anymore anything else even ever get getting give go going hello "
    "help hey hi id ill im ive just kindly let like longer make maybe more must necessary need needed never no now ok "
    "okay really required right shall should something still thank thanks today want wanted wish yes yet".split()
)
"""Words without a topic: removed before a query is compared with triggers."""

DENIALS = frozenset(
    "arent cannot cant couldnt didnt doesnt dont forget hasnt havent isnt never no not quit stop unable wasnt "
    "without wont wouldnt".split()
)
"""Words that make a trigger a negation itself, of the word that follows."""

ACTIONS = frozenset(
    "add activate apply approve archive ask assign attach backup block book build buy call cancel change charge clean "
    "clear click close commit configure connect contact convert copy create deactivate delete deploy disable dispatch "
    "download draft draw drop edit email enable end erase execute export fetch fill format forward generate import "
    "insert install invite invoke kill launch list load mail make merge message migrate modify move navigate notify "
    "open order overwrite pay play post print publish pull purge push put query read reboot rebase rebuild record "
    "redeploy refund release reload remove rename replace reply rerun reschedule reset resolve restart restore resume "
    "revert roll rollback run save scale schedule screenshot search send set share shut sign start submit subscribe "
    "switch sync tag test text touch transfer translate truncate try turn type undo uninstall unsubscribe update "
    "upgrade upload use visit wipe write".split()
)
"""Verbs of what a tool does; "don't push the branch" asks for no tool."""

NEGLECTS = frozenset(
    "abandon bother break care corrupt damage delay fail forget hesitate ignore leave let lose mind miss neglect omit "
    "overlook panic postpone quit skip stop trust wait waste worry".split()
)
"""Verbs whose negation refuses no action, even if a trigger begins with one."""

_SOFT = r"(?:(?:please|just|really|actually|ever|even|also|still|you dare|under any circumstances) )*"
_WHEN = (
    r"(?:(?:as of|at|before|after|by|during|for|from|if|in|on|till|until) (?:(?!do |not )\w+ ){0,3}?"
    r"(?!i |we |you |they |it |he |she |people |both |some |all |most |many |data |do |not |"
    r"(?!(?:this|\w*(?:day|end|hour|circumstance)s) )\w+s )\w+ )"
)
"""Time, place or condition before a request: "at this point don't", unlike "here mails don't"."""

_GREETING = (
    r"(?:(?:please|kindly|no|nope|hey|hi|hello|ok|okay|oh|well|sorry|wait|so|and|also|just|actually|now|thanks|then|"
    r"i said|(?:make sure|ensure)(?: that)?(?: you| to)?|i hope you|i beg you|right now|today|tonight|"
    r"guys|folks|team|everyone|everybody) )*"
)
_LEAD = f"{_GREETING}(?:{_WHEN}{_GREETING})?"
"""What may stand before a request; _WHEN once only, as its repetition would match in exponential time."""

_STATES = (
    r"(?!(?:have|has|had|get(?! (?:me|us)\b)|gets|got|know|see|saw|think|understand|remember|find|receive|hear|"
    r"heard|believe|care|works?|recogni[sz]e|feel|seem|came|went|like|want|need|able|sure|only|all|every|enough|yet|even|be|been)\b)"
)
"""Excludes verbs of states, whose negation reports a problem: "don't see my order"."""

_NO_FORM = r"(?!\w+(?:ed|ing)\b)"
_NO_SUBJECT = r"(?!(?:you|we|i|they|he|she|it)\b(?! dare\b))"
"""Not a question such as "don't you ship abroad"."""

_I = r"(?:(?:i|we|he|she|they) )?" + _SOFT
_NOT = r"(?:do not|dont|did not|didnt|does not|doesnt|never|no longer|would not|wouldnt|will not|wont)"
_AM_NOT = r"(?:am not|im not|was not|wasnt|are not|arent|were not|not)"
_OTHER = r"(?: (?:you|me|us|anyone|it))?"

_WHOLE = re.compile(
    rf"^{_LEAD}{_I}{_NOT} {_SOFT}(?:want|need|wish for|like|ask(?:ed)? for)(?= (?!to\b|you\b|me\b|us\b|anyone\b))"
    rf"|^{_LEAD}not (?!to\b){_SOFT}{_STATES}{_NO_FORM}"
)
"""Negations of a thing; they oppose only a trigger of exactly the same words.

"I don't want my account" is a request to delete it, not a refusal of every trigger with "account".
"""

_NO_REPORT = (
    r"(?!(?:hav|gett|see|find|receiv|hear|understand|know|feel|work|be|com|go|show|load|connect|respond|recogni[sz]|"
    r"tak|look|try|plan|ask|want|notic|miss)\w*ing\b)"
)
"""Excludes reports such as "I'm not receiving codes"."""

_THING = r"(?:\w+ ){1,4}?"
_PASSIVE = re.compile(
    rf"(?:^{_LEAD}(?P<thing>{_THING})(?:(?:must|should|shall|is|are) not (?:to )?|mustnt |shouldnt )(?:be|get)"
    rf"|\b(?:make sure|ensure)(?: that)? (?P<kept>{_THING})"
    r"(?:isnt|is not|arent|are not|never gets?|(?:doesnt|does not|dont|do not|wont|will not) (?:get|be)))"
    r" (?=\w+ed\b)"
)
"""Refusal with its thing in front: "my order must not be cancelled"."""

_POLITE = re.compile(rf"^{_LEAD}(?:can|could|would|will) you (?:please |kindly )not {_SOFT}{_STATES}")
"""Request not to do something, in the form of a question."""

_NOBODY = r"(?:nobody|no one|noone)"
_STRONG = re.compile(
    rf"^{_LEAD}(?:do not|dont|never) {_SOFT}"
    r"(?:bother(?: with| about)?|worry about|think (?:about|of)|consider) (?=\w+ing\b)"
    rf"|^{_LEAD}(?:do not|dont|never(?! mind)|"
    r"(?:you |we )?(?:shouldnt|mustnt|neednt|(?:should|must|need|may|better) not)) (?:bother to )?"
    rf"{_NO_SUBJECT}{_SOFT}{_STATES}{_NO_FORM}"
    rf"|(?:^{_LEAD}|\b(?<!was )(?<!were )(?<!been )"
    r"(?:advised?|agreed?|ask(?:ed)?|best|better|care(?:ful)?|chose|chosen|decided?|instructed|intend|"
    r"like|meant|need|plan(?:ned)?|prefer|promised?|remember|(?:i|we) said|sure|tell|told|try|want|warned|wiser|wish)"
    r"(?: you| me| us| them)?(?: please)? )not to (?!be\b)"
    rf"|\b{_NOBODY} (?:should |must |shall |is (?:allowed|permitted|supposed) to )(?!be\b|get\b)"
    rf"|\b(?:make sure|ensure)(?: that)? {_NOBODY} (?!(?:can|could|will|is|has|else|but)\b)"
    r"|\b(?:not|isnt|wasnt) (?:necessary|needed|required|a good (?:idea|time)|the moment) to "
    r"|\b(?:is|its|be) (?:unwise|unnecessary|pointless|useless|too (?:early|soon)|a (?:bad idea|mistake)) to "
    r"|\bforbid (?:you|them|anyone|anybody|everyone|everybody) to "
    r"|\b(?:am|im|are|were|strictly) against (?=\w+ing\b)"
    rf"|\b{_I}{_NOT} {_SOFT}(?:want|wanted|wanna|need|wish|mean|meant|like|intend|plan|ask|asked|agree|agreed)"
    rf"{_OTHER} to (?!know\b)"
    rf"|\b(?:i|we) {_SOFT}(?:never|didnt|did not) {_SOFT}(?:say|said|tell|told){_OTHER} (?:to )?(?!that\b|anything\b)"
    rf"|\b{_NOBODY} {_SOFT}(?:asked|told|wants|wanted|said){_OTHER} to "
    rf"|\b(?:i|we) {_SOFT}(?:refuse|decline) to "
    r"|\b(?:i|we) (?:have |ve )?(?:decided|chosen|chose) against (?=\w+ing\b)"
    rf"|^{_LEAD}(?:i am|im|we are|were) not {_SOFT}{_NO_REPORT}(?=\w+ing\b)"
    rf"|\b(?:i |we )?{_AM_NOT} {_SOFT}(?:asking|trying|looking|going|planning|wanting|here){_OTHER} (?:to|for) "
    rf"|^{_LEAD}(?:i|we) (?:wont|will not|will never|would never) {_SOFT}{_STATES}(?!\w+ed\b)"
    r"|\byou (?:do not|dont) (?:have|need) to "
    r"|\bunder no circumstances (?:should you |do i want to )?"
    r"|\b(?:i would|id|would|we would|wed) (?:rather|prefer) (?:you (?:didnt|did not) |not (?:to )?)"
    r"|\bnever mind (?:about )?(?:the |that |this |my |a )?(?!(?:i|we|ill|id|can|could|please|what|how|where|when)\b)"
    rf"|^{_LEAD}forget about (?:the |that |this |my |a )?"
    r"|\bno need (?:to|for|of) |\b(?:is|theres|see) no (?:reason|point|use|sense) (?:to|in) "
    rf"|^{_LEAD}(?:stop|quit) (?=\w+ing\b)"
    rf"|^{_LEAD}(?:avoid|skip|resist|hold off(?: on| from)?|(?:refrain|desist|abstain) from) (?=\w+ing\b)"
    rf"|^{_LEAD}lets (?:rather |better )?not {_STATES}"
    r"|\b(?:do not|dont) think (?:that )?(?:i|we|you) (?:should|need to|have to|want to) "
    r"|^(?:please )?no (?=\w+ (?:(?:is |are )?(?:needed|required|necessary|wanted)\b|(?:\w+ ){0,2}please$|for now$))"
)
"""Refusals of an action: "don't deploy", "try not to deploy", "nobody should", "I am against it"."""

_ASKS = re.compile(
    r"(?:is|are|am|was|were|does|can|could|may|might|(?:do|did|will|would|should)(?! (?:not|never|rather|prefer)\b)|"
    r"why|what|how|if(?! possible\b)|when|where|who|which|whether)\b"
)
"""Beginning of a question or a condition, in which a negation refuses nothing."""

_PARTS = re.compile(
    r"([.;:!?,\n()—]+|(?<=\s)[-–]+(?=\s))|\b(?:but|and|then|instead(?! of)"
    r"|so (?=just\b|please\b|can\b|could\b|(?!that)\w+ (?:the|an?|my|it|me|him|her|them|this)\b))\b"
    r"|\b(?=(?:i|we) (?:just |really |only )?(?:want|need|wanna|prefer|would like)\b)"
)
_OBJECT = re.compile(r" ?\b(?:my|the|an?|this|that|these|those|your|our|his|her|its|their)\b")
"""A thing that is meant: "not the flight", unlike "not null"; at the beginning no action is named."""

_REFERENCE = re.compile(r"\b(?:its?|them|their|they|ones?|that|this|those|these|there|same)\b")
"""Words of the rest that may mean what is negated."""

_NOT_FIRM = re.compile(rf"^{_LEAD}(?:stop|quit|no $)")
_UNLESS = re.compile(r"\b(?:except|only|just|(?:before|without|until) \w+ing)\b")
"""Words after which a negation may ask for something: "don't deploy before running the tests"."""

_BY_NOBODY = re.compile(rf"{_NOBODY} $")
_OF_A_NOUN = re.compile(r"\b(?:(?:never mind|forget) (?:about )?(?:the|that|this|my|a)|no need (?:for|of)) $")
"""Refusals of a thing, without an action on it."""

_TELLS_ME = re.compile(
    r"^(?:alert|bother|call|contact|email|mail|message|notify|page|ping|remind|ring|send|spam|tell|text) (?:me|us)\b"
)
"""Requests not to be notified, as "don't page me": a power that silences may serve them."""

_EITHER = re.compile(r"\bor\b")
_HINTS = re.compile(
    r"\b(?:not|\w+nt|never|nevermind|no|nobody|noone|stop|quit|forget|instead|rather|avoid|refrain|off|refuse|decline|"
    r"against|forbid|unwise|unnecessary|pointless|useless|early|soon|bad|mistake|mind|skip|"
    r"resist|desist|abstain)\b"
)
"""Words without one of which a query negates nothing."""

_MISSPELT = re.compile(r"\b(?:dnt|donot|do nt|don t|dont t)\b")
_INSERTED = re.compile(r"\b(not|dont|never)\s*[,(][\w ]{1,40}[,)]\s*")
"""An insertion right after a negation, as in "do not, under any circumstances, deploy"."""

_GO_AND = re.compile(r"\bgo (?:ahead )?and\b")
_DO_NOT_DISTURB = re.compile(r"\b(?:do not|dont) disturb\b")


MOST_MORE = 1
"""Maximum number of a negated trigger's words that the query lacks.

One, as in the query "do not cancel it" and the trigger "cancel my order".
"""


@dataclass(frozen=True, slots=True)
class Denied:
    """Stems of the words that a part of a query negates.

    `action` is the first stem: "cancel" in "do not cancel my order"; `light` is a verb of _LIGHT before it, if any.

    `is_whole`: only triggers of exactly these words are meant. `is_refusal`: the first word has the form of a verb that
    may name an action, as in "don't push the branch", unlike "never connects" and "don't ignore the alerts".
    `is_thing`: no action is named, as in "never mind the release notes", so any on it is meant. `has_thing`: a thing
    is named, as in "don't send me the invoice", unlike "don't talk so slow".
    """

    stems: Stems
    action: str
    is_whole: bool = False
    is_refusal: bool = False
    light: str = ""
    is_thing: bool = False
    has_thing: bool = False


@dataclass(frozen=True, slots=True)
class Negation:
    """Parts that a query negates, and the stems of everything else in it, of which `action` is the first."""

    denied: tuple[Denied, ...] = ()
    others: Stems = frozenset()
    action: str = ""
    refers: bool = False
    """True if the rest may mean the thing of a negated part: "don't drop the database, back it up"."""
    then: tuple[str, ...] = ()
    """Stems of the first part after a negated one, in order."""

    @property
    def refused(self) -> tuple[Denied, ...]:
        """Negated parts of which each refuses an action, if the query negates nothing else."""
        return self.denied if all(part.is_refusal for part in self.denied) else ()

    def is_known(self, part: Denied, triggers: Iterable[str]) -> bool:
        """Return whether a part refuses one of ACTIONS, or what one of these triggers asks for."""
        return part.action in _ACTION_STEMS or any(_Trigger.of(one).asks_to(part.action) for one in triggers)

    def is_taught(self, triggers: Iterable[str]) -> bool:
        """Return whether a trigger negates or stops the same action, or a thing that the query does not want."""
        read = (_Trigger.of(trigger) for trigger in triggers)
        return any(one.negates(part) for one in read for part in self.denied)

    def opposed(self, triggers: Sequence[str]) -> list[int]:
        """Return the places of the triggers of one answer that ask for what the query negates.

        None if a trigger negates or stops the same, or is asked for by the rest of the query.
        """
        if self.is_taught(triggers):
            return []
        read = [_Trigger.of(trigger) for trigger in triggers]
        asking = [(place, one) for place, one in enumerate(read) if one.is_request]
        together = frozenset[str]().union(*(one.stems for _, one in asking))
        rest = self.others - DENIALS
        if (rest and rest <= together) or any(self._is_wanted(one) for _, one in asking):
            return []
        return [place for place, one in asking if any(self._is_meant(part, one, together) for part in self.denied)]

    def _is_wanted(self, trigger: _Trigger) -> bool:
        """Return whether the part after a negated one asks for this: "don't stop it, turn it down"."""
        thing = trigger.stems - {trigger.action}
        if self.then[:1] != (trigger.action,) or any(part.stems & thing for part in self.denied):
            return False
        return bool(thing) and (self.refers or not thing.isdisjoint(self.then))

    def _is_meant(self, part: Denied, trigger: _Trigger, together: Stems) -> bool:
        if part.is_whole and not self.others:
            return part.stems == trigger.stems
        more = len(trigger.stems - part.stems - self.others)
        is_near = more <= MOST_MORE + (len(part.stems) == 1)
        if part.is_thing:
            return is_near and part.stems <= trigger.stems
        is_same = trigger.action in (part.action, self.action) or bool(part.light and trigger.light == part.light)
        return is_near and part.stems <= together and is_same


@dataclass(frozen=True, slots=True)
class _Trigger:
    """Trigger with its stems.

    `action` is the first stem: "cancel" in "cancel my order"; `light` is a verb of _LIGHT before it, if any.

    `denied` are the stems right after its negations, as "charge" in "don't charge me twice", and `refused` are all that
    a query of this text negates: none in "why did the workflow stop".
    """

    stems: Stems
    action: str
    light: str
    denied: Stems
    refused: Stems
    is_request: bool
    """False for negations and for reports of events: "charged twice", "compiling takes long"."""

    @classmethod
    @lru_cache(maxsize=20_000)
    def of(cls, text: str) -> _Trigger:
        plain = _plain(text)
        found, every = _content(plain), words(plain)
        after = [
            next((word for word in every[place + 1 :] if word not in FILLERS), "")
            for place, word in enumerate(every)
            if word in DENIALS
        ]
        asks_to_stop = found[:1] in _STOPS and len(after) == 1 and not after[0].endswith("ing")
        is_request = bool(found) and (asks_to_stop or not after) and not found[0].endswith(("ed", "ing"))
        denied = frozenset() if asks_to_stop else frozenset(stem(word) for word in after if word)
        refused = frozenset[str]().union(*(part.stems for part in negation_of(text).denied)) if after else frozenset()
        action = stem(found[0]) if found else ""
        return cls(frozenset(map(stem, found)), action, _light(plain), denied, refused, is_request)

    def negates(self, part: Denied) -> bool:
        """Return whether it negates what a part does, to the same thing if both name one.

        So does "stop the container" beside "stop running containers", but not "don't send me emails" beside "don't send
        me the invoice".
        """
        thing = part.stems - {part.action} if part.has_thing else frozenset()
        negated = self.refused or self.stems
        is_same = not thing or bool(thing & negated) or negated <= {part.action}
        if self.refused and not self.refused.isdisjoint(part.stems):
            return is_same
        if self.denied and not self.denied.isdisjoint({part.action} if part.action else part.stems):
            return is_same
        is_stopped = [self.action] in _STOPS and [part.action] not in _STOPS
        return is_stopped and not part.is_refusal and not self.stems.isdisjoint(part.stems)

    def asks_to(self, action: str) -> bool:
        """Return whether it asks for this action on something; a keyword alone may be a thing."""
        return self.is_request and self.action == action and len(self.stems) > 1


_STOPS = (["stop"], ["quit"])
_LIGHT = frozenset(("get", "give", "make"))
"""Verbs among FILLERS that tell an action: "don't get me a pizza"."""
_OF_A_THING = frozenset("get give go help let make".split())
"""Verbs among FILLERS, after which the first word is a thing: "don't let the container die"."""
_ACTION_STEMS = frozenset(map(stem, ACTIONS))
_NEGLECT_STEMS = frozenset(map(stem, NEGLECTS))


NONE = Negation()


@lru_cache(maxsize=64)
def negation_of(text: str) -> Negation:
    """Return what a query negates; NONE for most queries."""
    plain = _plain(text)
    if not _HINTS.search(plain):
        return NONE
    plain = _GO_AND.sub(" ", plain)
    plain = _INSERTED.sub(r"\1 ", _DO_NOT_DISTURB.sub("donotdisturb", plain))
    denied, others, then = list[Denied](), list[str](), tuple[str, ...]()
    is_bare = refers = False
    pieces = _PARTS.split(plain)
    for piece, end in zip(pieces[::2], (*pieces[1::2], ""), strict=True):
        part = " ".join(piece.split())
        whole = _WHOLE.match(part)
        polite = _POLITE.match(part)
        match = whole or polite or _PASSIVE.search(part) or _STRONG.search(part)
        if match is None or (polite is None and ("?" in (end or "") or _ASKS.match(part))):
            stems = [stem(word) for word in _content(part)]
            others += stems
            then = then or (tuple(stems) if denied else ())
            refers |= _REFERENCE.search(part) is not None
            continue
        if match.re is _PASSIVE:
            thing = map(stem, _content(match["thing"] or match["kept"]))
            if stems := [stem(word) for word in _content(part[match.end() :])]:
                denied.append(Denied(frozenset((*stems, *thing)), stems[0], is_refusal=True))
            continue
        others += map(stem, _content(part[: match.start()]))
        for either in _EITHER.split(part[match.end() :]):
            if stems := [stem(word) for word in _content(either)]:
                is_bare |= match.group().endswith("not ") and whole is not None and not _OBJECT.search(either)
                action = "" if whole is not None and _OBJECT.match(either) else stems[0]
                is_refusal = whole is None and action not in _NEGLECT_STEMS and _is_refusal(match.group(), either)
                is_thing = _OF_A_NOUN.search(match.group()) is not None
                has_thing = _OBJECT.search(either) is not None
                parts = frozenset(stems), action, whole is not None, is_refusal, _light(either), is_thing, has_thing
                denied.append(Denied(*parts))
    if not denied or (is_bare and not others):
        return NONE
    return Negation(tuple(denied), frozenset(others), others[0] if others else "", refers, then)


def _is_refusal(lead: str, rest: str) -> bool:
    """Return whether a negation and the words after it refuse an action, whatever the verb."""
    if _NOT_FIRM.search(lead) or _UNLESS.search(rest) or _TELLS_ME.match(rest):
        return False
    first = next(iter(rest.split()), "")
    verb = next((word for word in rest.split() if word not in FILLERS), "")
    is_verb = first == verb or first not in _OF_A_THING
    return is_verb and (not verb.endswith("s") or verb.endswith("ss") or _BY_NOBODY.search(lead) is not None)


def _plain(text: str) -> str:
    plain = re.sub("['’‘\u02bc`]", "", text.lower()).replace("nevermind", "never mind")
    return _MISSPELT.sub("dont", plain)


def _light(text: str) -> str:
    """Return the first word if it is a verb of _LIGHT."""
    first = next((word for word in words(text) if word not in FILLERS or word in _LIGHT), "")
    return first if first in _LIGHT else ""


def _content(text: str) -> list[str]:
    """Return the words except FILLERS, in order."""
    return [word for word in words(text) if word not in FILLERS]
