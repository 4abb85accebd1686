"""Words of the product as shown on screen; GLOSSARY of terms; visible control characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from app.display import numbers
from app.domain.intent import DetectionSource, IntentType
from app.domain.language import plural
from app.domain.library import NEW_SUCCESS, Answer, Kind, Memory
from app.domain.llm import LlmOutcome
from app.domain.match import Band, LapseKind, Tier
from app.domain.running import ActivationBlocker
from app.scoring.scorers import SCORERS, Scorer

TYPES: dict[IntentType, str] = {
    IntentType.HOWTO: "How-to",
    IntentType.TROUBLESHOOT: "Troubleshoot",
    IntentType.LOCATION: "Location",
    IntentType.EXPLANATION: "Explanation",
    IntentType.COMPARISON: "Comparison",
    IntentType.GENERAL: "General",
}

ROUTES: dict[str, str] = {
    "graph_traversal": "Graph search",
    "vector_similarity": "Vector search",
    "hybrid_search": "Hybrid search",
    "temporal_reasoning": "Search over time",
    "multi_database": "Several stores",
}
"""Titles of the shipped routes in the window; cases, rules and JSON have the names."""


class LlmWords(NamedTuple):
    """Outcome of the LLM: word, icon and colour (S4.5), and the word beside its time.

    `silent` is why keywords decide although the LLM is on; "" if they do not.
    """

    word: str
    icon: str
    token: str
    silent: str
    timing: str


LLM: dict[LlmOutcome, LlmWords] = {
    LlmOutcome.OFF: LlmWords("Off", "off", "text_2", "", ""),
    LlmOutcome.UNREACHABLE: LlmWords("Unreachable", "unplugged", "danger", "LLM unreachable", "unreachable"),
    LlmOutcome.MODEL_MISSING: LlmWords("Model missing", "missing", "danger", "LLM model missing", "model missing"),
    LlmOutcome.COLD: LlmWords("Loading", "cold", "warning", "LLM loading", "loading"),
    LlmOutcome.ASKING: LlmWords("Asking", "loading", "text_2", "LLM asked", "asked"),
    LlmOutcome.ANSWERED: LlmWords("Answered", "check", "success", "", "in time"),
    LlmOutcome.LOW_CONFIDENCE: LlmWords("Low confidence", "chart", "warning", "LLM too unsure", "in time, too unsure"),
    LlmOutcome.TIMED_OUT: LlmWords("Timed out", "stopwatch", "warning", "LLM timed out", "no answer yet"),
    LlmOutcome.LATE: LlmWords("Late", "clock", "warning", "LLM late", "answered late"),
    LlmOutcome.SUPERSEDED: LlmWords("Superseded", "overtaken", "text_2", "LLM superseded", "superseded"),
    LlmOutcome.FAILED: LlmWords("Failed", "warning", "danger", "LLM failed", "failed"),
    LlmOutcome.UNREADABLE: LlmWords("Unreadable", "unreadable", "danger", "LLM unreadable", "unreadable"),
}

LACKS: dict[ActivationBlocker, str] = {
    ActivationBlocker.COMMAND: "confident, no command to start",
    ActivationBlocker.APPROVAL: "confident, not approved yet",
}
"""Status of a confident power that cannot be activated yet; SHORT_LACKS fits into a cell."""

SHORT_LACKS: dict[ActivationBlocker, str] = {
    ActivationBlocker.COMMAND: "No command",
    ActivationBlocker.APPROVAL: "Not approved",
}

Level = Band | Tier | ActivationBlocker
"""Level of a memory, of a power, or what a confident power lacks."""

LAPSES: dict[LapseKind, str] = {
    LapseKind.EXPIRED: "Expired",
    LapseKind.REPLACED: "Replaced",
    LapseKind.NOT_YET: "Not yet",
}
"""Status of a memory outside its validity, shown instead of its band."""

UNREACHED: tuple[Level, ...] = (Band.FALLBACK, Tier.NOT_FOUND)
"""Levels of answers below all thresholds."""

KINDS: dict[Kind, str] = {Kind.MEMORY: "Memory", Kind.POWER: "Power"}

SOURCES: dict[DetectionSource, str] = {
    DetectionSource.KEYWORD: "From keywords",
    DetectionSource.LEARNED: "From examples",
    DetectionSource.LLM: "From the LLM",
    DetectionSource.HYBRID: "From keywords and the LLM",
}

POLICIES: dict[str, str] = {"evidence": "Evidence", "priority": "Priority"}

MERGES: dict[str, str] = {"by_type": "by type", "adr": "as decided", "shipped": "as built"}
"""Merge policies: recommended, as in the source's decision record, and as in its program."""

STAGES: dict[str, str] = {
    "keywords": "Keywords",
    "detect": "Keywords",
    "lexical": "Lexical",
    "learned": "Learned types",
    "paint": "Drawing",
    "embed query": "Embed query",
    "semantic": "Semantic",
    "combine": "Combine",
    "resolve": "Choice of power",
    "route": "Choice of route",
    "route llm": "Route by the LLM",
    "label llm": "Intent by the LLM",
    "power llm": "Power by the LLM",
    "merge": "Merge",
    "llm": "LLM",
}


def scorer(key: str) -> Scorer:
    """Return the row of a scorer; an unknown one gets its words from its key."""
    name = key.replace("_", " ").capitalize()
    return SCORERS.get(key) or Scorer(key, name, name[:1], name)


def answer(name: str) -> str:
    """Return a name for use in a sentence; quoted if it is more than one word, as a trigger is."""
    return f"“{name}”" if " " in name else name


def named(found: Answer) -> str:
    """Return the title of an answer for use in a sentence."""
    return answer(title(found))


def title(answer: Answer) -> str:
    """Return the name of an answer in lists: of a memory that is named by its first trigger, the intent."""
    is_unnamed = isinstance(answer, Memory) and answer.id is None
    return (answer.answer_label if is_unnamed else None) or answer.name


def full_title(answer: Answer, most: int = 48) -> str:
    """Return the title of an answer, with its quoted name if that differs, each cut to a maximum length."""
    shown = cut(title(answer), most)
    return shown if title(answer) == answer.name else f"{shown} “{cut(answer.name, most)}”"


def cut(name: str, most: int = 48) -> str:
    """Cut a name to its maximum length, by default that in a sentence."""
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def stage(name: str) -> str:
    """Return the display name of a timed step."""
    return STAGES.get(name, name.replace("_", " ").capitalize())


def type_word(kind: IntentType | str) -> str:
    """Return the display name of a search-intent type."""
    known = IntentType(kind) if kind in IntentType.__members__.values() else None
    return TYPES[known] if known else str(kind)


def policy(name: str) -> str:
    """Return the display name of a selection policy."""
    return POLICIES.get(name, name.capitalize())


def merge_policy(name: str) -> str:
    return MERGES.get(name, name)


# ---- GLOSSARY: tooltips that explain technical terms, one sentence each.


GLOSSARY: Mapping[str, str] = {
    "injected": "Injected: an assistant gets the memory with the query, without asking for it.",
    "activated": "Activated: the power is started and its tools are available. Here you only see what would happen.",
    "power": "Power: a program or an address that can be started, and then brings tools that can be called.",
    "approval": "Approval: a power runs a program or asks an address, so it starts only after you approve it.",
    "success": "Success: how an answer fared. It begins at 50\xa0%; marked right it rises, marked wrong it falls.",
    "centroid": "Centroid: the mean of the vectors of all triggers of an answer.",
    "recommended": "Recommended: our defaults, tuned on labelled queries.",
    "as_documented": "As documented: the values written in the source documents, unchanged.",
    "by_type": "By type: as decided, but a type takes only what keywords or examples gave that type.",
    "adr": "As decided: keywords and LLM are weighed, and keywords lose a little while the LLM is silent.",
    "shipped": "As built: what the program of the source does, capped at 0.95, without bonus or penalty.",
    "balanced": "Balanced: the mean of the semantic and centroid scores, or the exact or keyword score where surer.",
    "calibrated": "Calibrated: as balanced, shown as the share of right answers at such a confidence.",
    "learned": "Learned: the probability of being right, learned from your memories and powers.",
    "max": "Max: the largest of the scores.",
    "weighted_average": "Weighted average: the scores by their weights.",
    "cascade": "Cascade: the first scorer above its threshold decides, the strictest first.",
    "keyword_or_semantic": "Keyword or semantic: the larger of these two scores.",
}
"""Explanations by setting value or term."""


def about(*terms: str) -> str:
    """Return the explanations of these terms, one per line; "" for none."""
    return "\n".join(GLOSSARY[term] for term in dict.fromkeys(terms) if term in GLOSSARY)


def with_titles(text: str) -> str:
    """Replace the names of the shipped routes in a text by their titles."""
    for name, title in ROUTES.items():
        text = text.replace(name, title)
    return text


def success_text(memory: Memory) -> str:
    """Format the success score; a dash until the memory is marked or gets another score."""
    is_judged = memory.right or memory.success != NEW_SUCCESS
    return numbers.chance(memory.success) if is_judged else numbers.ABSENT


def marked_right(memory: Memory) -> str:
    """Return how often the memory was marked right."""
    if not memory.right:
        return "never marked right"
    return plural(memory.right, "marked right once", "marked right {n} times")


_UNSEEN = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_SPELT = (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE: dict[int, int | str] = {**_UNSEEN, **{code: f"\\u{code:04x}" for code in _SPELT}}


def visible(line: str) -> str:
    """Show the control characters of a line: ESC, NUL, line ends, changes of direction."""
    return line.translate(_VISIBLE)


def visible_lines(text: str) -> str:
    return "\n".join(map(visible, text.split("\n")))
