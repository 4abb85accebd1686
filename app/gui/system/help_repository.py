"""Help pages: files read off the GUI thread, generated pages, and their HTML."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt, Signal, qVersion
from PySide6.QtGui import (
    QImage,
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

from app.display.system.help_pages import (
    Package,
    Section,
    about_markdown,
    licence_markdown,
    licences_markdown,
    slug,
)
from app.gui.kit.theme import Theme

if TYPE_CHECKING:
    from app.gui.kit.page import CoreState


_MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_HEADINGS = {1: (20, 0, 10), 2: (15, 24, 6), 3: (13, 16, 4)}
"""Headings by level: text size, and space above and below, in units."""

_BODY, _SMALL, _LEADING, _STRONG = 13, 12, 145.0, 650
_AFTER, _CODE, _CELL, _BETWEEN = 14, 12, 5, 16
"""Spaces in units: below a table or code, inside code, above and below a cell, beside it."""

_KEEP = QTextCursor.MoveMode.KeepAnchor


def parse(markdown: str) -> QTextDocument:
    document = QTextDocument(undoRedoEnabled=False)
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


# ---- Information on this program and its packages, on request and off the GUI thread.


OURS = "intentscope"
LICENCE, REPORT = "licence:", "do:report"
"""Links to the licence of a package, and to a report."""

BUNDLED = Path(sys.executable).parent / "LICENCES.txt"
"""Licence file of a bundle, beside the program."""

FONTS = {
    "Inter": (Package("Inter", "4.1", "OFL-1.1"), "Inter-OFL.txt"),
    "JetBrains-Mono": (Package("JetBrains-Mono", "2.242", "OFL-1.1"), "JetBrainsMono-OFL.txt"),
}
"""Shipped fonts, each with its licence file."""

_ROOT = Path(__file__).resolve().parents[3]
_NAME = re.compile(r"[\w.-]+")
_TEXTS = ("licen", "copying", "notice", "authors")
_RULE = "=" * 100


def about_page(core_state: CoreState | None, profile: Path | None) -> str:
    encoder, counts = ("", {}) if core_state is None else (core_state.status.encoder, core_state.status.counts)
    runs_on = f"Python {platform.python_version()}, Qt {qVersion()}"
    return about_markdown(version(OURS), runs_on, str(profile or ""), encoder, counts, REPORT)


def licences_page(bundled: Path = BUNDLED) -> str:
    """Return the table of licences as Markdown: from the bundle's file, or installed packages."""
    found = listed(bundled.read_text("utf-8")) if bundled.is_file() else installed()
    return licences_markdown(found, LICENCE)


def licence_page(name: str, bundled: Path = BUNDLED) -> str:
    """Return the licence texts of one package, as Markdown."""
    if name.casefold() == OURS:
        return licence_markdown(name, [(_ROOT / "LICENSE").read_text("utf-8").strip()])
    if name in FONTS:
        return licence_markdown(name, [(_ROOT / "resources" / "fonts" / FONTS[name][1]).read_text("utf-8").strip()])
    if bundled.is_file():
        return licence_markdown(name, texts_in(bundled.read_text("utf-8"), name))
    try:
        return licence_markdown(name, texts_of(distribution(name)))
    except PackageNotFoundError:
        return licence_markdown(name, [])


# ---- in a bundle


def listed(text: str) -> list[Package]:
    """Parse the table of a bundle's licence file: name (44 characters), version (14), licence."""
    table = text.split("\n\n")[1] if text.count("\n\n") else ""
    return [Package(row[:44].strip(), row[44:58].strip(), row[58:].strip()) for row in table.splitlines()]


def texts_in(text: str, name: str) -> list[str]:
    """Return the licence texts of a package in a bundle's file, below its name between rules."""
    parts = text.split(f"\n{_RULE}\n")[1:]
    heads, bodies = parts[::2], parts[1::2]
    return [body.strip() for head, body in zip(heads, bodies, strict=False) if head.split(" ")[0] == name]


# ---- in an environment


def installed() -> list[Package]:
    """Return the installed dependencies of the program, transitively."""
    found: dict[str, Distribution] = {}
    waiting = [OURS]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or an extra that is not installed
        waiting += [_needed(line) for line in found[name].requires or () if "extra ==" not in line]
    packages = {name: Package(one.name, one.version, stated(one)) for name, one in found.items()}
    packages |= {name.lower(): font for name, (font, _) in FONTS.items()}
    return [one for _, one in sorted(packages.items())]


def _needed(line: str) -> str:
    name = _NAME.match(line)
    return re.sub(r"[-_.]+", "-", name.group()).lower() if name else ""


def stated(package: Distribution) -> str:
    """Return a package's declared licence: an expression, a classifier, or its first line."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classes = [c.split(" :: ")[-1] for c in metadata.get_all("Classifier") or () if c.startswith("License ::")]
    if classes:
        return ", ".join(classes)
    lines = metadata["License"].strip().splitlines() if "License" in metadata else []
    return lines[0][:100] if lines else "not stated"


def texts_of(package: Distribution) -> list[str]:
    """Return the texts of a package's licence files."""
    files = [one for one in package.files or () if ".dist-info" in str(one) and one.name.lower().startswith(_TEXTS)]
    return [one.read_text(encoding="utf-8").strip() for one in files if Path(str(one.locate())).is_file()]


# ---- Help pages, each read on request off the GUI thread.


FOLDER = Path(__file__).resolve().parents[3] / "resources" / "help"
_PICTURE = re.compile(r"^!\[[^\]]*\]\(([\w-]+\.(?:svg|png))\)", re.MULTILINE)

Drawing = QImage | bytes
"""An image, or the text of an SVG, which is drawn in the present colours."""


@dataclass(frozen=True, slots=True)
class HelpContent:
    """Loaded page: its Markdown, and its pictures."""

    markdown: str
    pictures: Mapping[str, Drawing] = field(default_factory=dict)


class HelpRepository(QObject):
    """Loads on request, and emits the result as signals."""

    listed = Signal(frozenset)  # frozenset[str]: keys of all pages with a file
    fetched = Signal(str, HelpContent)  # key, content
    all_read = Signal(Mapping)  # dict[str, list[Section]]
    failed = Signal(str, str)  # key, system error

    def list_pages(self) -> None:
        self._begin(lambda: self.listed.emit(frozenset(path.stem for path in FOLDER.glob("*.md"))), "")

    def fetch(self, key: str, width: int) -> None:
        """Read a page and its pictures, scaled to a width in pixels."""
        self._begin(lambda: self.fetched.emit(key, read_content(FOLDER, key, width)), key)

    def make(self, key: str, compose: Callable[[], str]) -> None:
        """Generate a page that has no file."""
        self._begin(lambda: self.fetched.emit(key, HelpContent(compose())), key)

    def read_all(self) -> None:
        """Read every page, for a search."""
        self._begin(lambda: self.all_read.emit(read_sections(FOLDER)), "")

    def _begin(self, act: Callable[[], None], key: str) -> None:
        def run() -> None:
            try:
                act()
            except OSError as error:
                self.failed.emit(key, error.strerror or str(error))

        Thread(target=run, name="intentscope-help", daemon=True).start()


def read_content(folder: Path, key: str, width: int) -> HelpContent:
    """Read a page with its existing pictures, scaled to a width; raises OSError."""
    markdown = (folder / f"{key}.md").read_text("utf-8")
    names = [name for name in _PICTURE.findall(markdown) if (folder / name).is_file()]
    names += [dark for name in names if (folder / (dark := dark_name(name))).is_file()]
    return HelpContent(markdown, {name: _drawing(folder / name, width) for name in names})


def dark_name(name: str) -> str:
    """Return the file name of a picture's dark variant: scope-dark.png."""
    stem, _, ending = name.rpartition(".")
    return f"{stem}-dark.{ending}"


def _drawing(path: Path, width: int) -> Drawing:
    if path.suffix == ".svg":
        return path.read_bytes()
    return QImage.fromData(path.read_bytes()).scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)


def read_sections(folder: Path) -> dict[str, list[Section]]:
    """Read the sections of every page, by key; raises OSError."""
    return {path.stem: sections(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*.md"))}
