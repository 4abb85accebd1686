"""Hypothesis strategies for memories, powers, rules and cases."""

from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from app.adapters.formats.records import INVISIBLE, FileKind
from app.domain.case import Case, Task
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import Item
from app.domain.library import Memory, Power, Tool, Transport

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20).filter(
    lambda text: INVISIBLE.fullmatch(text) is None  # which is read as empty
)
filled = texts.filter(str.strip)
several = st.lists(texts, max_size=3).map(tuple)
maybe = st.none() | filled
unit = st.floats(0, 1)
days = st.dates(date(1900, 1, 1), date(2099, 12, 31))
memories = st.builds(
    Memory,
    triggers=st.lists(filled, min_size=1, max_size=3).map(tuple),
    response=texts,
    intent=maybe,
    namespace=filled,
    tags=several,
    id=maybe,
    success=unit,
    usage=st.integers(0, 2**63 - 1),
    right=st.integers(0, 2**63 - 1),
    paused=st.booleans(),
    valid_from=st.just("") | days.map(lambda day: f"{day} 00:00:00"),
    valid_to=st.just("") | days.map(lambda day: f"{day.year + 200}-12-31 23:59:59"),
    replaces=several,
)
names = filled.filter(lambda name: "=" not in name)
transports = st.builds(Transport, command=maybe, args=several, env=st.dictionaries(names, texts, max_size=2), url=maybe)
powers = st.builds(
    Power,
    name=filled,
    description=texts,
    keywords=several,
    steering=texts,
    tools=st.lists(st.builds(Tool, filled, texts), max_size=2).map(tuple),
    examples=several,
    transport=transports,
    paused=st.booleans(),
    approved=st.booleans(),
    key=st.none() | st.integers(1, 9),
)
rules = st.builds(
    Rule,
    id=filled,
    label=filled,
    pattern=filled,
    pack=filled,
    position=st.integers(0, 2**62),
    weight=st.floats(-1e9, 1e9),
    confidence=st.none() | unit,
    unless=maybe,
    purpose=st.sampled_from(RulePurpose),
    enabled=st.booleans(),
)
answers = st.lists(filled.filter(lambda word: word not in ("oos", "none", "None")), max_size=3, unique=True).map(tuple)
cases = st.builds(Case, text=filled, expected=answers, task=st.sampled_from([task for task in Task if task != "type"]))

STRATEGIES: dict[FileKind, st.SearchStrategy[Item]] = {
    FileKind.MEMORIES: memories,
    FileKind.POWERS: powers,
    FileKind.RULES: rules,
    FileKind.CASES: cases,
}


def as_read(item: Item) -> Item:
    """Return the item as read from a file: without keys, approvals and secret values."""
    if not isinstance(item, Power):
        return item
    transport = replace(item.transport, env=dict.fromkeys(item.transport.env, ""))
    return replace(item, approved=False, key=None, transport=transport)
