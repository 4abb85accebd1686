"""Safe YAML: only texts, lists and objects, within limits for tags, aliases and depth."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from app.adapters.formats.syntax.trees import Builder, Node
from app.domain.errors import FormatError

LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Loader, in C if available; only its events are used, so that no objects are constructed."""

DUMPER: type = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "seq", "map"))
MERGE, FOLDED = "<<", ">"
MAX_DOCUMENTS = 10_000


def parse_all(text: str, most: int | None = None) -> Iterator[Node]:
    """Yield every document of a file; raises FormatError with the line of the fault.

    All values but empty ones are texts, so that an example “no” stays a word. With `most`, only about that many
    events, as if all that is open ended there.
    """
    builder = _Builder()
    count = 0
    try:
        for taken, event in enumerate(yaml.parse(text, Loader=LOADER)):
            if most is not None and taken >= most and builder.inside and not builder.is_named:
                yield builder.cut()
                return
            builder.take(event)
            if isinstance(event, yaml.DocumentEndEvent) and builder.root is not None:
                count += 1
                if count > MAX_DOCUMENTS:
                    raise FormatError(f"The file holds more than {MAX_DOCUMENTS:,} documents.")
                yield builder.root
                builder.restart()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise FormatError(f"Line {line:,} is not valid YAML: {error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise FormatError(f"The file is not valid YAML: {str(error).splitlines()[0]}.") from None


def written(value: object) -> str:
    """Format a value of lists, objects, texts, numbers and booleans as YAML, in order."""
    text: str = yaml.dump(value, Dumper=DUMPER, allow_unicode=True, sort_keys=False, width=2**20)
    return text


class _Builder(Builder):
    """Builder of nodes from events, with one limit for all documents."""

    def __init__(self) -> None:
        super().__init__()
        self._anchors: dict[str, Node] = {}
        self.is_named = False

    def restart(self) -> None:
        self.root = None
        self._anchors.clear()

    def take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.NodeEvent):
            self._take_node(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.close()
            self.is_named = False

    def _take_node(self, event: yaml.NodeEvent, line: int) -> None:
        tag = getattr(event, "tag", None)
        if tag not in (None, "!") and tag not in PLAIN_TAGS:
            raise FormatError(
                f"Line {line:,}: the tag “{str(tag)[:60]}” is not read; only texts, lists and objects are."
            )
        if isinstance(event, yaml.ScalarEvent) and self._wants_name():
            self.name(event.value, line)
            self.is_named = True
            return
        if self._wants_name():
            raise FormatError(f"Line {line:,}: a name has to be a text.")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise FormatError(f"Line {line:,}: the alias “{event.anchor[:60]}” stands for nothing, or for itself.")
            self.repeat(self._anchors[event.anchor], line)
            node = None
        elif isinstance(event, yaml.ScalarEvent):
            # A block begins after its mark.
            node = self.add(_value(event), line + 1 if event.style in ("|", FOLDED) else line)
            node.word = event.value if node.value is None and event.value != "~" else FOLDED * (event.style == FOLDED)
        else:
            node = self.open([] if isinstance(event, yaml.SequenceStartEvent) else {}, line)
        self.is_named = False
        if node is not None and event.anchor is not None:
            self._anchors[event.anchor] = node

    def close(self) -> None:
        """End the open list or object; “<<” merges others into it, without its own members."""
        members, merged = self._open[-1].value, self._open[-1].get(MERGE)
        sources = [] if merged is None else [*merged.items()] or [merged]
        if sources and all(isinstance(source.value, dict) for source in sources):
            del members[MERGE]
            for source in sources:
                for name, held in source.members():
                    members.setdefault(name, held)
        super().close()

    def _wants_name(self) -> bool:
        return self.inside is not None and isinstance(self.inside.value, dict) and not self.is_named

    def repeat(self, node: Node, line: int) -> None:
        """Add a value that was built before; raises FormatError if it would contain itself."""
        if any(opened is node for opened in self._open):
            raise FormatError(f"Line {line:,}: an alias stands for something that it is part of.")
        super().repeat(node, line)


def _value(event: yaml.ScalarEvent) -> str | None:
    is_plain = event.style in (None, "") and event.tag is None
    return None if is_plain and event.value in NULLS else event.value
