"""Rule packs, shipped and exported: one TOML file per pack."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.toml_documents import document_of
from app.domain.errors import FormatError
from app.domain.intent import Rule, RulePurpose


def read_pack(path: Path) -> list[Rule]:
    """Read the rules of one pack, in order; raises FormatError with a sentence if invalid."""
    try:
        table = document_of(whole_text(path))
        name, purpose = table["pack"]["name"], RulePurpose(table["pack"]["purpose"])
        return [
            Rule(
                id=row["id"],
                label=row["label"],
                pattern=row["pattern"],
                pack=name,
                position=position,
                weight=float(row.get("weight", 1.0)),
                confidence=row.get("confidence"),
                unless=row.get("unless"),
                purpose=purpose,
                enabled=row.get("enabled", True),
            )
            for position, row in enumerate(table["rule"])
        ]
    except FormatError as error:
        raise FormatError(f"The rule pack {path} cannot be read. {error}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"The rule pack {path.name} is not of the form of a pack: {error}.") from error


def read_packs(folder: Path) -> list[Rule]:
    """Read the rules of every pack in a folder, by file name."""
    return [rule for path in sorted(folder.glob("*.toml")) for rule in read_pack(path)]


def pack_text(name: str, title: str, rules: Iterable[Rule]) -> str:
    """Format a pack as text that reads back as the same rules in order.

    Raises FormatError for rules of several purposes, or none.
    """
    rules = list(rules)
    purposes = {rule.purpose for rule in rules}
    if len(purposes) != 1:
        what = "has no rules" if not purposes else "has rules of several purposes"
        raise FormatError(f"The pack “{name}” {what}, so it cannot be written as one file.")
    head = [
        "[pack]",
        f"name = {_quoted(name)}",
        f"title = {_quoted(title)}",
        f"purpose = {_quoted(purposes.pop().value)}",
    ]
    return "\n".join([*head, *(line for rule in rules for line in _rule_lines(rule))]) + "\n"


class TomlPacks:
    """Reader and writer of packs as TOML files."""

    def read(self, path: Path) -> list[Rule]:
        """Read the rules of one file; raises FormatError."""
        return read_pack(path)

    def text(self, name: str, title: str, rules: Iterable[Rule]) -> str:
        """Format the text of one file; raises FormatError."""
        return pack_text(name, title, rules)


def _rule_lines(rule: Rule) -> list[str]:
    lines = ["", "[[rule]]", f"id = {_quoted(rule.id)}", f"label = {_quoted(rule.label)}"]
    lines.append(f"pattern = {_quoted(rule.pattern)}")
    if rule.unless is not None:
        lines.append(f"unless = {_quoted(rule.unless)}")
    lines.append(f"weight = {rule.weight!r}")
    if rule.confidence is not None:
        lines.append(f"confidence = {rule.confidence!r}")
    return lines if rule.enabled else [*lines, "enabled = false"]


def _quoted(text: str) -> str:
    """Quote a TOML string, in apostrophes if possible, so that patterns stay readable."""
    if "'" not in text and all(character.isprintable() for character in text):
        return f"'{text}'" if "\\" in text or '"' in text else f'"{text}"'
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    shown = (escapes.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in text)
    return f'"{"".join(shown)}"'
