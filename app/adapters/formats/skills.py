"""Reader of assistants' skills (SKILL.md, agents, rules).

They become powers without a server, with steering text.
"""

from __future__ import annotations

from pathlib import Path

from app.adapters.formats.documents import Found, text_in
from app.adapters.formats.markdown_texts import MarkdownReader, words_in
from app.adapters.formats.record_names import is_off
from app.adapters.formats.records import ItemKind, RefusedError, power_of
from app.adapters.formats.syntax.front_matter import MarkdownText
from app.domain.library import Line, Problem

FILE = "skill.md"
RULES = ".mdc"
GRANTED = ("allowed-tools", "allowedTools", "permissionMode", "hooks")
"""Fields that grant permissions; imported items get none."""

BESIDE = 1_000


def fits(text: MarkdownText) -> bool:
    """Return whether a file is a skill by its name, or by name and description."""
    if text.path is not None and is_skill_file(text.path):
        return True
    return text_in(text.head.get("description")) is not None and text_in(text.head.get("name")) is not None


def is_skill_file(path: Path) -> bool:
    """Return whether a file is a skill by file name: SKILL.md, or a rule of Cursor."""
    return path.name.lower() == FILE or path.suffix.lower() == RULES


def items(text: MarkdownText) -> Found:
    """Yield the skill as a power, without approval or permissions."""
    head, name = text.head, text_in(text.head.get("name")) or _name_of(text.path)
    steering = text.body.strip()
    if not steering:
        yield Problem(text.line, f"The skill “{name[:60]}” has no text below its front matter.")
        return
    record = {
        "name": name,
        "description": text_in(head.get("description")) or text.heading,
        "keywords": words_in(head.get("keywords")) or words_in(head.get("tags")),
        "examples": words_in(head.get("examples")),
        "steering": steering,
        "paused": is_off({field: node.plain() for field, node in head.members()}) or None,
    }
    try:
        yield Line(1, power_of(record), _note(text, name))
    except RefusedError as refused:
        yield Problem(1, f"The skill “{name[:60]}”: {refused}")


def _name_of(path: Path | None) -> str:
    """Return the name of the file or its folder, for a skill without a name."""
    if path is None:
        return "skill"
    return path.resolve().parent.name if path.name.lower() == FILE else path.stem


def _note(text: MarkdownText, name: str) -> str:
    granted = [field for field in GRANTED if text.head.get(field) is not None]
    notes = [f"its permissions ({', '.join(granted)}) are not taken over"] if granted else []
    if text.path is not None and text.path.name.lower() == FILE and (count := _beside(text.path)):
        are = "file beside it is" if count == 1 else "files beside it are"
        notes.append(f"{count} {are} not taken over, though its text may name them")
    return f"{name[:60]}: {'; '.join(notes)}." if notes else ""


def _beside(path: Path) -> int:
    """Count the other files in the skill's folder, without hidden ones and other skills."""
    try:
        names = [one.name for one in path.parent.iterdir() if not (one / "SKILL.md").is_file()]
    except OSError:
        return 0
    return sum(not name.startswith(".") and name != path.name for name in names[:BESIDE])


SKILLS = MarkdownReader("Skills", ItemKind.POWERS, fits, items)
