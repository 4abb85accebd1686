"""While a power is edited: what the edit does to the query that was asked last, worked out soon after each change."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer

from app.display.powers.rows import effect_words, lead_words
from app.gui.pages.powers_editor import PowerEditor
from app.gui.pages.powers_errands import PowerErrands
from app.gui.worker import Worker
from app.services.powers.live_effect import Effect

PAUSE_MS = 120
"""So long after the last change of the edit."""


class PowerTrial(QObject):
    """Tries the draft that is in the editor, and shows there what comes back."""

    def __init__(self, editor: PowerEditor, errands: PowerErrands, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._editor, self._errands, self._worker = editor, errands, worker
        self._ticket = 0
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self.begin)
        errands.effect_found.connect(self._on_effect, Qt.ConnectionType.QueuedConnection)

    @property
    def query(self) -> str:
        """What was asked last on the scope."""
        return "" if self._worker.answer is None else self._worker.answer.query.text.strip()

    def begin_soon(self) -> None:
        """Try the draft once no change has come for a while."""
        self._timer.start()

    def begin(self) -> None:
        """Have it worked out what the draft does to the query; what is under way for another is not shown any more."""
        self.drop()
        if self.query:
            self._errands.find_effect(self._ticket, self.query, self._editor.draft())
        else:
            self._editor.show_effect(
                self.tr("No query yet"), self.tr("Type one on the scope (Ctrl+1) to see here what an edit does to it.")
            )

    def drop(self) -> None:
        """No power is edited any more."""
        self._timer.stop()
        self._ticket += 1

    def _on_effect(self, ticket: int, effect: Effect) -> None:
        if ticket != self._ticket:
            return
        query = effect.query if len(effect.query) <= 60 else f"{effect.query[:59]}…"
        title = self.tr("For “{0}” this power scores").format(query)
        lead = lead_words(effect)
        note = "" if effect.knows_meaning else f" {self.tr('Without the encoder, by its words alone.')}"
        self._editor.show_effect(title, effect_words(effect) + (f"  ({lead})" if lead else "") + note)
