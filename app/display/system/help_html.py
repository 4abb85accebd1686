"""A page of the help as the HTML that a text widget draws, in the colours and sizes that are in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from app.display.system.help_markdown import (
    Block,
    Code,
    Heading,
    Paragraph,
    Picture,
    Points,
    Table,
    blocks,
    slug,
    spans,
)


@dataclass(frozen=True, slots=True)
class Print:
    """How a page is set: families, sizes in pixels by `scale`, colours as hexadecimal names, picture widths in pixels.

    `outline` is set in high contrast, where a soft fill is a line instead.
    """

    sans: str
    mono: str
    scale: float
    text: str
    quiet: str
    accent: str
    fill: str
    line: str
    outline: str = ""
    pictures: Mapping[str, int] | None = None

    def px(self, units: float) -> int:
        return round(units * self.scale)


SIZES = {1: (20, 650, 0, 10), 2: (15, 650, 24, 6), 3: (13, 650, 16, 4)}
"""Of headings by level: text height, weight, and what is free above and below, in units."""

_BODY, _SMALL, _LEADING = 13, 12, 145


def as_html(markdown: str, form: Print) -> str:
    """The page; headings have anchors, pictures the widths that the form gives them."""
    parts = [_block(block, form) for block in blocks(markdown)]
    body = f"font-family:'{escape(form.sans)}'; font-size:{form.px(_BODY)}px; color:{form.text}"
    return f'<html><body style="{body}">{"".join(parts)}</body></html>'


def _block(block: Block, form: Print) -> str:
    match block:
        case Heading(level, text):
            size, weight, above, below = SIZES[level]
            style = (
                f"font-size:{form.px(size)}px; font-weight:{weight}; "
                f"margin-top:{form.px(above)}px; margin-bottom:{form.px(below)}px"
            )
            # No <h1>: its own enlargement would come on top of the size.
            return f'<p style="{style}"><a name="{escape(slug(text))}"></a>{_inline(text, form)}</p>'
        case Paragraph(text):
            return f'<p style="{_spaced(form, 0, 10)}">{_inline(text, form)}</p>'
        case Points(points, are_numbered):
            return _points(points, are_numbered, form)
        case Table():
            return _table(block, form)
        case Code(text):
            return _code(text, form)
        case Picture(file, words):
            width = (form.pictures or {}).get(file)
            wide = f' width="{width}"' if width else ""
            around = f"margin-top:{form.px(6)}px; margin-bottom:{form.px(14)}px"
            return f'<p style="{around}"><img src="{escape(file)}" alt="{escape(words)}"{wide}></p>'


def _spaced(form: Print, above: float, below: float) -> str:
    return f"margin-top:{form.px(above)}px; margin-bottom:{form.px(below)}px; line-height:{_LEADING}%"


def _points(points: tuple[tuple[int, str], ...], are_numbered: bool, form: Print) -> str:
    kind = "ol" if are_numbered else "ul"
    parts, deep = [f'<{kind} style="margin-top:0px; margin-bottom:{form.px(8)}px">'], 0
    for depth, text in points:
        parts += ["<ul>"] * (depth - deep) + ["</ul>"] * (deep - depth)
        deep = depth
        parts.append(f'<li style="{_spaced(form, 0, 3)}">{_inline(text, form)}</li>')
    return "".join([*parts, "</ul>" * deep, f"</{kind}>"])


def _table(table: Table, form: Print) -> str:
    pad = f"padding:{form.px(5)}px {form.px(16)}px {form.px(5)}px 0px; border-bottom:1px solid {form.line}"
    sides = ["right" if at_right else "left" for at_right in table.at_right]
    head = f"{pad}; font-size:{form.px(_SMALL)}px; font-weight:600; color:{form.quiet}"
    rows = [
        "".join(
            f'<th align="{side}" style="{head}">{_inline(cell, form)}</th>'
            for cell, side in zip(table.heads, sides, strict=True)
        )
    ] * any(table.heads)
    rows += [
        "".join(
            f'<td align="{side}" valign="top" style="{pad}">{_inline(cell, form)}</td>'
            for cell, side in zip(row, sides, strict=True)
        )
        for row in table.rows
    ]
    lines = "".join(f"<tr>{row}</tr>" for row in rows)
    style = f"border-collapse:collapse; margin-top:{form.px(2)}px; margin-bottom:{form.px(14)}px"
    return f'<table border="0" cellspacing="0" cellpadding="0" style="{style}">{lines}</table>'


def _code(text: str, form: Print) -> str:
    border = form.outline or form.fill
    cell = f"background-color:{form.fill}; padding:{form.px(10)}px {form.px(12)}px; border:1px solid {border}"
    pre = f"font-family:'{escape(form.mono)}'; font-size:{form.px(_SMALL)}px; white-space:pre-wrap; margin:0px"
    table = f"margin-top:{form.px(2)}px; margin-bottom:{form.px(14)}px; border-collapse:collapse"
    return (
        f'<table border="0" cellspacing="0" width="100%" style="{table}"><tr><td style="{cell}">'
        f'<pre style="{pre}">{escape(text)}</pre></td></tr></table>'
    )


def _inline(text: str, form: Print) -> str:
    parts = []
    for span in spans(text):
        words = escape(span.text)
        if span.is_code:
            style = f"font-family:'{escape(form.mono)}'; font-size:{form.px(_SMALL)}px"
            if not form.outline:
                style += f"; background-color:{form.fill}"
            words = f'<span style="{style}">{words}</span>'
        if span.is_strong:
            words = f'<span style="font-weight:650">{words}</span>'
        if span.is_stressed:
            words = f"<i>{words}</i>"
        if span.link:
            words = f'<a href="{escape(span.link)}" style="color:{form.accent}">{words}</a>'
        parts.append(words)
    return "".join(parts)
