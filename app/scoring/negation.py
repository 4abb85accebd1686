"""Negated requests: what a query does not want, and the triggers that ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.scoring.columns.bm25 import FUNCTION_WORDS
from app.scoring.cues import CueKind, cue_of, is_lead
from app.scoring.text import stem, words

Stems = frozenset[str]

FILLERS = FUNCTION_WORDS | frozenset(
    "about actually again ahead all also am any anyone anymore anything else even ever get getting give go "
    "going hello help hey hi id ill im ive just kindly let lets like longer make maybe more must necessary need "
    "needed never no now ok okay pls plz really required right shall should something still thank thanks today "
    "want wanted wish yes yet".split()
)
"""Words without a topic: removed before a query is compared with triggers."""

DENIALS = frozenset("forget never no not quit stop unable without".split())
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

_UNDONE = "archive|assign|block|follow|freeze|hide|install|link|lock|mount|mute|pair|pause|pin|plug|publish|subscribe"
_DO = rf"(?:{'|'.join(sorted(ACTIONS))})\b"
_WRITE = rf"(?:{_DO}|(?:announce|comment|explain|file|jot|log|note|report)\b)"
_SUBJECT = "i|we|you|they|it|he|she|people|both"
_CLAUSE = rf"(?:or|if|why|{_SUBJECT}|is|are|was|were|do|does|did|has|have|had|will|would|should|can|could|must)"
_IF = "(?:if|when|unless|while|because|since|although|despite|long as|in case)"
_IN_FULL = tuple(
    (re.compile(form), full)
    for form, full in (
        (r"\b(?:dont't|don't t|don not|don t|don't|dont'?|do'nt|do n'?to?|dotn|donnt|dnt|donot)(?!\w)", "do not"),
        (r"\bca(?: ?n'?|nno)t\b", "can not"),
        (r"\bwo ?n'?t\b", "will not"),
        (r"\bmusn'?t\b", "must not"),
        (r"\b(does|did|is|are|was|were|has|have|had|could|would|should|must|need|ought) ?n'?t\b", r"\1 not"),
        (r"\bi ain'?t\b", "i am not"),
        (r"\bi'?m\b", "i am"),
        (r"\b(we|you|they)'re\b", r"\1 are"),
        (r"\b(i|we|you|they)'?ve\b", r"\1 have"),
        (r"\b(i|we)'(?:ll|d) (?=not\b)", r"\1 will "),
        (r"\blet'?s\b", "let us"),
        (r"\b(?:u|ya)\b", "you"),
        (r"\bpl[sz]\b", "please"),
        (rf"\b(?:un({_UNDONE})|de(activate))\b", r"undo \1\2"),
        (r"\bdisable\b", "undo enable"),
        (r"\b(?:leave|keep) ((?:all|my|our|the|this|that) \w+(?: \w+)?) on(?= please|[.!,]|$)", r"it is not off \1"),
        (r"\bgonna\b", "going to"),
        (r"\bnevermind\b", "never mind"),
        (
            rf"^({_DO}[^?]*)\? *(?:nope|no(?: way| thanks)?|never|(?:absolutely |certainly |(?:please )?do )not)[.!]*$",
            r"do not \1",
        ),
        (rf"^({_DO} (?:my|the|it)\b(?: (?!{_CLAUSE}\b)\w+)*)\W+(?:not|no thanks)[.!]*$", r"do not \1"),
        (r"\bsha(?:ll|lt) not\b", "must not"),
        (r"\bdo[-_]not[-_]", "do not "),
        (r"\bgo (?:ahead )?and\b", " "),
        (r"\bdo not disturb\b", "donotdisturb"),
        (r"\bnever, ever\b", "never"),
        # an insertion: "do not, under any circumstances, deploy"
        (r"\b(not|never)\s*[,(][\w ]{1,40}[,)]\s*", r"\1 "),
        # a quotation that is no mere name, and a condition without its comma: "if the tests fail do not deploy"
        (r"(^|\bi said:? )['\"“](?=(?:please )?do not\b)", r"\1"),
        (r"(?<!\w)['\"“](?=(?:please )?do not\b(?! \w+['\"”]))", ": "),
        (rf"((?:^|[.,;:!?] ){_IF} (?:\w+ ){{2,5}}?(?!(?:{_SUBJECT}|\w+s) do)\w+) (?=do not\b)", r"\1, "),
    )
)
"""Contractions, misspellings and fixed phrases, each with the words that are read instead."""

_APOSTROPHE = re.compile("[’‘`\u00b4\u02bc]")
_HINTS = re.compile(
    r"(?:\b(?:not?|nto|donot|dotn|dnt|donn?t|never|nevermind|nobody|noone|none|nothing|neither|stop|quit|forget|instead|"
    r"rather|avoid|refrain|off|refuse|decline|against|forbid(?:den)?|prohibited|banned|disallowed|un(?:wise|necessary)|"
    r"pointless|useless|early|soon|risky|dangerous|stupid|premature|wrong|bad|terrible|mistake|hate|prevent|skip|resist|opposed|alone|peace|untouched|unchanged|as|away|clear|running|"
    r"stay|remain|keep|leave|let|call|drop|scrap|ditch|abandon|shelve|enough|alive|online|up|desist|abstain|without|"
    rf"out of the question|hold|un(?:{_UNDONE})|disable|deactivate)|nt|n.?t'?)(?!\w)"
)
"""Words without one of which a query negates nothing."""

_ASKS = re.compile(
    r"(?:is|are|am|was|were|does|can|could|may|might|(?:do|did|will|would|should)(?! (?:not|never|rather|prefer)\b)|"
    r"why|what|how|if(?! possible\b)|when|where|who|which|whether)\b"
)
"""Beginning of a question or a condition, in which a negation refuses nothing."""

_ASKS_WHY = re.compile(r"(?:why|when|who|is|are|was|were|does|did|has|have)\b(?! (?:there|it)\b)")
"""Beginning of a question that asks for no action, unlike "is there a way to"."""

_DESCRIBES = re.compile(r"\w+[^\Ws]s\b")
_REPORTS = re.compile(r"\b(?!need)\w+ed\b")

_ENDS = re.compile(
    r"([.;:!?,\n()—]+|(?<=\s)[-–]+(?=\s))|\b(?:but|and|then|instead(?! of)"
    r"|so (?=just\b|please\b|can\b|could\b|(?!that)\w+ (?:the|an?|my|it|me|him|her|them|this)\b)"
    r"|(?<!not )(?<!never )just (?=\w+ (?:the|an?|my|it|me|him|her|them|this)\b))\b"
    r"|\b(?=(?:i|we) (?:just |really |only )?(?:want|need|wanna|prefer|would like)\b)"
)
_OBJECT = re.compile(r" ?\b(?:my|the|an?|this|that|these|those|your|our|his|her|its|their)\b")
"""A thing that is meant: "not the flight", unlike "not null"; at the beginning no action is named."""

_THIS = re.compile(r"\b(?:this|that|these|those) \w")
_REFERENCE = re.compile(r"\b(?:its?|them|their|they|ones?|that|this|those|these|there|same)\b")
"""Words of the rest that may mean what is negated."""

_UNLESS = re.compile(r"\b(?:except|only|just|(?:before|without|until) \w+ing)\b")
"""Words after which a negation may ask for something: "don't deploy before running the tests"."""

_LATER = re.compile(
    r" (?:(?:until|till|before|after|during|while|because|since)\b(?! \w+ing\b).*|(?:(?:on|this|next|for|at|over|in) )?"
    r"(?:the |an? )?(?:tonight|tomorrow|again|now|"
    r"(?:morning|evening|night|week(?:end)?|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?)$)"
)
"""A time at the end of what is negated, which no trigger needs to name."""

_SAYS = re.compile(
    rf"(?:(?:please|can|could|will|would|you|just|(?:i|we) (?:want|need) to) )*(?:"
    r"(?:tell|ask|remind|warn|instruct|advise|inform|notify|email|mail|message|text) (?!(?:me|us|you|not|to)\b)\w|"
    rf"(?:say|{_WRITE}) (?:.* )?(?:says?|saying|that|tell|telling|asking|titled|called|named|about|explaining|why)\b|"
    rf"{_WRITE} .*\b(?:ticket|issue|task|note|message|mail|email|comment|reply|reminder|post|memo|channel|title|text)$)"
)
"""A request to say or write what follows, which neither asks for that nor refuses it."""

_TELLS_ME = re.compile(
    r"^(?:alert|bother|call|contact|email|mail|message|notify|page|ping|remind|ring|send|spam|tell|text) (?:me|us)\b"
)
"""Requests not to be notified, as "don't page me": a power that silences may serve them."""

MOST_MORE = 1
"""Maximum number of a negated trigger's words that the query lacks.

One, as in "do not cancel it" and the trigger "cancel my order"; any, if the trigger begins with all that is negated.
"""


@dataclass(frozen=True, slots=True)
class Denied:
    """Stems of the words that a part of a query negates.

    `action` is the first stem: "cancel" in "do not cancel my order"; `light` is a verb of _LIGHT before it, if any.
    `is_action`: the first word has the form of a verb that may name an action, as in "don't push the branch", unlike
    "never connects", "don't ignore the alerts" and "don't play this song". `is_refusal`: no power can serve that, as
    one might "don't page me". `has_thing`: a thing is named, unlike in "don't talk so slow".
    """

    kind: CueKind
    stems: Stems
    action: str
    light: str
    is_action: bool
    is_refusal: bool
    has_thing: bool
    is_said: bool = False
    """True in words that the query asks to say or write: "create a ticket saying it is wrong to merge"."""


@dataclass(frozen=True, slots=True)
class Negation:
    """Parts that a query negates, and the stems of everything else in it, of which `action` is the first."""

    denied: tuple[Denied, ...] = ()
    others: Stems = frozenset()
    action: str = ""
    refers: bool = False
    """True if the rest may mean the negated thing ("don't drop it, back it up") or tells of an event."""
    then: tuple[str, ...] = ()
    """Stems of the first request after a negated part, or of the one to say or write it, in order."""

    @property
    def refused(self) -> tuple[Denied, ...]:
        """Negated parts of which each refuses an action, if the query negates nothing else."""
        return self.denied if all(part.is_refusal and not part.is_said for part in self.denied) else ()

    @property
    def quoted(self) -> tuple[Denied, ...]:
        """Negated parts, if all of them quote what to say or write, as "tell them not to"; otherwise ()."""
        return self.denied if all(part.is_refusal and part.is_said for part in self.denied) else ()

    def is_known(self, part: Denied, triggers: Iterable[str]) -> bool:
        """Return whether a part refuses a known action, or a thing with every action on it."""
        return (
            part.kind in _THINGS
            or not _NEARLY.isdisjoint(_nearly(part.action))
            or any(  # a keyword alone may be a thing
                one.is_request and one.action == part.action and len(one.stems) > 1
                for one in map(_Trigger.of, triggers)
            )
        )

    def is_taught(self, triggers: Iterable[str]) -> bool:
        """Return whether a trigger negates or stops the same action, or a thing that the query does not want."""
        return any(_Trigger.of(one).negates(part) for one in triggers for part in self.denied)

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
        if any(part.kind is CueKind.STATE for part in self.denied):  # alone, as in "I did not lose the book"
            said = [({f"{part.action}ed"}, {f"{part.action}ed", *part.stems, *_TURNS}) for part in self.denied]
            return [at for at, one in enumerate(read) if any(act <= one.states <= all_ for act, all_ in said)]
        if (rest and rest <= together) or any(self._is_asked_for(one) for _, one in asking):
            return []
        if self._is_left_and_used(together, {one.action for _, one in asking}):
            return []
        meant = [place for place, one in asking if any(self._is_meant(part, one, together) for part in self.denied)]
        return meant if len(meant) == len(asking) or not any(part.is_said for part in self.denied) else []

    def _is_asked_for(self, trigger: _Trigger) -> bool:
        """Return whether the part after a negated one asks for this: "don't stop it, turn it down"."""
        thing = trigger.stems - {trigger.action}
        if self.then[:1] != (trigger.action,) or any(part.stems & thing for part in self.denied):
            return False
        return bool(thing) and (self.refers or not thing.isdisjoint(self.then))

    def _is_left_and_used(self, together: Stems, actions: set[str]) -> bool:
        """Return whether the rest asks about a thing left as it is: "leave the pod alone, show its logs"."""
        if not self.then or any(part.kind is not CueKind.LEFT for part in self.denied):
            return False
        verb, rest = self.then[0], frozenset(self.then[1:])
        reads = verb in _READ_STEMS and (self.refers or bool(rest & together))
        return reads or (verb in actions and rest <= together | _ACTION_STEMS)

    def _is_meant(self, part: Denied, trigger: _Trigger, together: Stems) -> bool:
        if part.kind is CueKind.OFF:
            return False  # a memory may tell how to call it off
        rest = self.others - {self.action} or self.others
        if part.kind in _UNWANTED and not rest:
            is_given = part.kind is CueKind.DECLINED and bool(together & _GIVES) and not together & _ENDS_IT
            return part.stems == trigger.stems or (is_given and part.stems <= trigger.stems)
        if rest.isdisjoint(together) and self._is_apart(part, trigger, together):
            return True
        more = len(trigger.stems - part.stems - self.others)
        is_named = part.has_thing and part.stems == frozenset(trigger.order[: max(2, len(part.stems))])
        is_near = is_named or more <= MOST_MORE + (len(part.stems) == 1)
        if part.kind in _THINGS:
            return is_near and _is_within(part.stems, trigger.stems)
        is_same = trigger.action in (part.action, self.action) or bool(part.light and trigger.light == part.light)
        return is_near and _is_within(part.stems, together) and is_same

    def _is_apart(self, part: Denied, trigger: _Trigger, together: Stems) -> bool:
        """Return whether a trigger names a thing set apart, or asks for a refused action on something of it."""
        if part.kind in _UNWANTED:
            return not self.refers and _is_within(part.stems, trigger.stems)
        thing, known = part.stems - {part.action}, trigger.stems if self.others else together
        is_same = part.is_action and part.kind not in _THINGS and trigger.action == part.action
        is_served = trigger.is_description and part.kind is CueKind.MILD  # "Plays, pauses and skips songs"
        return is_same and not is_served and not (thing and thing.isdisjoint(known))


@dataclass(frozen=True, slots=True)
class _Trigger:
    """Trigger with its stems, also in their `order`.

    `action` is the first stem: "cancel" in "cancel my order"; `light` is a verb of _LIGHT before it, if any.

    `denied` are the stems right after its negations, as "charge" in "don't charge me twice", and `refused` are all that
    a query of this text negates: none in "why did the workflow stop".
    """

    stems: Stems
    order: tuple[str, ...]
    action: str
    light: str
    denied: Stems
    refused: Stems
    is_description: bool
    """True if the first word ends in "s": "Plays, pauses and skips songs"."""
    is_request: bool
    """False for negations, reports ("charged twice") and questions of reasons and states."""
    states: Stems
    """Stems of an affirmative report: of "I lost a book" `loseed` (participles get "ed") and `book`."""

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
        is_request &= _ASKS_WHY.match(plain) is None
        order = tuple(map(stem, found))
        first, is_description = order[0] if order else "", _DESCRIBES.match(plain) is not None
        said = [] if after or _ASKS.match(plain) else found
        states = frozenset(stem(_VERBS.get(one, one)) + "ed" * (one in _VERBS or one.endswith("ed")) for one in said)
        return cls(frozenset(order), order, first, _light(plain), denied, refused, is_description, is_request, states)

    def negates(self, part: Denied) -> bool:
        """Return whether it negates what a part does, to the same thing if both name one.

        So does "stop the container" beside "stop running containers", but not "don't send me emails" beside "don't send
        me the invoice".
        """
        if part.kind is CueKind.OPPOSITE:
            return part.action in self.stems and bool(self.stems & {"undo", *_ENDS_IT} - {part.action})
        thing = part.stems - {part.action} if part.has_thing else frozenset()
        negated = self.refused or self.stems
        is_same = not thing or bool(thing & negated) or negated <= {part.action}
        named = {part.action} if part.action else part.stems
        reach = named if part.action in _ENDS_IT else part.stems  # not to want an order is to cancel it
        if not (self.refused.isdisjoint(reach) and self.denied.isdisjoint(named)):
            return is_same
        is_stopped = [self.action] in _STOPS and [part.action] not in _STOPS
        return is_stopped and not part.is_refusal and not self.stems.isdisjoint(part.stems)


_OPEN = frozenset("the a an my your our his its their these those to or nor and not".split())
_OBJECTS = frozenset("the a an my your our his its their these those it them him her this that".split())
"""Words after which no clause ends, and words that begin an object or are one."""


def _nearly(word: str) -> Stems:
    """Return a word and, from five letters on, its forms with a letter left out.

    Misspellings of a word share one of these.
    """
    return frozenset((word, *(word[:n] + word[n + 1 :] for n in range(len(word) if len(word) > 4 else 0))))


def _is_within(stems: Stems, known: Stems) -> bool:
    """Return whether all of these stems are known, also misspelt ones as "oder"."""
    return all(any(not _nearly(one).isdisjoint(_nearly(other)) for other in known) for one in stems - known)


_NOUN_ENDING = re.compile(r"\b(cancel|delet|deploy|migrat|remov|^(?:activ|cre|gener|transl)at)(?:l?ation|ment|ion|al)")
"""Endings of nouns of actions: "no deployments today" refuses to deploy."""

_UNWANTED = (CueKind.WHOLE, CueKind.DECLINED, CueKind.NOT)
_THINGS = (CueKind.THING, CueKind.LEFT, CueKind.OFF)
_STOPS = (["stop"], ["quit"])
_LIGHT = frozenset(("get", "give", "make"))
"""Verbs among FILLERS that tell an action: "don't get me a pizza"."""
_OF_A_THING = frozenset("get give go help let make".split())
"""Verbs among FILLERS, after which the first word is a thing: "don't let the container die"."""
_ACTION_STEMS = frozenset(map(stem, ACTIONS))
_NEARLY = frozenset(near for word in _ACTION_STEMS for near in _nearly(word))
_NEGLECT_STEMS = frozenset(map(stem, NEGLECTS))
ENDINGS = frozenset(
    map(
        stem,
        "abort cancel clear close decline delete destroy discard end erase kill purge remove revert rollback terminate "
        "undo unpublish withdraw".split(),
    )
)
"""Stems of verbs of a power that ends or removes things."""
ENDING_NOUNS = frozenset(map(stem, "archive drop stop trash void".split()))
ENDS_A_THING = re.compile(r"(?:^|[,:] ?|\b(?:and|or|to) )(?:archiv|drop|stop|trash|void)\w* +\S", re.IGNORECASE)
"""Such verbs that are nouns, too, and their place as a verb: "stop the campaign", not "a bus stop"."""
_GIVES = frozenset(map(stem, "add attach book buy create join order play print put schedule send start".split()))
_ENDS_IT = ENDINGS | frozenset(map(stem, "block disable leave mute off opt pause silence stop unsubscribe".split()))
_READ_STEMS = frozenset(map(stem, "check count describe find list look read search see show view".split()))
_VERBS = dict(
    one.split()
    for one in "bought buy,broke break,broken break,forgot forget,forgotten forget,found find,frozen freeze,left leave,"
    "lost lose,made make,off off,overwritten overwrite,paid pay,sent send,stole steal,stolen steal,taken take,"
    "written write".split(",")
)
"""Verbs by irregular past form or participle, and "off" as a state."""
_TURNS = frozenset(map(stem, "put switch turn accident accidentally already mistake today yesterday".split()))

NONE = Negation()


@lru_cache(maxsize=64)
def negation_of(text: str) -> Negation:
    """Return what a query negates; NONE for most queries."""
    if not _HINTS.search(text.lower()):
        return NONE
    denied, others, then, states = list[Denied](), list[str](), list[str](), list[Denied]()
    refers = is_text = False
    pieces = _ENDS.split(_plain(text))
    for last, piece, end in zip(("", *pieces[1::2]), pieces[::2], (*pieces[1::2], ""), strict=True):
        before, clause = "", " ".join(piece.split())
        request = "" if is_lead(clause) and last != "but" else clause
        found = cue_of(clause, is_question="?" in (end or "") or _ASKS.match(clause) is not None)
        if found is not None and found[0] is CueKind.STATE:
            states += _denied(found[0], found[2], found[3])
        elif found is not None:
            kind, before, thing, after = found
            until = before or clause[: len(clause) - len(after)]
            rest, request = _until_request(after.split(), kind is CueKind.ASIDE)
            parts = _denied(kind, thing, rest)
            if is_text or _SAYS.match(until):
                before, then = until, then or [stem(word) for word in _content(until)]
                parts = (replace(part, is_said=True) for part in parts)
            denied += parts
        asked = [stem(word) for word in _content(request)]
        others += [*map(stem, _content(before)), *asked]
        then = then or (asked if denied else [])
        refers |= _REFERENCE.search(request) is not None or _REPORTS.search(f"{before} {request}") is not None
        is_text = is_text or (":" in (end or "") and _SAYS.match(clause) is not None)
    is_bare = not others and any(part.kind is CueKind.NOT and not part.has_thing for part in denied)
    if states and not denied and len(others) == sum(len(part.stems) for part in states):
        return Negation(tuple(states))
    if is_bare or not denied:
        return NONE
    return Negation(tuple(denied), frozenset(others), next(iter(others), ""), refers, tuple(then))


def _until_request(rest: Sequence[str], is_aside: bool) -> tuple[str, str]:
    """Split the words after a cue before a request: "charge the customer" and "refund the payment"."""
    for place in range(2, len(rest) - 1):
        before, verb, after = rest[place - 1 : place + 2]
        is_backup = (verb, after) == ("back", "up")
        is_verb = (verb in ACTIONS or is_backup) and before not in _OPEN
        begins = after in _OBJECTS or is_backup or (is_aside and after in ("to", "into", "from", "up"))
        if is_verb and begins and rest[0] != "let" and not _OBJECTS.isdisjoint(rest[:place]):
            return " ".join(rest[:place]), " ".join(rest[place:])
    return " ".join(rest), ""


def _denied(kind: CueKind, thing: str, rest: str) -> Iterator[Denied]:
    """Yield what a cue and the words after it refuse, each alternative of "or" by itself."""
    if thing and kind in (CueKind.DEED, *_THINGS):
        thing, rest = "", _NOUN_ENDING.sub(r"\1", thing) if kind is CueKind.DEED else thing
    for either in re.split(r"\bn?or\b", rest):
        if verbs := _content(_LATER.sub("", either)):
            verbs[0] = _VERBS.get(verbs[0], verbs[0])
            action = "" if kind in _UNWANTED and _OBJECT.match(either) else stem(verbs[0])
            stems = frozenset(map(stem, (*verbs, *_content(thing))))
            has_thing = _OBJECT.search(either) is not None
            is_action = _is_action(kind, either.split())
            is_refusal = (
                is_action
                and kind not in (CueKind.MILD, CueKind.OPPOSITE, CueKind.STATE)
                and _TELLS_ME.match(either.strip()) is None
            )
            is_action = is_action and _THIS.search(either) is None
            yield Denied(kind, stems, action, _light(either), is_action, is_refusal, has_thing)


def _is_action(kind: CueKind, rest: Sequence[str]) -> bool:
    """Return whether the words after a cue refuse an action, whatever its verb."""
    if kind in _UNWANTED or _UNLESS.search(" ".join(rest)):
        return False
    verb = next((word for word in rest if word not in FILLERS), "")
    is_plural = verb.endswith("s") and not verb.endswith("ss") and kind not in (CueKind.PERSON, *_THINGS)
    return not is_plural and stem(verb) not in _NEGLECT_STEMS and (rest[0] == verb or rest[0] not in _OF_A_THING)


def _plain(text: str) -> str:
    """Return a text in lower case with contractions in full."""
    plain = _APOSTROPHE.sub("'", text.lower())
    if "'" in plain or _HINTS.search(plain):  # not in most triggers, of which a key press reads thousands
        for form, full in _IN_FULL:
            plain = form.sub(full, plain)
    return plain.replace("'", "")


def _light(text: str) -> str:
    """Return the first word if it is a verb of _LIGHT."""
    first = next((word for word in words(text) if word not in FILLERS or word in _LIGHT), "")
    return first if first in _LIGHT else ""


def _content(text: str) -> list[str]:
    """Return the words except FILLERS, in order."""
    return [word for word in words(text) if word not in FILLERS]
