"""Routes of semantic-router, and intents with utterances of most bot platforms.

Includes Watson, Lex, Alexa, Jovo, Voiceflow, Snips (JSON), older Dialogflow intents, CX and nlp.js.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from app.adapters.formats.documents import (
    Found,
    TreeReader,
    first_of,
    in_one_language,
    is_utterance,
    left_out_languages,
    memories_of,
    said,
    text_in,
)
from app.adapters.formats.record_names import ANSWERED, LABELS, POWER_FIELDS, RESPONSES
from app.adapters.formats.records import COLUMNS, FileKind, kind_of
from app.adapters.formats.syntax.trees import Node
from app.domain.library import THRESHOLD, Problem

_IDENTIFIER = re.compile(r"projects/.*|(?=.*\d)[0-9a-f-]+")

PLACES = (
    ("routes",),
    ("intents",),
    ("interactionModel", "languageModel", "intents"),
    ("languageModel", "intents"),
    ("resource", "intents"),
    ("nlu", "intents"),
    ("workspace", "intents"),
    ("version", "platformData", "intents"),
    ("version", "prototype", "model", "intents"),
    ("platformData", "intents"),
    ("conversation", "intents"),
    ("data",),
)
"""Places of intents: semantic-router, most others, Alexa, Lex, Watson, Voiceflow, nlp.js."""

NAMES = ("name", "tag", "intent", "intentName", "intent_name", "displayName", "display_name", "label")
UTTERANCES = (
    "utterances", "patterns", "examples", "phrases", "samples", "sampleUtterances", "sample_utterances", "inputs",
    "trainingPhrases", "training_phrases", "userSays", "expressions", "exampleSentences", "sentences",
)  # fmt: skip
"""Names of utterances, semantic-router's and others'."""

TELLING = tuple(name for name in UTTERANCES if name not in ("examples", "inputs", "sentences"))
"""Names that identify an intent by themselves; others also occur in powers."""

OWN_FIELDS = (*(name for name in COLUMNS[FileKind.MEMORIES] if name not in ("triggers", "intent")), *ANSWERED)
"""Fields that make an intent with utterances a memory's record."""

THRESHOLDS = (THRESHOLD, "confidence_threshold")
"""Names of a route's threshold in versions of semantic-router."""


def _intents(root: Node) -> Node | None:
    """Return the list or map of intents, or a single intent; None without any."""
    if isinstance(root.value, list):
        is_named = any(map(_is_named, root.items())) and not any(map(_is_memory, root.items()))
        return root if is_named or any(_utterances(intent, TELLING[:1]) for intent in root.items()) else None
    for place in PLACES:
        found: Node | None = root
        for name in place:
            found = None if found is None else found.get(name)
        intents = [] if found is None else [intent for _, intent in _entries(found)]
        if any(_utterances(intent, UTTERANCES) for intent in intents) and not any(map(_is_part, intents)):
            return found
    alone = root.get("resource") or root
    spoken = _utterances(alone, TELLING)
    if (
        spoken is not None
        and any(map(is_utterance, spoken.items()))
        and not _is_part(alone)
        and not any(alone.get(name) for name in ("text", "triggers", "command", "url", "tools"))
    ):
        return alone
    return root if _is_map(root) else None


def _utterances(intent: Node, names: tuple[str, ...]) -> Node | None:
    """Return an intent's list of utterances, also by language; None without one."""
    held, _ = in_one_language(first_of(intent, names))
    return held if held is not None and isinstance(held.value, list) else None


def _is_named(intent: Node) -> bool:
    """Return whether an object has an intent and utterances, and no field of a power or memory."""
    others = (*POWER_FIELDS, "text", "triggers")
    is_label = intent.get("intent") is not None and kind_of(intent.fields()) is None  # Watson's list of intents
    return (
        first_of(intent, NAMES) is not None
        and _utterances(intent, UTTERANCES if is_label else TELLING) is not None
        and first_of(intent, others) is None
        and not _is_part(intent)
    )


def _is_memory(intent: Node) -> bool:
    """Return whether an object is read as a record, with fields of a memory that no route has."""
    held = intent.fields()
    return kind_of(held) is FileKind.MEMORIES and any(name in held for name in OWN_FIELDS)


def _is_part(intent: Node) -> bool:
    """Return whether the texts have their own labels, as in a part of a data set."""
    utterances = _utterances(intent, UTTERANCES)
    texts = () if utterances is None else utterances.items()
    return any(name in text.fields() for text in texts for name in ("intent", *LABELS))


def _entries(held: Node) -> Iterator[tuple[str | None, Node]]:
    """Yield intents with the name that a map gives them."""
    if isinstance(held.value, list):
        yield from ((None, intent) for intent in held.items())
    else:
        for name, intent in held.members():
            yield name, Node({UTTERANCES[0]: intent}, intent.line) if isinstance(intent.value, list) else intent


def _is_map(root: Node) -> bool:
    """Return whether an object maps names to texts of several words, unlike settings."""
    members = root.fields()
    if kind_of(members) is not None:  # columns of a table
        return False
    lists = [_utterances(intent, UTTERANCES) for _, intent in _entries(root)]
    texts = [utterance for held in lists if held for utterance in held.items()]
    # Each is a text or pieces of one, not a record.
    are_spoken = all(is_utterance(one) and (isinstance(one.value, str) or one.get("text") is None) for one in texts)
    return bool(members) and all(lists) and are_spoken and any(" " in str(said(one)).strip() for one in texts)


def _items(root: Node, name: str) -> Found:
    held = _intents(root)
    if held is None:
        return
    is_map = _is_map(held) and not held.fields().keys() <= {*UTTERANCES}
    if _utterances(held, TELLING) is not None and not isinstance(held.value, list) and not is_map:
        yield from _intent(held, _name_of(held) or name)
        return
    for given, intent in _entries(held):
        yield from _intent(intent, given or _name_of(intent))


def _name_of(intent: Node) -> str | None:
    """Return the name of an intent; the display name if the name is an identifier, as in Dialogflow CX."""
    name = text_in(first_of(intent, NAMES))
    if name is None or not _IDENTIFIER.fullmatch(name):
        return name
    return text_in(first_of(intent, ("displayName", "display_name"))) or name


def _intent(intent: Node, label: str | None) -> Found:
    utterances, languages = in_one_language(first_of(intent, UTTERANCES))
    if label is None:
        yield Problem(intent.line, "The route has no “name”.")
    elif utterances is None or not (isinstance(utterances.value, list) or text_in(utterances)):
        yield Problem(intent.line, f"The route “{label[:60]}” has no list of “utterances”.")
    else:
        more = {"response": _response(intent), "tags": _tags(intent)}
        yield from memories_of(label, utterances.items() if text_in(utterances) is None else (utterances,), more)
        yield from left_out_languages(intent.line, languages)


def _tags(route: Node) -> list[str]:
    """Return the route's tags, and its threshold as one, which applies to its label if in [0, 1]."""
    held = (node.plain() for name in THRESHOLDS if (node := route.get(name)) is not None)
    found: Any = next((value for value in held if value is not None), None)
    try:
        value = float(found) if isinstance(found, str | int | float) and not isinstance(found, bool) else math.nan
    except (ValueError, OverflowError):
        value = math.nan
    tags = route.get("tags")
    own = [text for one in (tags.items() if tags else ()) if (text := text_in(one)) is not None]
    return [*own, f"{THRESHOLD}={value:g}"] if math.isfinite(value) else own


def _response(route: Node) -> str | None:
    """Return the first of several responses, else the only one, if any."""
    responses = first_of(route, ("responses", "answers"))
    first = None if responses is None else next((text_in(one) for one in responses.items()), None)
    return first or text_in(first_of(route, ("response", *RESPONSES)))


ROUTES = TreeReader(
    "Routes",
    FileKind.MEMORIES,
    "a list “routes” of objects with “name” and “utterances”",
    lambda root: _intents(root) is not None,
    _items,
)
