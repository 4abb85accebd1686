"""Text of a document by line, for tests."""

import re
from typing import cast

from PySide6.QtGui import QTextCursor

from app.gui.kit.document import DocumentView

_READ = {0xFFFC: None, 0xA0: " ", 0x2028: " "}
_TABS = re.compile(r"\s*\t\s*")


def read_rows(view: DocumentView) -> str:
    """Return the text of a document; the cells of a table's row are one line."""
    lines: list[str] = []
    before: tuple[int, int] | None = None
    block = view.document().begin()
    while block.isValid():
        cursor = QTextCursor(block)
        table = cursor.currentTable()
        text = _TABS.sub(" ", block.text().translate(_READ)).strip()
        row = (table.firstPosition(), table.cellAt(cursor).row()) if cast("object", table) else None
        if row is not None and row == before:
            lines[-1] = f"{lines[-1]} {text}".strip()
        else:
            lines.append(text)
        before, block = row, block.next()
    return "\n".join(filter(None, lines))
