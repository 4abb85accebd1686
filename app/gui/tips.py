"""Text from outside in places where Qt would guess at markup."""

from __future__ import annotations

import html

from PySide6.QtWidgets import QWidget


def plain_tip(text: str) -> str:
    """A tooltip that shows the text as it is: wrapped where it is long, never read as markup. "" stays none."""
    return f'<p style="white-space: pre-wrap">{html.escape(text)}</p>' if text else ""


def explain(widget: QWidget, text: str) -> None:
    """Give a widget a tooltip that is read aloud as it is: Qt would read the markup of the tooltip."""
    widget.setToolTip(plain_tip(text))
    widget.setAccessibleDescription(text)
