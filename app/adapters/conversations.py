"""Conversations with a model, as programs export them: what the person said in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

PEOPLE = frozenset({"user", "human"})
"""Who says what is a query, in any chat's words."""


def is_messages(value: Any) -> bool:
    """Whether it is a list of messages, each with somebody who said it."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and _speaker(one) for one in value)


def is_conversation(record: Any) -> bool:
    return isinstance(record, dict) and any(isinstance(record.get(name), list | dict) for name in CONVERSATIONS)


def said(conversation: Any) -> Iterator[str]:
    """What the person said, in order, in any of the shapes of CONVERSATIONS or as a bare list of messages."""
    if isinstance(conversation, list):
        yield from _of_messages(conversation)
    elif isinstance(conversation, dict):
        for name, read in CONVERSATIONS.items():
            if isinstance(conversation.get(name), list | dict):
                yield from read(conversation[name])
                return


def _of_messages(messages: Any) -> Iterator[str]:
    """A list of messages with role and content, from and value, or sender and text."""
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and _speaker(message) in PEOPLE:
            held = next((message[name] for name in ("content", "value", "text", "message") if message.get(name)), None)
            text = _plain(held)
            if text.strip():
                yield text


def _of_mapping(mapping: Any) -> Iterator[str]:
    """A tree of messages, each with author and parts, told in the order of their times."""
    nodes = list(mapping.values()) if isinstance(mapping, dict) else []
    messages = [node["message"] for node in nodes if isinstance(node, dict) and isinstance(node.get("message"), dict)]
    yield from _of_messages(sorted(messages, key=_time))


def _time(message: Mapping[str, Any]) -> float:
    at = message.get("create_time")
    return float(at) if isinstance(at, int | float) else 0.0


def _speaker(message: Mapping[str, Any]) -> str:
    author = message.get("author")
    named = author.get("role") if isinstance(author, dict) else None
    for held in (named, message.get("role"), message.get("from"), message.get("sender")):
        if isinstance(held, str) and held:
            return held.lower()
    return ""


def _plain(content: Any) -> str:
    """The text of a content, which may come in parts, some of them pictures."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _plain(content.get("parts") or content.get("text") or "")
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := _plain(part)))
    return ""


CONVERSATIONS: Mapping[str, Callable[[Any], Iterator[str]]] = {
    "messages": _of_messages,
    "conversations": _of_messages,
    "conversation": _of_messages,
    "chat_messages": _of_messages,
    "mapping": _of_mapping,
    "message": lambda message: _of_messages([message]),
}
"""Under which names exports keep the messages of a conversation, and how these are read."""
