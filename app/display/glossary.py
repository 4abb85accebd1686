"""GLOSSARY: what words of the field mean, in a sentence each, for whoever rests the pointer on one of them."""

from __future__ import annotations

from collections.abc import Mapping

from app.display import words

GLOSSARY: Mapping[str, str] = {
    "surfaced": "Surfaced: an assistant gets the memory with the query, without asking for it.",
    "activated": "Activated: the power is started and its tools are there. Here it is only said what would be.",
    "success": "Success: how an answer fared. It begins at 0.500; marked right it rises, marked wrong it falls.",
    "centroid": "Centroid: the mean of the meanings of all that is taught with an answer.",
    "recommended": "Recommended: our defaults, tuned on labelled queries.",
    "as_documented": "As documented: the values of the documents that Intentscope was built after, unchanged.",
    "adr": "As decided: keywords and LLM are weighed, and keywords lose a little while the LLM is silent.",
    "shipped": "As built: what the program of the source does, capped at 0.95, without bonus or penalty.",
    "balanced": "Balanced: the mean of meaning and centroid, or the same words or a keyword where those are surer.",
    "calibrated": "Calibrated: as balanced, told as how often an answer of such a confidence is right.",
    "learned": "Learned: the chance of being right, learned from what is taught.",
    "max": "Max: the largest of the scores.",
    "weighted_average": "Weighted average: the scores by their weights.",
    "cascade": "Cascade: the first scorer that is sure enough decides, the strictest first.",
    "keyword_or_semantic": "Keyword or semantic: the larger of these two scores.",
}
"""By the setting's value or the word itself."""


def about(*terms: str) -> str:
    """What these terms mean, a line each; "" for those that need no word."""
    return "\n".join(words.say(GLOSSARY[term]) for term in dict.fromkeys(terms) if term in GLOSSARY)
