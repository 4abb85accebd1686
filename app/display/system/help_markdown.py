"""Parser of the help's Markdown, and its HTML for a text widget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_FENCE = "```"
_HEADING = re.compile(r"(#{1,3}) (.+)")
_POINT = re.compile(r"( *)(?:[-*]|\d+\.) +(.+)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_CELL_END = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True, slots=True)
class Heading:
    """Title; `level` is 1 for the page's title."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text with inline marks."""

    text: str


@dataclass(frozen=True, slots=True)
class BulletList:
    """List; each point has a depth from 0 and a text with inline marks."""

    points: tuple[tuple[int, str], ...]
    are_numbered: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Headings, right-aligned columns, and rows of as many cells."""

    heads: tuple[str, ...]
    at_right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Verbatim lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Image file beside the page, and its description."""

    file: str
    words: str


Block = Heading | Paragraph | BulletList | Table | Code | Picture


def blocks(markdown: str) -> list[Block]:
    """Parse a page into blocks; unknown forms become paragraphs."""
    lines = markdown.splitlines()
    found: list[Block] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
            continue
        block, place = _block(lines, place)
        found.append(block)
    return found


def _block(lines: Sequence[str], place: int) -> tuple[Block, int]:
    """Parse the block at this line; return it and the next line."""
    line = lines[place]
    if line.startswith(_FENCE):
        end = next((n for n in range(place + 1, len(lines)) if lines[n].startswith(_FENCE)), len(lines))
        return Code("\n".join(lines[place + 1 : end])), end + 1
    if heading := _HEADING.fullmatch(line):
        return Heading(len(heading[1]), heading[2].strip()), place + 1
    if picture := _PICTURE.fullmatch(line.strip()):
        return Picture(picture[2], picture[1]), place + 1
    if _is_table(lines, place):
        end = next((n for n in range(place, len(lines)) if not lines[n].startswith("|")), len(lines))
        return _table(lines[place:end]), end
    end = next((n for n in range(place + 1, len(lines)) if _begins_another(lines, n)), len(lines))
    if _POINT.fullmatch(line):
        while end < len(lines) and _POINT.fullmatch(lines[end]):
            end = next((n for n in range(end + 1, len(lines)) if _begins_another(lines, n)), len(lines))
        return _points(lines[place:end]), end
    return Paragraph(" ".join(part.strip() for part in lines[place:end])), end


def _begins_another(lines: Sequence[str], place: int) -> bool:
    line = lines[place]
    return bool(not line.strip() or line.startswith((_FENCE, "#")) or _POINT.fullmatch(line) or _is_table(lines, place))


def _is_table(lines: Sequence[str], place: int) -> bool:
    rule = lines[place + 1] if place + 1 < len(lines) else ""
    return lines[place].startswith("|") and rule.startswith("|") and all(map(_RULE.fullmatch, _cells(rule)))


def _cells(line: str) -> list[str]:
    cells = _CELL_END.split(line.strip().removeprefix("|").removesuffix("|"))
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _table(lines: Sequence[str]) -> Table:
    heads, rules, *rows = map(_cells, lines)
    wide = len(heads)
    filled = (tuple((row + [""] * wide)[:wide]) for row in rows)
    return Table(tuple(heads), tuple(rule.endswith(":") for rule in rules), tuple(filled))


def _points(lines: Sequence[str]) -> BulletList:
    points: list[tuple[int, str]] = []
    for line in lines:
        if point := _POINT.fullmatch(line):
            points.append((len(point[1]) // 2, point[2]))
        else:
            depth, text = points.pop()
            points.append((depth, f"{text} {line.strip()}"))
    return BulletList(tuple(points), lines[0].lstrip()[0].isdigit())


# ---- inline marks


@dataclass(frozen=True, slots=True)
class Span:
    """Span of text: its words, its marks, and its link, if any."""

    text: str
    is_code: bool = False
    is_strong: bool = False
    is_stressed: bool = False
    link: str = ""


_MARK = re.compile(
    r"(?P<fence>`+)(?P<code>.+?)(?<!`)(?P=fence)(?!`)"
    r"|\*\*(?P<strong>.+?)\*\*"
    r"|(?<![\w*])\*(?P<stressed>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])"
    r"|!?\[(?P<words>(?:`[^`]*`|[^\]`])*)\]\((?P<link>[^)\s]+)\)"
    r"|\\(?P<sign>[\\`*_\[\]<>|#~&])"
)


def spans(text: str) -> Iterator[Span]:
    """Parse a text into spans; marks may be nested."""
    end = 0
    for mark in _MARK.finditer(text):
        if mark.start() > end:
            yield Span(text[end : mark.start()])
        end = mark.end()
        if mark["code"] is not None:
            yield Span(mark["code"].strip(), is_code=True)
        elif mark["sign"] is not None:
            yield Span(mark["sign"])
        else:
            yield from _inside(mark)
    if end < len(text):
        yield Span(text[end:])


def _inside(mark: re.Match[str]) -> Iterator[Span]:
    words = next(part for name in ("strong", "stressed", "words") if (part := mark[name]) is not None)
    for span in spans(words):
        yield Span(
            span.text,
            span.is_code,
            span.is_strong or mark["strong"] is not None,
            span.is_stressed or mark["stressed"] is not None,
            mark["link"] or span.link,
        )


def plain(text: str) -> str:
    """Return a text without its marks."""
    return "".join(span.text for span in spans(text))


def slug(title: str) -> str:
    """Return the anchor of a heading: lower case, words joined by hyphens."""
    kept = re.sub(r"[^\w\s.-]", "", plain(title).casefold())
    return re.sub(r"[\s.]+", "-", kept.strip())


# ---- Help page as HTML for a text widget, in the current colours and sizes.


@dataclass(frozen=True, slots=True)
class PageStyle:
    """Style of a page: fonts, `scale` of pixel sizes, colours as hex, image widths in pixels.

    `outline` is set in high contrast, where soft fills become lines.
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
"""Headings by level: text size, weight, and space above and below, in units."""

_BODY, _SMALL, _LEADING = 13, 12, 145


def as_html(markdown: str, form: PageStyle) -> str:
    """Render the page; headings have anchors, images the widths of the style."""
    parts = [_block_html(block, form) for block in blocks(markdown)]
    body = f"font-family:'{escape(form.sans)}'; font-size:{form.px(_BODY)}px; color:{form.text}"
    return f'<html><body style="{body}">{"".join(parts)}</body></html>'


def _block_html(block: Block, form: PageStyle) -> str:
    match block:
        case Heading(level, text):
            size, weight, above, below = SIZES[level]
            style = (
                f"font-size:{form.px(size)}px; font-weight:{weight}; "
                f"margin-top:{form.px(above)}px; margin-bottom:{form.px(below)}px"
            )
            # No <h1>: its own enlargement would add to the size.
            return f'<p style="{style}"><a name="{escape(slug(text))}"></a>{_inline(text, form)}</p>'
        case Paragraph(text):
            return f'<p style="{_spaced(form, 0, 10)}">{_inline(text, form)}</p>'
        case BulletList(points, are_numbered):
            return _points_html(points, are_numbered, form)
        case Table():
            return _table_html(block, form)
        case Code(text):
            return _code(text, form)
        case Picture(file, words):
            width = (form.pictures or {}).get(file)
            wide = f' width="{width}"' if width else ""
            around = f"margin-top:{form.px(6)}px; margin-bottom:{form.px(14)}px"
            return f'<p style="{around}"><img src="{escape(file)}" alt="{escape(words)}"{wide}></p>'


def _spaced(form: PageStyle, above: float, below: float) -> str:
    return f"margin-top:{form.px(above)}px; margin-bottom:{form.px(below)}px; line-height:{_LEADING}%"


def _points_html(points: tuple[tuple[int, str], ...], are_numbered: bool, form: PageStyle) -> str:
    kind = "ol" if are_numbered else "ul"
    parts, deep = [f'<{kind} style="margin-top:0px; margin-bottom:{form.px(8)}px">'], 0
    for depth, text in points:
        parts += ["<ul>"] * (depth - deep) + ["</ul>"] * (deep - depth)
        deep = depth
        parts.append(f'<li style="{_spaced(form, 0, 3)}">{_inline(text, form)}</li>')
    return "".join([*parts, "</ul>" * deep, f"</{kind}>"])


def _table_html(table: Table, form: PageStyle) -> str:
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


def _code(text: str, form: PageStyle) -> str:
    border = form.outline or form.fill
    cell = f"background-color:{form.fill}; padding:{form.px(10)}px {form.px(12)}px; border:1px solid {border}"
    pre = f"font-family:'{escape(form.mono)}'; font-size:{form.px(_SMALL)}px; white-space:pre-wrap; margin:0px"
    table = f"margin-top:{form.px(2)}px; margin-bottom:{form.px(14)}px; border-collapse:collapse"
    return (
        f'<table border="0" cellspacing="0" width="100%" style="{table}"><tr><td style="{cell}">'
        f'<pre style="{pre}">{escape(text)}</pre></td></tr></table>'
    )


def _inline(text: str, form: PageStyle) -> str:
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
