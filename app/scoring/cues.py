"""Cues by which a clause refuses something, such as "do not" and "no need for", with an example each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from itertools import islice


class CueKind(Enum):
    """Meaning of the words after a cue."""

    ACTION = "an action is refused"
    ASIDE = "an action is refused in a side remark, which a request may follow without a comma"
    PERSON = "an action is refused, with its verb in the third person"
    PASSIVE = "an action is refused, and its thing stands in the cue"
    DEED = "an action is refused, which stands in the cue"
    POLITE = "an action is refused, in the form of a question"
    MILD = "an action is refused, unless another power than the one for it serves that"
    THING = "a thing is refused, and every action on it"
    LEFT = "a thing is left as it is, which the rest of the query may still ask about"
    OFF = "a thing is called off, which only a power that ends things serves"
    WHOLE = "a thing is unwanted, which may ask for an action on it"
    DECLINED = "a thing of which one is offered is unwanted"
    OPPOSITE = "an action is undone, as one with un- before it"
    STATE = "a state is denied, which refuses no action but what reports that state"
    NOT = "a thing is set apart from what the rest of the query asks for"


@dataclass(frozen=True)
class Cue:
    """Words that refuse something: a regular expression with the names of _NAMES.

    What it refuses in `example` is in brackets.
    """

    kind: CueKind
    form: str
    example: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Pattern of whole words; none where another negation follows, as in "no reason not to deploy"."""
        return _compiled(rf"\b({self.form})\b(?! ?(not|never)\b)")


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\((?!\?)", "(?:", _in_full(form)))


def _in_full(form: str) -> str:
    return re.sub("[A-Z_]{2,}|~", lambda name: _in_full(_NAMES[name[0]]), form)


_NAMES = {
    # words before the beginning of a clause: "at this point don't", unlike "here mails don't"; WHEN only once, as a
    # repetition would match in exponential time
    "LEAD": "(HELLO)(WHEN HELLO)?",
    "HELLO": "((please|kindly|no|nope|hey|hi|hello|ok|okay|oh|well|sorry|wait|so|and|also|just|actually|now|thanks|"
    "then|i said|ENSURE( you| to)?|i beg you|right now|today|tonight|guys|folks|team|everyone|everybody|"
    "absolutely|definitely|i changed my mind|changed my mind|on second thoughts?|scratch that|forget it|cancel that|"
    "note that|remember that|remember|mind you|no matter what|whatever (happens|you do)|in any case) ){0,9}",
    "WHEN": r"(as of|at|before|after|by|during|for|from|if|in|on|till|until) ((?!do |not )\w+ ){0,3}?"
    r"(?!i |we |you |they |it |he |she |people |both |some |all |most |many |data |not |AUX |"
    r"(?!(this|\w*(day|end|hour|circumstance)s) )\w+s )\w+",
    # an action, not a state: "don't see my order" and "I'm not receiving codes" report a problem
    "VERB": r"~STATES(?!\w+(ed|ing)\b)",
    "STATES": r"(?!(have|has|had|get(?! (me|us)\b)|gets|got|know|see|saw|think|understand|remember|find|receive|hear|"
    r"heard|believe|care|works?|recogni[sz]e|feel|seem|came|went|like|want|need|able|sure|only|all|every|enough|yet|"
    r"even|be|been)\b)",
    "DOING": r"~(?!(hav|gett|see|find|receiv|hear|understand|know|feel|work|be|com|go|show|load|connect|respond|"
    r"recogni[sz]|tak|look|try|plan|ask|want|notic|miss)\w*ing\b)ING",
    "ING": r"(?=\w+ing\b)",
    "DONE": r"(?=(\w+ed|(over|re)?written|(re)?built|(re)?run|(re)?set|cut|made|paid|put|read|sent|shut|taken|"
    r"broken|frozen|lost|off|stolen)\b)",
    # nouns of actions, without those that are things as well, such as "order"
    "A_DEED": r"(?P<thing>((a|any|another) )?((?!\w*thing\b)\w+ing( \w+){0,4}?|(backup|cancell?ation|deletion|"
    r"deploy(ment)?|merge|migration|publication|push|reboot|rebuild|refund|release|reload|removal|reset|restart|"
    r"rollback|rollout|shutdown|update|upgrade|upload)s?( (of|to|into) \w+( \w+)?)??))",
    # any noun of an action, only where a courtesy makes a request of it: "no connection" is a report
    "A_NOUN": r"(?P<thing>(\w+ )?\w+(ation|ition|tion|sion|ment)s?)",
    "SOMETHING": r"(?P<thing>\w+( \w+){0,3}?)",
    "NEVER": "(NOT_DO|does not|did not|will not|would not|no longer)",
    "NOT_DO": "(do not|never)",
    "AUX": "(do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must|need)",
    "SHOULD": "(should|must|shall|may|ought( to)?)",
    "ENSURE": "((make sure|ensure|see to it)( that)?|see that)",
    "RESOLVED": r"(?<!was )(?<!were )(?<!been )(advised?|agreed?|ask(ed|ing)?|best|better|care(ful)?|chose|chosen|"
    "decided?|instructed|intend|like|meant|need|plan(ned)?|prefer|promised?|remember|reminder|says|(i|we) said|sure|"
    "tell|telling|told|try|want|warned|wiser|wish|beg|expected|supposed)( (you|me|us|them|him|her))?( please)?",
    "TOLD": "((tell|ask|remind|warn|instruct|urge|advise|beg|inform|notify|message|ping|text|email|mail) WHOM)",
    "WHOM": r"((the|our|my|all|every|each|an?) )?(?!(me|us|not|to|the|our|my|all|every|each|an?)\b)\w+"
    r"( (?!(not|to)\b)\w+)?",
    "AS_IT_IS": "(alone|in peace|untouched|unchanged|(exactly |just )?as (it |they )?STANDS(?= please|$)|"
    "(the way|where|how|like) (it|they|things) STANDS(?= please|$))",
    "STANDS": "(is|are|was|were|stands?)",
    "UP": "(up|open|running|online|alive|there)",
    "SET": "(enabled|disabled|paused|stopped|(un)?muted|closed|(un)?locked|in place)",
    "PEOPLE": "(team|group|customer|client|user|manager|boss|colleague)s?",
    "GO_ON": "(be|(keep )?running|finish|complete|stand|stay|sleep)",
    "NO_THING": r"(no (?!\d|(one|in|into|on|to|as|longer|later|earlier|sooner|less|fewer|more|matter|questions|"
    r"luck|good|success|effect|help|response|reply|answer|avail|idea|rush|hurry|worries|problem|thanks|code|verify|ff|"
    r"cache)\b)\w+|(nothing|nobody|no one|none of)(?! (but|except|more|less)\b))(?!.* (but|except)\b)",
    # verbs that make or change something, without those that are nouns as often: "order no 5", "mail no reply"
    "MAKES": "(add|approve|assign|attach|book|buy|cancel|change|charge|close|commit|contact|create|delete|deploy|"
    "disable|edit|enable|execute|forward|install|invite|merge|modify|move|notify|open|pay|post|publish|pull|push|rebuild|"
    "redeploy|refund|remove|rename|reschedule|reset|restart|restore|revert|run|scale|schedule|send|share|start|submit|"
    "sync|touch|transfer|trigger|uninstall|update|upgrade|upload|write)",
    "PLAN": "(appointment|meeting|event|invit(e|ation)|reminder|demo|interview|trip|party|booking|reservation|campaign|"
    "announcement|newsletter|(e-?)?mail|message|draft|ticket|issue|task|(pull|merge) request|pr|invoice|refund|order|"
    "pay(ment|out)|plan|project|release|launch|rollout|migration|upgrade|update|deploy(ment)?|backup)s?",
    "A_PLAN": r"(the|that|this|my|our|tomorrows|todays) (?P<thing>(\w+ ){0,2}?PLAN)\b",
    "A_DAY": r"( at \d| on \w*day\b| on the \d| (today|tomorrow|tonight)$)",
    "WISH": "(wanna|(want(ed)?|need|wish|mean|meant|like|intend|plan|ask(ed)?|agreed?)ANY to)",
    "UNWISE": "(unwise|unnecessary|pointless|useless|wrong|dangerous|risky|stupid|premature|too (early|soon|risky)|"
    "a (bad|terrible) idea|a mistake|out of the question|FORBIDDEN)",
    "FORBIDDEN": "((strictly )?(forbidden|prohibited|banned|disallowed))",
    "WISE": "(necessary|needed|required|allowed|permitted|advisable|acceptable|ok|okay|wise|an option|A_TIME|"
    "what (i|we) (wanted|asked for))",
    "A_TIME": "(a good (idea|time|moment)|(the )?(right )?(moment|time))",
    "WHO": "(i|we|he|she|they|you|(the|my|our|a) \\w+)",
    "ANY": "( (you|me|us|anyone|it))?",
    "NOBODY": "(nobody|no one|noone|none of (you|us|them))",
    "NOT_YOU": r"(?!(you|we|i|they|he|she|it)\b(?! (dare|ever)\b))",
    "PLEASE": r"please(?! (?!((un)?till?|before|during|for|on|this|today|tonight|tomorrow)\b)\w)",
    "FOR_NOW": r"(PLEASE|today|tonight|tomorrow|any ?more|for now|from now on|(until|till)(?! now\b)|during|"
    r"(on|before|this) \w*(day|week|end)s?)",
    "AN": "(a|an|any|another|more)",
    "THERE_IS": "(is|theres|its|see|makes?|(i|we) have)",
    "REASON": "(reason|point|use|sense|intention|wish|desire|plans?)",
    "TRY_TO": "(bother|attempt|dare|try) to",
    "THE": "(the|that|this|my|a)",
    "NEVERMIND": r"never mind(?! (about )?(i|we|ill|id|can|could|please|what|how|where|when)\b)",
    "~": "((please|just|really|actually|ever|even|also|still|you dare|you ever|under any circumstances) ){0,4}",
}
"""Names in forms, each of which may hold later ones.

^ is the beginning of a clause, LEAD apart; ~ is any number of words that soften or stress.
"""


_ROWS = r"""
DEED     (WHO )?(NEVER ~(want|need|wish for|ask(ed)? for) AN|(want|need) no|^(skip|forget|hold) the) A_DEED
         they don't need another [backup]
DECLINED  ^(WHO )?~NOT_DO ~(want|need)(?= (an?|any) (?!.*\b(any ?more|longer|again)\b))    I don't want a [tour]
WHOLE    ^(WHO )?~NEVER ~(want|need|wish for|like|ask(ed)? for)(?= (?!(to|you|me|us|anyone)\b))  I don't want [my card]
ACTION   ^please not VERB                                                  please not [cancel my order]
ACTION   ^((you|we|i)(d| had| would)? )?(better|best) not (to )?VERB       you'd better not [cancel my order]
NOT      ^not (?!to\b)VERB                                                not [the flight], cancel my order
POLITE   ^(can|could|would|will) you (please |kindly )not ~STATES         could you please not [cancel my order]?
POLITE   ^please (can|could|would|will) you not VERB                 please could you not [cancel my order]?
POLITE   ^would you mind not ING                                          would you mind not [cancelling my order]?
PASSIVE  (^|that )SOMETHING ((SHOULD|need|is|are) (not|never)( allowed)?( to)?|do(es)? not (need|have) to) (be|get) DONE
         [my order] must not be [cancelled]
PASSIVE  ^(i|we) (want|need) SOMETHING not to (be|get) DONE               I want [my order] not to be [cancelled]
PASSIVE  ^no(thing| SOMETHING) (SHOULD|is to) (be|get) DONE               no [order] should be [cancelled]
MILD     (^)?(prevent|stop) SOMETHING from (being|getting) DONE      prevent [my order] from being [cancelled]
PASSIVE  (^)?ENSURE SOMETHING ((is|are) (not|never)|never gets?|(does|do|will) (not|never) (get|be)) DONE
         make sure that [my order] isn't [cancelled]
DEED     ^A_DEED (is|are|would be) (not WISE|UNWISE)                      [cancelling orders] is not allowed today
DEED     ^(there (SHOULD|will) (be no|not be( AN)?)|no) (more |further )?A_DEED (FOR_NOW|WISE)  no [deploys] till monday
DEED     ^no (more |further )?A_NOUN (please|thanks|thank you)$                  no [payment] please
DEED     ^(no (more|further)|(please|absolutely|definitely|i said) no( more| further)?) A_DEED$  no more [deploys]
ACTION   ^no (more |further )?DOING(?=\w+ (to|into|the|this|that|my|our|any|it|before|until|till|unless|without)\b)
         no [pushing to the branch]
ACTION   ^not DOING(?=\w+( \w+){0,5}? (FOR_NOW|now|any\w+)\b)           not [cancelling orders] today
ACTION   ^NOT_DO ~(bother( with| about)?|worry about|think (about|of)|consider|be|risk) ING
         do not even think about [cancelling my order]
ACTION   ^(NOT_DO(?! mind\b)|((you|we) )?(should|must|need|may|better|ought) not) ~(TRY_TO )?(NOT_YOU)VERB
         please don't [cancel my order]
ASIDE    ^TOLD (not to(?! be\b)|to (not|never) VERB)                      tell the team not to [cancel my order]
LEFT     (^|TOLD to )(leave|keep) (?!(me|us)\b)SOMETHING AS_IT_IS          leave [my order] as it is
LEFT     (^|TOLD to )leave SOMETHING (running(?! for\b)|SET(?= please|$))             leave [the server] running
LEFT     (^|TOLD to )let (?!(me|us)\b)SOMETHING GO_ON$    let [the job] finish
LEFT     ^keep A_PLAN(?=$|A_DAY)                               keep the [meeting] on friday
OFF      ^(call off|scrap|ditch|abandon|shelve) A_PLAN                   call off the [meeting] on friday
OFF      ^drop A_PLAN(?=$| (please|now|today)$|A_DAY)    drop the [meeting]
OFF      ^call A_PLAN off                                                call the [meeting] off
ACTION   ^(?=MAKES( (me|us|him|her|them|(the|our|my|any|every|each) PEOPLE))? NO_THING)  [send no email]
LEFT     ^SOMETHING (SHOULD|(has|have|needs?) to) (stay|remain|keep running)( (UP|in place|AS_IT_IS))?$
         [the server] should stay up
LEFT     (^|TOLD to )(keep|leave) SOMETHING UP$     keep [the server] running
THING    (^|TOLD to )((stay|keep|get|steer) (well |far )?(away from|clear of)|((keep|take) )?(your )?hands off)
         keep your hands off [my order]
ASIDE    (^|RESOLVED )(not to(?! be\b)|to not VERB)                       be careful not to [cancel my order]
ACTION   (you|we|they) are not (supposed |meant |expected )?to(?! (be|get)\b)  you are not supposed to [cancel my order]
ACTION   ((^\w+ |WHO )?(said|told (me|us)) (that )?(you|we|they) SHOULD|that (you|we|they) SHOULD) not VERB
         the boss said we must not [cancel my order]
ACTION   (is|ask|prefer|suggest|agreed|decided)( that)? (you|we|they) (do|will) not VERB
         all I ask is that you don't [cancel my order]
ACTION   ((appreciate it|grateful|glad|happy|better|great|nice|kind) if|hope( that)?) (you|we|they) AUX not VERB
         I'd appreciate it if you didn't [cancel my order]
ACTION   ^(neither(?=.* nor )(?!.* (works?|helps?|is|are|does)\b)|let us (rather |better )?not) VERB
         let's not [cancel my order]
ACTION   NOBODY (SHOULD|is (allowed |permitted |supposed )?to)(?! (be|get)\b)  nobody should [cancel my order]
PERSON   ^NOBODY STATES(?=\w+s( \w+){0,5}? FOR_NOW\b)                    nobody [cancels orders] today
PERSON   ENSURE NOBODY(?! (can|could|will|is|has|else|but)\b)             make sure nobody [cancels my order]
ACTION   not (think (that )?(it is |its )?)?(necessary|needed|required|wise|A_TIME) to  it isn't wise to [cancel it]
ACTION   (is|its|be) UNWISE (to|ING)                                      it would be unwise to [cancel my order]
ACTION   (it is|its) not (allowed|permitted|acceptable|advisable|ok|okay|wise) to  it's not allowed to [cancel my order]
ACTION   (we are|you are|they are) FORBIDDEN (to|from)                    we are forbidden to [cancel my order]
ACTION   forbid( (you|them|anyone|anybody|everyone|everybody))? (to|ING)  I forbid you to [cancel my order]
ACTION   ((am|are|were|strictly|advise|recommend|(decided|chosen|chose)) against|(am|are) opposed to) ING
         I'm against [cancelling my order]
ACTION   (recommend|suggest|advise|prefer|propose) not ING                I suggest not [cancelling my order]
ACTION   (WHO )?NEVER ~WISH(?! know\b)                                    I don't want you to [cancel my order]
ACTION   (i|we) ~(never|did not) ~(say|said|tell|told)ANY( to)?(?! (to|that|anything)\b)  I never said [cancel my order]
ACTION   NOBODY ~(asked|told|wants|wanted|said)ANY to                     nobody asked you to [cancel my order]
ACTION   (i|we) ~(refuse|decline) to                                      I refuse to [cancel my order]
ACTION   (NEVER ~(plan on|feel like)|(i am|we are|were) not ~(planning on|interested in|keen on|in favou?r of)) ING
         I'm not interested in [cancelling my order]
ACTION   (would|id|wed) hate( for (you|them|anyone))? to                  I'd hate to [cancel my order]
ACTION   ^((i am|we are|were) not|(i|we) will (not|never) be) DOING      I'm not [cancelling my order]
ACTION   not ~(asking|trying|looking|going|planning|wanting|here)ANY (to|for)(?! need\b)  I'm not trying to [cancel it]
ACTION   ^(i|we) (will (not|never)|would (not|never)) ~STATES(?!\w+ed\b|make (it|the)\b)  I won't [cancel my order]
ACTION   you do not (have|need|get) to                                    you don't have to [cancel my order]
ACTION   (under no circumstances|by no means|on no account|in no case)( should you| do i want to)? VERB
         under no circumstances [cancel my order]
ACTION   ((i|we) would|id|would|wed) (rather|prefer)( that)?( you| we| they)?( do| did)? not( to)?
         I'd rather not [cancel my order]
THING    (NEVERMIND( about)?|^forget about) THE                           never mind [the order]
ACTION   (NEVERMIND( about)?|^forget (about|(?=\w+(?<!th)ing\b)))         forget about [cancelling my order]
THING    (WHO (want|need) no|no need (for|of)( another| a)?( new)?)       there is no need for [an invoice]
ACTION   (no need( whatsoever)? to|(^|THERE_IS (absolutely |really )?)no REASON (to|in|of|ING))  no need to [cancel it]
MILD     ^(stop|quit) ING                                                 stop [cancelling my order]
ACTION   ^(let us )?(avoid|skip|resist|hold off( on| from)?|(refrain|desist|abstain) from) ING
         please avoid [cancelling my order]
ACTION   do not think (that )?WHO (should|need to|have to|want to)        I don't think we should [cancel my order]
NOT      (instead of|rather than) (?=THE )                                the receipt instead of [the invoice]
MILD     (instead of|rather than|without) ING                             refund it instead of [cancelling my order]
MILD     ^(no more|enough) (?=(?!(error|problem|question|result)s\b)\w+(?<!s)s( from( \w+){1,3})?( please)?$)
         no more [emails]
OPPOSITE  undo (?!(it|that|this|the|my|last)\b)                            un[lock the door]
DECLINED  ^no (?=\w+ please$)                                                  no [tour] please
STATE    ^(i|we|he|she|they|you|it|SOMETHING) did not (?=\w+ )     I did not [lose the book]
STATE    ^(i|we|he|she|they|you|it|SOMETHING) (have|has|had|am|is|are|was|were) not (been )?DONE
         [my account] is not [locked]
MILD     ^no (?=\w+ ((is |are )?WISE\b|(\w+ ){0,2}please$|for now$))      no [invoice] for now
"""
CUES = tuple(
    Cue(CueKind[kind], form, example)
    for kind, form, example in (re.split(r"\s{2,}", row) for row in re.split(r"\n(?=\w)", _ROWS.strip()))
)
"""Cues of all kinds; of two that match at one place, the first one counts."""

MOST_LEADING = 40
"""Maximum number of words before the beginning of a clause."""


def cue_of(clause: str, is_question: bool) -> tuple[CueKind, str, str, str] | None:
    """Return a clause's first cue: its kind, the words before, its thing, the words after.

    In a question only a polite one counts, and an opposite, but not alone as in "how do I unsubscribe".
    """
    lead, ends = _compiled("LEAD"), islice(re.finditer(" ", clause), MOST_LEADING)
    starts = [one.end() for one in ends if lead.fullmatch(clause, 0, one.end())]
    tails = [(start, clause[start:]) for start in reversed(starts)]
    found = list[tuple[int, int, CueKind, re.Match[str]]]()
    is_how = re.match(r"(.* (me|know) )?(how|wh\w+|(can|may|do) i|is it possible)\b(?!.*undo \w+ \w)", clause)
    for cue in CUES:
        if is_how if cue.kind is CueKind.OPPOSITE else is_question and cue.kind is not CueKind.POLITE:
            continue
        if "^" in cue.form:
            found += ((0, start, cue.kind, match) for start, tail in tails if (match := cue.pattern.match(tail)))
        if match := cue.pattern.search(clause):
            found.append((match.start(), 0, cue.kind, match))
    if not found:
        return None
    place, start, kind, match = min(found, key=lambda one: (one[2] is CueKind.STATE, one[0]))
    return kind, clause[:place], match.groupdict().get("thing") or "", clause[start + match.end() :]


def is_lead(clause: str) -> bool:
    """Return whether a clause holds nothing but words that lead to another: "whatever you do"."""
    return _compiled("LEAD").fullmatch(f"{clause} ") is not None


def compile_cues() -> None:
    """Compile all patterns, which takes 40 ms, before the first query needs them."""
    cue_of("do not", is_question=False)
