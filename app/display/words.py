"""The words of the product, as they stand on screen, and the GLOSSARY that explains those of the field."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.intent import DetectionSource, IntentType
from app.domain.language import say, say_n
from app.domain.library import Kind, Memory
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.scoring.scorers import SCORERS, Scorer

TYPES: dict[IntentType, str] = {
    IntentType.HOWTO: say("How-to"),
    IntentType.TROUBLESHOOT: say("Troubleshoot"),
    IntentType.LOCATION: say("Location"),
    IntentType.EXPLANATION: say("Explanation"),
    IntentType.COMPARISON: say("Comparison"),
    IntentType.GENERAL: say("General"),
}

LACKS: dict[ActivationBlocker, str] = {
    ActivationBlocker.COMMAND: say("sure enough, but without a command to start"),
    ActivationBlocker.APPROVAL: say("sure enough, but needs approval"),
}
"""What becomes of a power that is sure enough, but cannot be activated yet; SHORT_LACKS is as long as a cell."""

SHORT_LACKS: dict[ActivationBlocker, str] = {
    ActivationBlocker.COMMAND: say("No command"),
    ActivationBlocker.APPROVAL: say("Unapproved"),
}

SHORT_TIERS: dict[Tier, str] = {
    Tier.ACTIVATED: say("Activates"),
    Tier.MULTIPLE_MATCHES: say("Multiple"),
    Tier.WEAK_MATCHES: say("Weak"),
    Tier.NOT_FOUND: say("Not found"),
}

KINDS: dict[Kind, str] = {Kind.MEMORY: say("Memory"), Kind.POWER: say("Power")}

SOURCES: dict[DetectionSource, str] = {
    DetectionSource.KEYWORD: say("From keywords"),
    DetectionSource.LEARNED: say("From what is learned"),
    DetectionSource.LLM: say("From the LLM"),
    DetectionSource.HYBRID: say("From keywords and the LLM"),
}

POLICIES: dict[str, str] = {"evidence": say("Evidence"), "priority": say("Priority")}

MERGES: dict[str, str] = {"adr": say("as decided"), "shipped": say("as built")}
"""The merge policies: what the source's decision record says of keywords and LLM, and what its program does."""

STAGES: dict[str, str] = {
    "keywords": say("Keywords"),
    "detect": say("Keywords"),
    "lexical": say("Lexical"),
    "learned": say("Learned types"),
    "paint": say("Painting"),
    "embed query": say("Embed query"),
    "semantic": say("Semantic"),
    "combine": say("Combine"),
    "resolve": say("Resolve"),
    "route": say("Route"),
    "route llm": say("Route by the LLM"),
    "label llm": say("Label by the LLM"),
    "power llm": say("Power by the LLM"),
    "merge": say("Merge"),
    "llm": "LLM",
}


def scorer(key: str) -> Scorer:
    """The row of a scorer; one that is not in the table gets its words from its key."""
    name = key.replace("_", " ").capitalize()
    return SCORERS.get(key) or Scorer(key, name, name[:1], name)


def stage(name: str) -> str:
    """The name of a timed step as people read it."""
    return say(STAGES.get(name, name.replace("_", " ").capitalize()))


def type_word(kind: IntentType | str) -> str:
    """The name of a search-intent type as people read it."""
    known = IntentType(kind) if kind in IntentType.__members__.values() else None
    return say(TYPES[known]) if known else str(kind)


def policy(name: str) -> str:
    """The name of a selection policy as people read it."""
    return say(POLICIES.get(name, name.capitalize()))


def merge_policy(name: str) -> str:
    """The name of a merge policy as people read it."""
    return say(MERGES.get(name, name))


# ---- GLOSSARY: what words of the field mean, in a sentence each, for whoever rests the pointer on one of them.


GLOSSARY: Mapping[str, str] = {
    "surfaced": say("Surfaced: an assistant gets the memory with the query, without asking for it."),
    "activated": say("Activated: the power is started and its tools are there. Here it is only said what would be."),
    "power": say("Power: a program or an address that can be started, and then brings tools that can be called."),
    "approval": say("Approval: a power runs a program or asks an address, so it starts only after your yes to that."),
    "success": say("Success: how an answer fared. It begins at 0.500; marked right it rises, marked wrong it falls."),
    "centroid": say("Centroid: the mean of the meanings of all that is taught with an answer."),
    "recommended": say("Recommended: our defaults, tuned on labelled queries."),
    "as_documented": say("As documented: the values of the documents that Intentscope was built after, unchanged."),
    "adr": say("As decided: keywords and LLM are weighed, and keywords lose a little while the LLM is silent."),
    "shipped": say("As built: what the program of the source does, capped at 0.95, without bonus or penalty."),
    "balanced": say(
        "Balanced: the mean of meaning and centroid, or the same words or a keyword where those are surer."
    ),
    "calibrated": say("Calibrated: as balanced, told as how often an answer of such a confidence is right."),
    "learned": say("Learned: the chance of being right, learned from what is taught."),
    "max": say("Max: the largest of the scores."),
    "weighted_average": say("Weighted average: the scores by their weights."),
    "cascade": say("Cascade: the first scorer that is sure enough decides, the strictest first."),
    "keyword_or_semantic": say("Keyword or semantic: the larger of these two scores."),
}
"""By the setting's value or the word itself."""


def about(*terms: str) -> str:
    """What these terms mean, a line each; "" for those that need no word."""
    return "\n".join(say(GLOSSARY[term]) for term in dict.fromkeys(terms) if term in GLOSSARY)


def marked_right(memory: Memory) -> str:
    """How often a person, or an assistant for one, said that it was right."""
    if not memory.right:
        return say("never marked right")
    return say_n(memory.right, "marked right once", "marked right {n} times")
