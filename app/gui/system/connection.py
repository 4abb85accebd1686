"""The connection page: which server and model the LLM is, whether it can be reached, and how to fetch a model."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QRect
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.gui.bridge.engine_thread import Worker
from app.gui.kit.controls import set_primary
from app.gui.kit.page import CoreState, Page
from app.gui.kit.task_strip import least_heights, turn_box
from app.gui.kit.theme.theme import Theme
from app.gui.system.jobs import system_jobs_of
from app.gui.system.links import CheckPane
from app.gui.system.model_download import PullPane
from app.gui.system.server import ServerPane
from app.settings.sections import LlmSettings

_LEFT = 440


class ConnectionPage(Page):
    """Settings and pull at the left, the check at the right. What was checked holds until the settings change."""

    least_beside = 780

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, self.tr("LLM connection"))
        self._checked: LlmSettings | None = None
        jobs = system_jobs_of(worker)
        self.server = ServerPane(theme, jobs)
        self.checking = CheckPane(theme, jobs)
        self.checking.setContentsMargins(0, theme.px(4), 0, 0)
        self.pulling = PullPane(theme, jobs)
        side = self.side = QWidget()
        left = QVBoxLayout(side)
        left.setContentsMargins(0, theme.px(4), 1, 0)
        left.setSpacing(0)
        left.addWidget(self.server)
        left.addWidget(self.pulling)
        left.addStretch(1)
        whole = self._whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(side)
        whole.addWidget(self.checking, 1)
        self.lay_panes(turned=True)

    def lay_panes(self, turned: bool) -> None:
        least_heights(self.theme, {self.checking: 300}, narrow=self.is_narrow, within=0)
        turn_box(self.theme, self._whole, self.side, _LEFT, narrow=self.is_narrow)

    def stops(self) -> list[QWidget]:
        return [self.server.address, self.checking.check, self.pulling.name, self.checking.area]

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        if self._checked is not None and self._checked != core_state.settings.llm:
            self.checking.forget()
        self._checked = core_state.settings.llm
        self.server.show_core_state(core_state)
        set_primary(self.checking.check, self.server.has_address)  # without one, the address comes first
        self.pulling.set_reachable(self.server.has_address)

    def hairlines(self) -> Iterator[QRect]:
        side = self.side.geometry()
        if self.is_narrow:
            yield QRect(0, side.bottom(), self.width(), 1)
        else:
            yield QRect(side.right(), 0, 1, self.height())
        yield QRect(0, self.pulling.y() - 1, side.width(), 1)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.update()  # the hairline follows the panes
        return super().event(event)
