"""The window's language: sentences by the catalogue that the terminal has, Qt's own by the files that Qt brings."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from app.domain import language


class Sentences(QTranslator):
    """Answers `tr` from the catalogue. The context, a class that may be called otherwise tomorrow, makes no
    difference."""

    def isEmpty(self) -> bool:
        return not language.spoken().sentences

    def translate(self, context: str, text: str, comment: str | None = None, count: int = -1) -> str:
        found = language.spoken().found(text, count)
        return found if found is not None else None  # type: ignore[return-value]  # Qt's null: it asks the next one


def speak(app: QApplication) -> None:
    """Have the window speak the language of the catalogue, and run from right to left where that language does."""
    code = language.spoken().code
    if code == language.ENGLISH:
        return
    own = QTranslator(app)
    if own.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(own)
    app.installTranslator(Sentences(app))
    app.setLayoutDirection(QLocale(code).textDirection())
