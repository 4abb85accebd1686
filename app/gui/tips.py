"""Text from outside in places where Qt would guess at markup."""

from __future__ import annotations

import html


def plain_tip(text: str) -> str:
    """A tooltip that shows the text as it is: wrapped where it is long, never read as markup. "" stays none."""
    return f'<p style="white-space: pre-wrap">{html.escape(text)}</p>' if text else ""
