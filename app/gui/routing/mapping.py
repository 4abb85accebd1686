"""What others keep on a server, to be read in a store's name: which table, and in which columns what stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display.routing.stores import PART_WORDS
from app.domain.datastore import PARTS, Source, StoreMapping, suggested
from app.domain.language import say
from app.gui.kit.controls import button
from app.gui.kit.dialogs import GrowingDialog
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.pane_parts import WrappedLabel, label
from app.gui.kit.theme.theme import Theme
from app.gui.routing.jobs import RouteJobs

_NOTHING, _LABEL = "", 190


class MappingDialog(GrowingDialog):
    """Lists what the server has as soon as it is opened; what the columns most likely hold is chosen beforehand."""

    chosen = Signal(str)  # the mapping, "" for none

    def __init__(self, theme: Theme, jobs: RouteJobs, store: str, mapping: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Read what is there: {0}").format(store))
        self.setModal(True)
        self.setFixedWidth(theme.px(520))
        self.store, self._jobs = store, jobs
        self._sources: dict[str, Source] = {}
        self._now = StoreMapping.of(mapping) if mapping else None
        self.said = WrappedLabel(self.tr("The server is being asked what it holds."), role="caption")
        self.source = ChoiceBox()
        self.boxes = {part: ChoiceBox() for part in PARTS if part != "fields"}
        self.fields = QLineEdit()
        self.fields.setPlaceholderText(self.tr("columns to filter by, separated by commas"))
        self.read = button(self.tr("Read it"), primary=True, press=self._choose)
        self.none = button(self.tr("Read nothing of others"), press=self._choose_none)
        self.none.setVisible(self._now is not None)
        self.cancel = button(self.tr("Cancel"), press=self.reject)
        self._arrange(theme)
        self._enable(False)
        self.source.changed.connect(self._show_source)
        jobs.sources_found.connect(self._on_sources)
        jobs.refused.connect(self.said.say)
        jobs.load_sources(store)

    def _arrange(self, theme: Theme) -> None:
        px = theme.px
        form = QFormLayout()
        form.setSpacing(px(8))
        for part, box in (("source", self.source), *self.boxes.items(), ("fields", self.fields)):
            word = say(PART_WORDS[part])
            box.setAccessibleName(word)
            form.addRow(label(theme, word, _LABEL), box)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for each in (self.none, self.cancel, self.read):
            each.setAutoDefault(each is self.read)
        foot = QHBoxLayout()
        foot.setSpacing(px(8))
        foot.addWidget(self.none)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.read)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(20), px(20), px(20), px(16))
        column.setSpacing(px(12))
        column.addWidget(WrappedLabel(self.tr("Documents of others are only read; nothing is ever written to them.")))
        column.addLayout(form)
        column.addWidget(self.said)
        column.addLayout(foot)

    def _on_sources(self, store: str, sources: Sequence[Source]) -> None:
        if store != self.store:
            return
        self._sources = {source.name: source for source in sources}
        self.source.set_choices([(name, name) for name in self._sources])
        self._enable(bool(self._sources))
        self.said.say("" if sources else self.tr("There is nothing of others on the server that could be read."))
        if self._sources:
            now = self._now.source if self._now is not None else ""
            name = now if now in self._sources else next(iter(self._sources))
            self.source.show_value(name)
            self._show_source(name)
            self.source.setFocus()

    def _show_source(self, name: str) -> None:
        source = self._sources[name]
        mapping = self._now if self._now is not None and self._now.source == name else suggested(source, self.store)
        choices = [(column, f"{column}  ({kind})" if kind else column) for column, kind in source.columns.items()]
        for part, box in self.boxes.items():
            box.set_choices([(_NOTHING, "\N{EN DASH}"), *choices])
            box.show_value(getattr(mapping, part))
        self.fields.setText(", ".join(mapping.fields))

    def _enable(self, enabled: bool) -> None:
        for each in (self.source, *self.boxes.values(), self.fields, self.read):
            each.setEnabled(enabled)

    def mapping(self) -> StoreMapping:
        """What is chosen."""
        fields = tuple(name.strip() for name in self.fields.text().split(",") if name.strip())
        parts = {part: str(box.currentData() or "") for part, box in self.boxes.items()}
        return StoreMapping(str(self.source.currentData()), fields=fields, **parts)

    def _choose(self) -> None:
        self.chosen.emit(str(self.mapping()))
        self.accept()

    def _choose_none(self) -> None:
        self.chosen.emit("")
        self.accept()
