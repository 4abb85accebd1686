"""Dialogflow: training phrases (NAME_usersays_LANGUAGE.json); other files get a message."""

from __future__ import annotations

import re

from app.adapters.formats.documents import Found, NothingToTakeError, TreeReader
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.trees import Node
from app.adapters.formats.utterances import memories_of

USER_SAYS = re.compile(r"_usersays_[A-Za-z-]+$")
PHRASES = "userSays"

INTENT = ("auto", "priority", "webhookUsed", "fallbackIntent", "responses")
ENTITY = ("isOverridable", "isEnum", "automatedExpansion", "allowFuzzyExtraction")
AGENT = ("defaultTimezone", "googleAssistant", "supportedLanguages", "enableOnePlatformApi")
"""Fields that identify Dialogflow's other files."""


def _is_phrases(root: Node) -> bool:
    return any(isinstance(_data(phrase), list) and phrase.get("intent") is None for phrase in root.items())


def _data(phrase: Node) -> object:
    data = phrase.get("data")
    parts = [] if data is None else [*data.items()]
    return parts if parts and all(part.get("text") is not None for part in parts) else None


def _other(root: Node, name: str) -> str | None:
    """Return the message for a Dialogflow file without phrases; None for other files."""
    intent = USER_SAYS.sub("", name)
    if _is_intent(root):
        return (
            "This is a Dialogflow intent without training phrases: they stand beside it in "
            f"{intent}_usersays_en.json or the like. Import that file, or the whole agent as its ZIP file."
        )
    is_entity = root.get("name") is not None and any(root.get(sign) is not None for sign in ENTITY)
    if is_entity or any(one.get("value") is not None and one.get("synonyms") is not None for one in root.items()):
        return (
            "This is an entity of Dialogflow, which no label comes from. Import its intents, or the agent's ZIP file."
        )
    if any(root.get(sign) is not None for sign in AGENT) and root.get("intents") is None:
        return "These are the settings of a Dialogflow agent. Import its intents, or the whole agent as its ZIP file."
    return None


def _is_intent(root: Node) -> bool:
    responses = root.get("responses")
    is_answered = responses is not None and any(one.get("messages") is not None for one in responses.items())
    return root.get("name") is not None and root.get(PHRASES) is None and is_answered


def _fits(root: Node) -> bool:
    return _is_phrases(root) or _other(root, "") is not None


def _items(root: Node, name: str) -> Found:
    if other := _other(root, name):
        raise NothingToTakeError(other)
    yield from memories_of(USER_SAYS.sub("", name), root.items(), {})


DIALOGFLOW = TreeReader(
    "Dialogflow's training phrases",
    ItemKind.MEMORIES,
    "a list of objects with “data”, the pieces of a phrase",
    _fits,
    _items,
)
