"""Other names of fields of memories, powers and cases, and conversion to ours (S8.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.domain.intent import intent_type
from app.domain.library import BLANK_LINE

JsonObject = Mapping[str, Any]


_ASKERS = ("user", "customer", "client", "sample", "training", "example")
_ASKED = ("utterance", "query", "question", "phrase", "sentence", "text", "message", "input", "prompt")
_ANSWERERS = ("bot", "chatbot", "agent", "assistant")
_ANSWERED = ("response", "answer", "reply")

TEXTS = (
    "utterance", "utt", "sentence", "query", "question", "phrase", "prompt", "instruction", "input", "trigger",
    "example", "texts", "sentences", "queries", "q", *(f"{who}_{what}" for who in _ASKERS for what in _ASKED),
    "input_text", "query_text", "question_text", "message_text", "utterance_text", "sentence_text",
)  # fmt: skip
_LABELLED, _SPELLED = ("intent", "label", "class", "category"), ("name", "label", "text", "str", "string", "title")
NAMED_LABELS = (
    *(f"{what}_{how}" for what in _LABELLED for how in _SPELLED), "intentName", "taskName", "topIntent",
    "intent_display_name",
)  # fmt: skip
"""Names of textual labels; beside them the label itself may be a number."""

LABELS = (*NAMED_LABELS, "label", "category", "class", "annotation")
RESPONSES = (
    "answer", "reply", "output", "completion", *(f"{who}_{what}" for who in _ANSWERERS for what in _ANSWERED),
)  # fmt: skip
ANSWERED = ("response", *RESPONSES, "responses", "answers")
"""Names of a response, or of several."""

SPOKEN = ("utterances", "phrases", "patterns", "questions")
"""Names of lists of utterances, beside the name of an intent."""

INSTRUCTED = ("instruction", "input")
"""Names of a text in two parts, as Alpaca has it."""

TRIGGERS = (*SPOKEN, "examples")
SEVERAL_LABELS = ("intents", "labels")
"""Lists of labels beside one text."""

LASTING = {
    "valid_from": ("valid_since", "valid_at"), "valid_to": ("valid_until", "invalid_at", "expiration_date"),
    "replaces": ("supersedes",),
}  # fmt: skip
_RIGHT = ("expected", "gold", "true", "correct", "target")
HELD_OUT = (*(f"{how}_{what}" for how in _RIGHT for what in _LABELLED), "y_true")
"""Names of the right label of a text to test with."""

_ANSWERS = {"power": "acceptable", "tool": "tools", "route": "route", "memory": "duplicates", "type": "type"}
OF_TASKS = {f"{how}_{what}{end}": field for how in _RIGHT for what, field in _ANSWERS.items() for end in ("", "s")}
_EXPECTED = re.compile(rf"(?i)({'|'.join(_RIGHT)})[_-]?({'|'.join((*_LABELLED, *_ANSWERS))})s?")
"""Names of right answers, such as "expectedPower"; the fields of cases of those that tell the task."""

AROUND_LABELS = ("meta", "metadata", "attributes", "properties", "nlu", "labels", "output", "outputs")
"""Objects beside a text that may hold its intent."""

EXPECTED = (*HELD_OUT, "gold", "target", "ground_truth", *LABELS, *SEVERAL_LABELS, "answer", "best")
TELLING = ("expected", "unwanted", "duplicates", "acceptable", "tools", "route", "type")
"""Fields of cases; an intent beside a text is a memory's."""

FACTS = ("memory", "fact", "observation", "content")
"""Names of the text in other programs' memories: mem0, Zep, OpenMemory, LangMem, Subcog."""

AROUND_FACTS = (*FACTS, "value", "data", "payload")
"""Objects around such a text, as in LangMem's {"value": {"content": {"content": "…"}}}."""

DEEPEST_FACT = 3

SPEAKERS = ("role", "sender", "author", "from", "speaker")
"""Fields that make a text a message of a chat."""

CHOICES = ("choice", "choices")
"""Names of the labels that an annotator chose in Label Studio, as texts or in an object."""

STUDIO = ("annotation_id", "annotator", "lead_time")
"""Fields beside a choice in Label Studio's short exports."""

HASHES = ("_input_hash", "_task_hash")
"""Fields of Prodigy's tasks."""

ANNOTATED = ("accept", *CHOICES, "cats", "annotations")
"""Names of what an annotator chose."""

REJECTED = frozenset(("reject", "ignore"))
DECISIONS = frozenset(("accept", *REJECTED))
"""Decisions of Prodigy's annotators on a text and its label."""

LEAST_CATEGORY = 0.5
"""Minimum score of a label in spaCy's `cats`."""

GONE = frozenset(("deleted", "removed", "trashed"))
HELD_BACK = frozenset(("archived", "paused", "inactive", "disabled"))
"""States of a memory in its original program."""

POWER_FIELDS = ("command", "url", "keywords", "tools", "steering")
"""Fields that make a named record a power."""

PACKAGE_FIELDS = (
    "version", "scripts", "dependencies", "devDependencies", "require", "license", "author", "authors", "main",
    "engines", "manifest_version", "repository", "@context",
)  # fmt: skip
"""Fields that make a named record a package manifest, such as package.json."""

WITHIN = ("transport", "config", "settings", "server", "mcp_config", "launch", "stdio", "requestOptions", "requestInit")
"""Objects within a server that hold its fields in some assistants."""

ON = ("enabled", "enable", "active", "isActive", "is_active", "isEnabled", "is_enabled")
OFF = ("disabled", "disable", "isDisabled", "is_disabled", "paused", "inactive")
STATES = ("status", "state")
YES = frozenset(("true", "yes", "on", "1", "y", "t", "enabled", "active"))
NO = frozenset(("false", "no", "off", "0", "n", "f", "disabled", "inactive", "paused"))

LONG = ("long_description", "description_for_model")
"""Names of longer descriptions, in registries and plugin manifests."""

ENTITIES = "entities"
"""Key under which wit.ai stored intents."""

ELSEWHERE = frozenset((
    *TEXTS, *LABELS, *SEVERAL_LABELS, *RESPONSES, "responses", "answers", *TRIGGERS, *EXPECTED, *LONG, "name", "tag",
    "title", "server", "summary", "description_for_human", ENTITIES, *ANNOTATED, *AROUND_FACTS, "categories",
    *ON, *OFF, *STATES, *(name for names in LASTING.values() for name in names),
))  # fmt: skip
"""All alternative names of fields."""

BETWEEN = re.compile(r"[,;]")


def plain_names(record: JsonObject) -> JsonObject:
    """Return the record with names such as "Intent Name" in lower case, unless two become the same.

    The name of a right answer is unified; an intent in an object beside the text takes its place.
    """
    plain, lowers = dict[str, Any](), any(name[:1].isupper() or " " in name for name in record)
    for name, value in record.items():
        own = re.sub(r"[\s-]+", "_", name.strip().lower()) if lowers else name
        if found := _EXPECTED.fullmatch(own):
            own = f"{found[1]}_{found[2]}".lower()
        is_around = own in AROUND_LABELS and isinstance(value, Mapping) and "intent" in value and "intent" not in record
        plain["intent" if is_around else OF_TASKS.get(own, own)] = value["intent"] if is_around else value
    return plain if len(plain) == len(record) else record


def normalized_memory(record: JsonObject) -> JsonObject:
    """Return the record with our names for text, triggers, intent and response."""
    record = _with_annotation(_with_entity_intent(record))
    ours = dict(record)
    if record.get("text") is None and record.get("triggers") is None:
        _take(ours, "text", _asked(record))
        _take(ours, "triggers", _spoken(record, TRIGGERS))
        if not ours.get("text") and not ours.get("triggers"):
            ours |= _of_fact(record)
    if _is_missing(record, "intent"):
        labels = _names(record, LABELS) or _lists(record, (*LABELS, *SEVERAL_LABELS))
        _take(ours, "intent", labels or (_texts(record, ("name", "tag")) if _spoken(record, SPOKEN) else None))
    elif (number := _spelled(record["intent"])) is not None:
        ours["intent"] = _texts(record, NAMED_LABELS) or number
    elif not isinstance(record["intent"], str):
        ours["intent"] = _answers(record["intent"])
    if isinstance(ours.get("intent"), list) and len(ours["intent"]) == 1:
        ours["intent"] = _answers(ours["intent"])[0]
    if _is_missing(record, "response"):
        several = _lists(record, ("responses", "answers")) or ()
        first = next((value for value in several if isinstance(value, str) and value.strip()), None)
        _take(ours, "response", _texts(record, RESPONSES) or first)
    for field, names in LASTING.items():
        if _is_missing(record, field):
            _take(ours, field, next((record[name] for name in names if not _is_missing(record, name)), None))
    return ours


def _asked(record: JsonObject) -> str | None:
    """Return the text under another name, an instruction with its input."""
    text, given = _texts(record, TEXTS), _texts(record, INSTRUCTED[1:])
    return f"{text}{BLANK_LINE}{given}" if text and given and text == record.get(INSTRUCTED[0]) else text


def _with_entity_intent(record: JsonObject) -> JsonObject:
    """Return the record with the intent from wit.ai's entities."""
    entities = record.get(ENTITIES)
    if entities is None:
        return record
    is_keyed = isinstance(entities, Mapping)
    held = [one for one in _listed(entities.get("intent") if is_keyed else entities) if isinstance(one, Mapping)]
    found = [one.get("value") for one in held if is_keyed or one.get("entity") == "intent"]
    named = next((value.strip('" ') for value in found if isinstance(value, str) and value.strip('" ')), None)
    said = any(not _is_missing(record, name) for name in ("intent", *LABELS, *SEVERAL_LABELS))
    return record if named is None or said else {**record, "intent": named}


def _with_annotation(record: JsonObject) -> JsonObject:
    """Return the record with the labels that an annotator chose in Prodigy, Label Studio or spaCy.

    A record with a response is no annotator's: such names stand for something else in it.
    """
    if decision_of(record):
        record = {name: value for name, value in record.items() if name != "answer"}
    if any(not _is_missing(record, name) for name in ANSWERED):
        return {name: value for name, value in record.items() if name != "annotation"}
    if any(not _is_missing(record, name) for name in ("intent", *LABELS, *SEVERAL_LABELS, *TELLING)):
        return record
    labels = list(dict.fromkeys(label for name in ANNOTATED for label in _chosen(record, name)))
    if not labels:
        return record
    data = record.get("data")
    text = _texts(data, ("text", *TEXTS)) if isinstance(data, Mapping) and _is_missing(record, "text") else None
    labelled = {**record, "intent": labels[0] if len(labels) == 1 else labels}
    return labelled if text is None else {**labelled, "text": text}


def _chosen(record: JsonObject, name: str) -> list[str]:
    """Return the labels that an annotator chose under a name of ANNOTATED."""
    value = record.get(name)
    found: list[Any] = []
    if name == "accept" and _is_of_prodigy(record):
        found = _listed(value)
    elif name in CHOICES and any(mark in record for mark in STUDIO):
        found = _choices(value)
    elif (
        name == "cats"
        and isinstance(value, Mapping)
        and all(isinstance(score, bool | int | float) and 0 <= score <= 1 for score in value.values())
    ):
        found = [label for label, score in value.items() if score >= LEAST_CATEGORY]
    elif name == "annotations" and isinstance(value, list):
        results = [one.get("result") for one in value if isinstance(one, Mapping)]
        each = [one.get("value") for held in results for one in _listed(held) if isinstance(one, Mapping)]
        found = [label for one in each if isinstance(one, Mapping) for at in CHOICES for label in _choices(one.get(at))]
    return [label for label in found if isinstance(label, str) and label.strip()]


def _choices(value: object) -> list[Any]:
    """Return the labels of Label Studio: one, in a list, or in an object."""
    return _listed(value.get("choices")) if isinstance(value, Mapping) else _listed(value)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def decision_of(record: JsonObject) -> str:
    """Return the decision of Prodigy's annotator: "accept", "reject" or "ignore"; "" if none."""
    answer = record.get("answer")
    is_labelled = _texts(record, ("text",)) is not None and _texts(record, ("label",)) is not None
    is_decided = isinstance(answer, str) and answer in DECISIONS and (is_labelled or _is_of_prodigy(record))
    return str(answer) if is_decided else ""


def _is_of_prodigy(record: JsonObject) -> bool:
    """Return whether a record is a Prodigy task: it has hashes, spans, or options with accepted ones."""
    if any(name in record for name in HASHES) or _has_objects(record.get("spans")):
        return True
    return isinstance(record.get("accept"), list) and _has_objects(record.get("options"))


def _has_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _of_fact(record: JsonObject) -> dict[str, Any]:
    """Return another program's memory as text and fields; a title becomes the trigger."""
    fact, title = fact_in(record), _texts(record, ("title",))
    found: dict[str, Any] = {"text": fact}
    if title is not None:
        found = {"text": title, "response": fact}
    categories, namespace = record.get("categories"), record.get("namespace")
    if record.get("tags") is None and isinstance(categories, list):
        found["tags"] = categories
    elif isinstance(record.get("tags"), str):
        found["tags"] = _parted(record["tags"])
    if isinstance(namespace, list):
        found["namespace"] = "/".join(map(str, namespace))
    if record.get("paused") is None and state_of(record) in HELD_BACK:
        found["paused"] = True
    return found


def fact_in(record: JsonObject, *, deep: int = 0) -> str | None:
    """Return a memory's text, also nested, from values or nodes; None for a chat message."""
    held = {name: getattr(value, "value", value) for name, value in record.items()}
    if any(name in held for name in SPEAKERS):
        return None
    if (fact := _texts(held, (*FACTS, "text", "data") if deep else FACTS)) is not None:
        return fact
    inner = (held.get(name) for name in AROUND_FACTS) if deep < DEEPEST_FACT else ()
    found = (fact_in(one, deep=deep + 1) for one in inner if isinstance(one, Mapping))
    return next((fact for fact in found if fact is not None), None)


def state_of(record: JsonObject) -> str:
    """Return the state of a memory in its original program, such as "deleted"; "" if none."""
    if record.get("deleted") is True or record.get("is_deleted") is True or record.get("deleted_at"):
        return "deleted"
    return (_texts(record, STATES) or "").strip().lower()


def normalized_power(record: JsonObject) -> JsonObject:
    """Return a power's record with our names.

    Keywords in one text are split at commas or semicolons; a long description beside the short one becomes its
    second paragraph.
    """
    ours = dict(record)
    if _is_missing(record, "name"):
        _take(ours, "name", _texts(record, ("title", "server")))
    if _is_missing(record, "description"):
        _take(ours, "description", _texts(record, ("summary", "description_for_human")))
    short, long = _texts(ours, ("description",)), _texts(record, LONG)
    if long is not None and (short is None or long.strip() != short.strip()):
        ours["description"] = BLANK_LINE.join(filter(None, (short, long)))
    if record.get("examples") is None:
        _take(ours, "examples", _lists(record, ("utterances",)))
    if record.get("paused") is None and is_off(record):
        ours["paused"] = True
    keywords = record.get("keywords")
    if isinstance(keywords, str):
        ours["keywords"] = _parted(keywords)
    return ours


def _parted(words: str) -> list[str]:
    return [word for word in map(str.strip, BETWEEN.split(words)) if word]


def normalized_case(record: JsonObject, fields: Iterable[str]) -> JsonObject:
    """Return a case's record with text and expectation; `fields` are those of its task."""
    record = _with_annotation(_with_entity_intent(record))
    ours = dict(record)
    if _is_missing(record, "text"):
        _take(ours, "text", _asked(record))
    if _is_missing(record, "expected"):
        _take(ours, "expected", _first_of(record, HELD_OUT))
    said = next((name for name in fields if ours.get(name) is not None), None)
    if said is not None:
        ours[said] = _answers(ours[said])
    elif record.get("unwanted") is None:
        _take(ours, "expected", _first_of(record, EXPECTED))
    return ours


def fields_of(record: JsonObject, ours: JsonObject, known: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the field that each name became, "" for none.

    `ours` is the normalized record, `known` its fields.
    """
    said = frozenset(known)
    taken = {field for field in ours if _is_missing(record, field) or ours[field] != record[field]}
    found: list[tuple[str, str]] = []
    for name, value in record.items():
        field = name if name in said else _became(name, value, ours, taken) if name in ELSEWHERE else ""
        taken.discard(field)
        found.append((name, field))
    return tuple(found)


def _became(name: str, value: Any, ours: JsonObject, taken: Iterable[str]) -> str:
    if name in LONG:
        return "description"
    if name in (*ON, *OFF, *STATES):
        return "paused" if "paused" in ours else ""
    if name in INSTRUCTED and isinstance(value, str) and value and value in (ours.get("text") or ""):
        return "text"
    if name in AROUND_FACTS and isinstance(value, Mapping):
        fact = fact_in({name: value})
        return next((field for field in ("text", "response") if fact and field in taken and ours[field] == fact), "")
    if name == ENTITIES:
        return "intent" if "intent" in taken and "intent" in _with_entity_intent({ENTITIES: value}) else ""
    if name in ANNOTATED:
        labels = _listed(ours.get("intent"))
        return "intent" if "intent" in taken and any(label in labels for label in _chosen(ours, name)) else ""
    value = _answers(value)
    same = (value, [value]) if value is not None else ()
    held = value if isinstance(value, list) else ()
    return next((field for field in sorted(taken) if ours[field] in same or ours[field] in held), "")


def is_off(server: Mapping[str, Any]) -> bool:
    """Return whether a server is disabled by any such field, also in an object within it."""
    for place in (server, *(inner for name in WITHIN if isinstance(inner := server.get(name), Mapping))):
        says_off = any(_truth(place.get(name)) is False for name in (*ON, *STATES))
        if says_off or any(_truth(place.get(name)) for name in OFF):
            return True
    return False


def _truth(value: object) -> bool | None:
    """Parse a boolean in any notation; None for anything else."""
    if isinstance(value, (bool, int, float)):
        return bool(value)
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in YES else False if word in NO else None


def package_sign(record: JsonObject) -> str | None:
    """Return the field that marks a named record as a package manifest; None without one."""
    if any(name in record for name in POWER_FIELDS if name not in ("keywords", "url")):
        return None
    return next((name for name in PACKAGE_FIELDS if name in record), None)


def is_power(record: JsonObject) -> bool:
    """Return whether a record has a name and a field of powers."""
    return "name" in record and any(name in record for name in POWER_FIELDS) and package_sign(record) is None


def is_spoken(record: JsonObject) -> bool:
    """Return whether a record is an intent with utterances, and no power."""
    return bool(_texts(record, ("name", "tag")) and _spoken(record, SPOKEN)) and not any(
        name in record for name in POWER_FIELDS
    )


def is_case(record: JsonObject) -> bool:
    """Return whether a record states a right or wrong answer, or has a list of labels."""
    if any(name in record and not (name == "type" and _is_other_type(record)) for name in (*TELLING, *HELD_OUT)):
        return True
    labels = [record.get(name) for name in ("intent", *LABELS)]
    several = [*labels, *(record.get(name) for name in SEVERAL_LABELS)]
    return any(isinstance(held, list) for held in several) and not any(isinstance(held, str | int) for held in labels)


def _is_other_type(record: JsonObject) -> bool:
    """Return whether a labelled record has a type in its program's own sense, such as "DialogIntent"."""
    named = record["type"]
    is_known = not isinstance(named, str) or not named.strip() or intent_type(named) is not None
    return not is_known and _names(record, ("intent", *LABELS)) is not None


def is_labelled_text(record: JsonObject) -> bool:
    """Return whether a record has text under another name, and a label or answer."""
    if not _texts(record, TEXTS) and not _spoken(record, TRIGGERS):
        return False
    return is_case(record) or bool(_names(record, ("intent", *LABELS)) or _texts(record, RESPONSES))


def _is_missing(record: JsonObject, field: str) -> bool:
    """Return whether a field is missing or an empty text."""
    return record.get(field) is None or record[field] == ""


def _take(ours: dict[str, Any], field: str, found: Any) -> None:
    if found:
        ours[field] = found


def _texts(record: JsonObject, names: Iterable[str]) -> str | None:
    """Return the first of these that is a non-blank text."""
    return next((value for name in names if isinstance(value := record.get(name), str) and value.strip()), None)


def _lists(record: JsonObject, names: Iterable[str]) -> list[Any] | None:
    return next((value for name in names if isinstance(value := record.get(name), list) and value), None)


def _spoken(record: JsonObject, names: Iterable[str]) -> list[Any] | None:
    """Return the first of these that is a list of texts, possibly as nodes."""
    held = ([value] if isinstance(value := record.get(name), str) and value.strip() else value for name in names)
    lists = (value for value in held if isinstance(value, list) and value)
    return next((value for value in lists if isinstance(getattr(value[0], "value", value[0]), str)), None)


def _names(record: JsonObject, names: tuple[str, ...]) -> str | None:
    """Return the first field with a text, or else the first other value that names; None for neither."""
    spelled = (_spelled(record.get(name)) for name in names)
    return _texts(record, names) or next((value for value in spelled if value is not None), None)


def _spelled(value: object) -> str | None:
    """Format a boolean, an integer, also as pandas writes it (1.0), or an object with a name; else None."""
    if isinstance(value, Mapping):
        return _texts(value, ("name", "label", "displayName", "value", "intent", "tag"))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and abs(value) < 2**53 and value.is_integer():
        return str(int(value))
    return str(value) if type(value) is int else None


def _first_of(record: JsonObject, names: tuple[str, ...]) -> Any:
    """Return the first of these that names one or several answers."""
    return _names(record, names) or next(
        (_answers(record[name]) for name in names if isinstance(record.get(name), list)), None
    )


def _answers(value: Any) -> Any:
    """Convert whole numbers to texts, and objects to names, also in lists; not those of several tasks."""
    if isinstance(value, list):
        return [_answers(one) for one in value]
    is_of_several = isinstance(value, Mapping) and "intent" in value and bool({"power", "tool", "route"} & value.keys())
    return value if is_of_several or (spelled := _spelled(value)) is None else spelled
