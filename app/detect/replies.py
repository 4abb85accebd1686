"""What the LLM said, made of: a distribution from one token's probabilities, or a checked JSON object (S4.1, S4.3)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.detect.prompts import LABELS
from app.domain.intent import IntentType, intent_type
from app.domain.llm import LlmAnswer
from app.ports import LlmUnreadableError

MOST_TOPICS = 5
LONGEST_REPLY = 20_000
"""Characters of a reply that are looked at; a longer one is no answer to what was asked."""

UNSEEN = 1.0
"""A label that is not among the listed tokens is less likely than the last of them by at least this, in nats."""


def label_scores(tokens: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The log-probability of each label from those of the likeliest next tokens.

    A token counts for the label that it begins. LlmUnreadableError if no token begins any label.
    """
    listed = list(tokens)
    sums = dict.fromkeys(LABELS, 0.0)
    for token, logprob in listed:
        start = token.strip().lower()
        for label in LABELS:
            if start and label.lower().startswith(start):
                sums[label] += math.exp(min(0.0, logprob))
    if not any(sums.values()):
        raise LlmUnreadableError("The answer begins no type; the model may not follow the prompt.")
    least = min(logprob for _, logprob in listed) - UNSEEN
    return {label: math.log(mass) if mass > 0.0 else least for label, mass in sums.items()}


def distribution(scores: Mapping[str, float], prior: Mapping[str, float] | None = None) -> dict[str, float]:
    """Probabilities of the six types, which sum to 1: the softmax of the scores less the prior's."""
    adjusted = {label: score - (prior[label] if prior else 0.0) for label, score in scores.items()}
    largest = max(adjusted.values())
    shares = {label: math.exp(score - largest) for label, score in adjusted.items()}
    total = sum(shares.values())
    return {LABELS[label].value: share / total for label, share in shares.items()}


def answer_from_distribution(probabilities: Mapping[str, float], mode: str, prompt: str, reply: str) -> LlmAnswer:
    """The likeliest type, with its probability as confidence."""
    name, probability = max(probabilities.items(), key=lambda item: item[1])
    return LlmAnswer(
        IntentType(name), min(1.0, probability), mode, distribution=dict(probabilities), prompt=prompt, reply=reply
    )


def answer_from_json(reply: str, prompt: str) -> LlmAnswer:
    """The object in a reply, also in fences or prose (S4.3); LlmUnreadableError if there is none with a type.

    A confidence above 1 is taken as a percentage, and all are clamped; an unknown type becomes general.
    """
    found = _first_object(reply[:LONGEST_REPLY])
    if found is None:
        raise LlmUnreadableError("The answer holds no JSON object.")
    word = found.get("type", found.get("intent", found.get("intent_type")))
    if not isinstance(word, str) or not word.strip():
        raise LlmUnreadableError("The answer holds no type.")
    return LlmAnswer(
        intent_type(word) or IntentType.GENERAL,
        _confidence(found.get("confidence")),
        "json",
        _topics(found.get("topics")),
        str(found.get("reasoning") or "")[:500],
        prompt=prompt,
        reply=reply[:LONGEST_REPLY],
    )


def _first_object(reply: str) -> dict[str, Any] | None:
    decoder = json.JSONDecoder()
    place = reply.find("{")
    while place >= 0:
        try:
            found, _ = decoder.raw_decode(reply, place)
        except (json.JSONDecodeError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
        place = reply.find("{", place + 1)
    return None


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise LlmUnreadableError("The answer's confidence is not a number.")
    try:
        number = float(value)
    except ValueError:
        raise LlmUnreadableError("The answer's confidence is not a number.") from None
    if math.isnan(number):
        raise LlmUnreadableError("The answer's confidence is not a number.")
    return min(1.0, max(0.0, number / 100.0 if number > 1.0 else number))


def _topics(value: object) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    words = (topic.strip().lower() for topic in value if isinstance(topic, str))
    return tuple(dict.fromkeys(word[:64] for word in words if word))[:MOST_TOPICS]
