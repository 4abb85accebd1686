"""Help page as a Qt document: its Markdown, its sections for the search, and its typography."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextImageFormat,
    QTextTable,
    QTextTableCellFormat,
)

from app.display.system.help_pages import Section, slug
from app.gui.kit.theme.theme import Theme

_MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_HEADINGS = {1: (20, 0, 10), 2: (15, 24, 6), 3: (13, 16, 4)}
"""Headings by level: text size, and space above and below, in units."""

_BODY, _SMALL, _LEADING, _STRONG = 13, 12, 145.0, 650
_AFTER, _CODE, _CELL, _BETWEEN = 14, 12, 5, 16
"""Spaces in units: below a table or code, inside code, above and below a cell, beside it."""

_KEEP = QTextCursor.MoveMode.KeepAnchor


def parse(markdown: str) -> QTextDocument:
    """Parse a page."""
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setMarkdown(markdown, _MARKDOWN)
    cursor = document.find("\\|")  # Qt leaves the backslash in a table's code
    while not cursor.isNull():
        if cursor.currentTable() is not None:
            cursor.insertText("|", cursor.charFormat())
        cursor = document.find("\\|", cursor)
    return document


def sections(page: str, markdown: str) -> list[Section]:
    """Split a page by its headings, without empty sections."""
    found: list[Section] = []
    page_title = title = anchor = ""
    parts: list[str] = []
    document = parse(markdown)
    for block in (*_blocks(document), QTextBlock()):
        level = block.blockFormat().headingLevel()
        if block.isValid() and not level:
            parts += block.text().replace("\N{OBJECT REPLACEMENT CHARACTER}", "").split()
            continue
        if parts:
            found.append(Section(page, page_title, title, anchor, " ".join(parts)))
        title, parts = block.text(), []
        page_title, anchor = (title, "") if level == 1 else (page_title, slug(title))
    return found


def typeset(document: QTextDocument, theme: Theme, widths: Mapping[str, int]) -> None:
    """Set fonts, colours, spaces and anchors; `widths` are those of the pictures, in pixels."""
    for table in document.rootFrame().childFrames():
        if isinstance(table, QTextTable):
            _set_table(table, theme)
    codes: list[tuple[int, int]] = []
    for block in _blocks(document):
        cursor = QTextCursor(block)
        for run in block.textFormats():
            cursor.setPosition(block.position() + run.start)
            cursor.setPosition(block.position() + run.start + run.length, _KEEP)
            cursor.setCharFormat(_char_format(run.format, block, theme, widths))
        cursor.setPosition(block.position())
        cursor.setBlockFormat(_block_format(block, theme, in_table=cursor.currentTable() is not None))
        if _is_code(block):
            start = codes.pop()[0] if _is_code(block.previous()) else block.position()
            codes.append((start, block.position() + block.length() - 1))
    for start, end in reversed(codes):
        _set_code(document, start, end, theme)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def _char_format(form: QTextCharFormat, block: QTextBlock, theme: Theme, widths: Mapping[str, int]) -> QTextCharFormat:
    """Return the format of a text of a block, or of a picture."""
    if form.isImageFormat():
        picture = QTextImageFormat(form.toImageFormat())
        if picture.name() in widths:
            picture.setWidth(widths[picture.name()])
        return picture
    made = QTextCharFormat()
    level = block.blockFormat().headingLevel()
    size = _HEADINGS.get(level, (_BODY,))[0]
    table = cast("QTextTable | None", QTextCursor(block).currentTable())
    is_head = table is not None and table.cellAt(block.position()).row() < table.format().headerRowCount()
    if is_head:
        size = _SMALL
        made.setForeground(theme.color("text_2"))
    if level:
        made.setAnchor(True)
        made.setAnchorNames([slug(block.text())])
    if form.fontFixedPitch() or _is_code(block):
        size = min(size, _SMALL)
        made.setFontFamilies([theme.mono])
        if not _is_code(block) and not theme.is_high_contrast:
            made.setBackground(theme.color("sunken"))
    elif level or is_head or form.fontWeight() > _STRONG - 50:
        made.setFontWeight(600 if is_head else _STRONG)
    made.setProperty(QTextFormat.Property.FontPixelSize, theme.px(size))
    made.setFontItalic(form.fontItalic())
    if form.anchorHref():
        made.setAnchor(True)
        made.setAnchorHref(form.anchorHref())
        made.setForeground(theme.color("accent"))
        made.setFontUnderline(True)
    return made


def _block_format(block: QTextBlock, theme: Theme, *, in_table: bool) -> QTextBlockFormat:
    """Return the format of a block: its spaces in pixels, and its leading."""
    form = block.blockFormat()
    above, below = 0, 10
    if in_table or _is_code(block) or not block.text():
        below = 0
    elif _is_code(block.next()):
        below = 2
    elif block.textList() is not None:
        below = 3 if block.next().textList() is not None else 8
    if form.headingLevel():
        _, above, below = _HEADINGS.get(form.headingLevel(), (_BODY, 0, 4))
    elif below and block.text() != "\N{OBJECT REPLACEMENT CHARACTER}":
        form.setLineHeight(_LEADING, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    form.setNonBreakableLines(False)
    form.setTopMargin(theme.px(above))
    form.setBottomMargin(theme.px(below))
    return form


def _set_table(table: QTextTable, theme: Theme) -> None:
    """Set a line below each row; a row of empty headings goes."""
    form = table.format()
    form.setBorder(0)
    form.setBorderCollapse(True)
    form.setCellSpacing(0)
    form.setCellPadding(0)
    form.setBottomMargin(theme.px(_AFTER))
    columns = range(table.columns())
    has_heads = any(table.cellAt(0, column).firstCursorPosition().block().text() for column in columns)
    form.setHeaderRowCount(int(has_heads))
    table.setFormat(form)
    if not has_heads:
        table.removeRows(0, 1)
    cell_form = QTextTableCellFormat()
    cell_form.setTopPadding(theme.px(_CELL))
    cell_form.setBottomPadding(theme.px(_CELL))
    cell_form.setRightPadding(theme.px(_BETWEEN))
    cell_form.setBottomBorder(1)
    cell_form.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    cell_form.setBottomBorderBrush(theme.color("border"))
    for row in range(table.rows()):
        for column in columns:
            table.cellAt(row, column).setFormat(cell_form)


def _set_code(document: QTextDocument, start: int, end: int, theme: Theme) -> None:
    """Put the lines of code on a ground of their own."""
    form = QTextFrameFormat()
    form.setPadding(theme.px(_CODE))
    form.setBottomMargin(theme.px(_AFTER))
    form.setBackground(theme.color("surface" if theme.is_high_contrast else "sunken"))
    form.setBorder(1)
    form.setBorderBrush(theme.color("border" if theme.is_high_contrast else "sunken"))
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, _KEEP)
    frame = cursor.insertFrame(form)
    nothing = QTextBlockFormat()  # of the empty line that Qt puts before and after a frame
    nothing.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    for position in (frame.firstPosition() - 1, frame.lastPosition() + 1):
        cursor.setPosition(position)
        cursor.setBlockFormat(nothing)
