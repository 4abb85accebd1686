"""The window in other languages: longer words have their room, and where one reads from the right all is mirrored."""

from __future__ import annotations

import string
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt, QTranslator
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication

from app.adapters.local.languages import available, read_catalogue
from app.domain.language import Catalogue
from app.gui.kit.page import Frame
from app.gui.shell.application import install_translator
from app.gui.shell.main_window import MainWindow
from app.gui.shell.page_stack import PAGES
from tests.gui.conftest import Opener
from tests.gui.llm_workbench import ConnectedWorkbench
from tests.scripts import PROJECT
from tests.speaking import Every, speaking

FROM_THE_RIGHT = str.maketrans(string.ascii_letters, ("אבגדהוזחטיכלמנסעפצקרשתםןףץ" * 2)[: len(string.ascii_letters)])
TRANSLATED = [code for code in available() if code != "en"]


def mirrored(text: str) -> str:
    """A pseudo-language: letters that are read from the right, and a fifth more of them; places stay as they are."""
    parts = []
    for said, name, _, _ in string.Formatter().parse(text):
        parts.append(said.translate(FROM_THE_RIGHT) + "א" * (len(said) // 5))
        parts.append("" if name is None else f"{{{name}}}")
    return "".join(parts)


@pytest.fixture
def spoken(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    """The application in the language that a test is given; afterwards in English again."""
    code: str = request.param
    file = PROJECT / "resources" / "translations" / f"intentscope_{code}.qm"
    catalogue = read_catalogue(file, code) if file.exists() else Catalogue(code, Every(mirrored))
    with speaking(catalogue):
        install_translator(qapp)
        yield code
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.deleteLater()
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def overhang(window: MainWindow) -> int:
    """So many pixels of the open page lie beyond the window's edge."""
    frame = window.stack.currentWidget()
    return frame.horizontalScrollBar().maximum() if isinstance(frame, Frame) else 0


@pytest.mark.parametrize("spoken", [*TRANSLATED, "he"], indirect=True)
def test_that_no_page_has_to_be_moved_sideways(spoken: str, open_window: Opener, qapp: QApplication) -> None:
    window = open_window(ConnectedWorkbench())
    wide = {}
    for row in PAGES:
        window.open_page(row.key)
        qapp.processEvents()
        wide[row.key] = overhang(window)
    assert {key: over for key, over in wide.items() if over} == {}


@pytest.mark.parametrize("spoken", ["he"], indirect=True)
def test_that_the_window_is_mirrored_where_one_reads_from_the_right(spoken: str, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    assert window.layoutDirection() is Qt.LayoutDirection.RightToLeft
    rail = window.rail.mapTo(window, QPoint(0, 0)).x()
    page = window.stack.mapTo(window, QPoint(0, 0)).x()
    assert page < rail
    assert rail + window.rail.width() == window.width()
    layout = window.scope.panes.layout
    panes = (layout.docks["selected"], layout.center, layout.docks["intent"])
    places = [pane.mapTo(window, QPoint(0, 0)).x() for pane in panes]
    assert places == sorted(places)


@pytest.mark.parametrize("spoken", ["de"], indirect=True)
def test_that_keys_are_called_as_the_keyboard_calls_them(spoken: str, qapp: QApplication) -> None:
    native = QKeySequence.SequenceFormat.NativeText
    named = [QKeySequence(keys).toString(native) for keys in ("Ctrl+Right", "Del")]
    assert named == ["Strg+Rechts", "Entf"]
