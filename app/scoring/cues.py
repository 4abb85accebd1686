"""Cues by which a clause refuses something, such as "do not" and "no need for", with an example each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property


class Kind(Enum):
    """Meaning of the words after a cue."""

    ACTION = "an action is refused"
    PERSON = "an action is refused, with its verb in the third person"
    PASSIVE = "an action is refused, and its thing stands in the cue"
    POLITE = "an action is refused, in the form of a question"
    MILD = "an action is refused, unless another power than the one for it serves that"
    THING = "a thing is refused, and every action on it"
    WHOLE = "a thing is unwanted, which may ask for an action on it"
    NOT = "a thing is set apart from what the rest of the query asks for"


@dataclass(frozen=True)
class Cue:
    """Words that refuse something.

    `form` is a regular expression with the names of _NAMES; what it refuses in `example` is in brackets.
    """

    kind: Kind
    form: str
    example: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Regular expression of the form; the group `thing` is what a passive one does something to."""
        return re.compile(re.sub(r"\((?!\?)", "(?:", rf"\b(?:{_in_full(self.form)})"))


def _in_full(form: str) -> str:
    return re.sub("[A-Z_]{2,}|[~^]", lambda name: _in_full(_NAMES[name[0]]), form)


_NAMES = {
    # the beginning of a clause: "at this point don't", unlike "here mails don't"; WHEN only once, as a repetition would
    # match in exponential time
    "^": r"\A(HELLO)(WHEN HELLO)?",
    "HELLO": "((please|kindly|no|nope|hey|hi|hello|ok|okay|oh|well|sorry|wait|so|and|also|just|actually|now|thanks|"
    "then|i said|ENSURE( you| to)?|i hope you|i beg you|right now|today|tonight|guys|folks|team|everyone|everybody) )*",
    "WHEN": r"(as of|at|before|after|by|during|for|from|if|in|on|till|until) ((?!do |not )\w+ ){0,3}?"
    r"(?!i |we |you |they |it |he |she |people |both |some |all |most |many |data |not |AUX |"
    r"(?!(this|\w*(day|end|hour|circumstance)s) )\w+s )\w+",
    # an action, not a state: "don't see my order" and "I'm not receiving codes" report a problem
    "DO": r"~STATES(?!\w+(ed|ing)\b)",
    "STATES": r"(?!(have|has|had|get(?! (me|us)\b)|gets|got|know|see|saw|think|understand|remember|find|receive|hear|"
    r"heard|believe|care|works?|recogni[sz]e|feel|seem|came|went|like|want|need|able|sure|only|all|every|enough|yet|"
    r"even|be|been)\b)",
    "DOING": r"~(?!(hav|gett|see|find|receiv|hear|understand|know|feel|work|be|com|go|show|load|connect|respond|"
    r"recogni[sz]|tak|look|try|plan|ask|want|notic|miss)\w*ing\b)ING",
    "ING": r"(?=\w+ing\b)",
    "DONE": r"(?=\w+ed\b)",
    "SOMETHING": r"(?P<thing>\w+( \w+){0,3}?)",
    "NEVER": "(NOT_DO|does not|did not|will not|would not|no longer)",
    "NOT_DO": "(do not|never)",
    "AUX": "(do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must|need)",
    "SHOULD": "(should|must|shall)",
    "ENSURE": "(make sure|ensure)( that)?",
    "RESOLVED": r"(?<!was )(?<!were )(?<!been )(advised?|agreed?|ask(ed)?|best|better|care(ful)?|chose|chosen|decided?|"
    "instructed|intend|like|meant|need|plan(ned)?|prefer|promised?|remember|(i|we) said|sure|tell|told|try|want|"
    "warned|wiser|wish)( you| me| us| them)?( please)?",
    "WISH": "(wanna|(want(ed)?|need|wish|mean|meant|like|intend|plan|ask(ed)?|agreed?)ANY to)",
    "ANY": "( (you|me|us|anyone|it))?",
    "NOBODY": "(nobody|no one|noone)",
    "THE": "(the|that|this|my|a)",
    "~": "((please|just|really|actually|ever|even|also|still|you dare|under any circumstances) )*",
}
"""Names in forms, each of which may hold later ones; ~ is any number of words that soften or stress."""

ACTION, PERSON, PASSIVE, POLITE, MILD, THING, WHOLE, NOT = Kind

CUES = (
    Cue(
        WHOLE,
        r"^((i|we|he|she|they) )?~NEVER ~(want|need|wish for|like|ask(ed)? for)(?= (?!(to|you|me|us|anyone)\b))",
        "I don't want [my account]",
    ),
    Cue(NOT, r"^not (?!to\b)DO", "not [the flight], cancel my order"),
    Cue(POLITE, "^(can|could|would|will) you (please |kindly )not ~STATES", "could you please not [cancel my order]?"),
    Cue(PASSIVE, "^SOMETHING (SHOULD|is|are) not (to )?(be|get) DONE", "[my order] must not be [cancelled]"),
    Cue(
        PASSIVE,
        "ENSURE SOMETHING (is not|are not|never gets?|(does|do|will) not (get|be)) DONE",
        "make sure that [my order] isn't [cancelled]",
    ),
    Cue(
        ACTION,
        "^NOT_DO ~(bother( with| about)?|worry about|think (about|of)|consider) ING",
        "do not even think about [cancelling my order]",
    ),
    Cue(
        ACTION,
        r"^(NOT_DO(?! mind\b)|(you |we )?(should|must|need|may|better) not) (bother to )?"
        r"(?!(you|we|i|they|he|she|it)\b(?! dare\b))DO",
        "please don't [cancel my order]",
    ),
    Cue(ACTION, r"(^|RESOLVED )not to (?!be\b)", "be careful not to [cancel my order]"),
    Cue(
        ACTION, r"NOBODY (SHOULD|is (allowed|permitted|supposed) to) (?!(be|get)\b)", "nobody should [cancel my order]"
    ),
    Cue(PERSON, r"ENSURE NOBODY (?!(can|could|will|is|has|else|but)\b)", "make sure nobody [cancels my order]"),
    Cue(
        ACTION, "not (necessary|needed|required|a good (idea|time)|the moment) to ", "it isn't necessary to [cancel it]"
    ),
    Cue(
        ACTION,
        "(is|its|be) (unwise|unnecessary|pointless|useless|too (early|soon)|a (bad idea|mistake)) to ",
        "it would be unwise to [cancel my order]",
    ),
    Cue(ACTION, "forbid (you|them|anyone|anybody|everyone|everybody) to ", "I forbid you to [cancel my order]"),
    Cue(ACTION, "(am|are|were|strictly) against ING", "I'm against [cancelling my order]"),
    Cue(ACTION, r"NEVER ~WISH (?!know\b)", "I don't want you to [cancel my order]"),
    Cue(
        ACTION,
        r"(i|we) ~(never|did not) ~(say|said|tell|told)ANY (to )?(?!(that|anything)\b)",
        "I never said [cancel my order]",
    ),
    Cue(ACTION, "NOBODY ~(asked|told|wants|wanted|said)ANY to ", "nobody asked you to [cancel my order]"),
    Cue(ACTION, "(i|we) ~(refuse|decline) to ", "I refuse to [cancel my order]"),
    Cue(ACTION, "(i|we) (have )?(decided|chosen|chose) against ING", "I have decided against [cancelling my order]"),
    Cue(ACTION, "^(i am|we are|were) not DOING", "I'm not [cancelling my order]"),
    Cue(
        ACTION,
        "not ~(asking|trying|looking|going|planning|wanting|here)ANY (to|for) ",
        "I'm not trying to [cancel my order]",
    ),
    Cue(ACTION, r"^(i|we) (will not|will never|would never) ~STATES(?!\w+ed\b)", "I won't [cancel my order]"),
    Cue(ACTION, "you do not (have|need) to ", "you don't have to [cancel my order]"),
    Cue(ACTION, "under no circumstances (should you |do i want to )?", "under no circumstances [cancel my order]"),
    Cue(
        ACTION, "((i|we) would|id|would|wed) (rather|prefer) (you did )?not (to )?", "I'd rather not [cancel my order]"
    ),
    Cue(THING, "(never mind( about)?|^forget about) THE ", "never mind [the order]"),
    Cue(
        ACTION,
        r"(never mind (about )?(?!(i|we|ill|id|can|could|please|what|how|where|when)\b)|^forget about )",
        "forget about [cancelling my order]",
    ),
    Cue(THING, "no need (for|of) ", "there is no need for [an invoice]"),
    Cue(ACTION, "(no need to|(is|theres|see) no (reason|point|use|sense) (to|in)) ", "no need to [cancel my order]"),
    Cue(MILD, "^(stop|quit) ING", "stop [cancelling my order]"),
    Cue(
        ACTION,
        "^(avoid|skip|resist|hold off( on| from)?|(refrain|desist|abstain) from) ING",
        "please avoid [cancelling my order]",
    ),
    Cue(ACTION, "^let us (rather |better )?not STATES", "let's not [cancel my order]"),
    Cue(
        ACTION,
        "do not think (that )?(i|we|you) (should|need to|have to|want to) ",
        "I don't think we should [cancel my order]",
    ),
    Cue(
        MILD,
        r"^no (?=\w+ ((is |are )?(needed|required|necessary|wanted)\b|(\w+ ){0,2}please$|for now$))",
        "no [cancellation] please",
    ),
)
"""Cues of all kinds; of two that match at one place, the first one counts."""


def cue_of(clause: str, is_question: bool) -> tuple[Kind, re.Match[str]] | None:
    """Return the kind of the first cue of a clause, and its match; in a question only a polite one refuses."""
    cues = (cue for cue in CUES if not is_question or cue.kind is Kind.POLITE)
    found = [(cue.kind, match) for cue in cues if (match := cue.pattern.search(clause))]
    return min(found, key=lambda one: one[1].start(), default=None)
