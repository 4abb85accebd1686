"""The head of the matches: how scores are combined, what is shown, and what gives way where there is less room."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QPushButton

from app.gui.controls import Head, Segments
from app.gui.theme import Theme


class MatchesHead(Head):
    """The title, the combination beside it, links and the choice of a kind; `tell` fits them to a width."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        *,
        over: QPushButton,
        by_label: QPushButton,
        kinds: Segments,
        why: QPushButton,
    ) -> None:
        super().__init__(theme, title, over, by_label, kinds, why)
        self._over, self._by_label, self._kinds, self._why = over, by_label, kinds, why
        self._wanted: tuple[object, ...] = ()

    def tell(self, width: int, combination: str, counts: Mapping[str, int]) -> None:
        """Say as much as a width in pixels holds: the combination goes first, what alone shows that rows are left out
        stays."""
        names = {"all": self.tr("All"), "memory": self.tr("Memories"), "power": self.tr("Powers")}
        counted = {key: f"{name} {counts[key]}" for key, name in names.items()}
        over = "" if self._over.isHidden() else self._over.text()
        wanted = (width, self.theme.scale, combination, over, self._kinds.current, *counted.values())
        if wanted == self._wanted:
            return
        self._wanted = wanted
        self.set_more(combination)
        self.show_title(True)
        self._by_label.setVisible(True)
        self._kinds.set_words(counted)
        self._kinds.setVisible(True)
        self._why.setVisible(counts["all"] > 0)
        gives_way: tuple[Callable[[], object], ...] = (
            lambda: self.set_more(""),
            self._by_label.hide,
            lambda: self._kinds.set_words(names),
            lambda: self.show_title(False),
            self._why.hide,
            lambda: self._kinds.setVisible(self._kinds.current != "all"),
        )
        for leave_out in gives_way:
            if self.least <= width:
                return
            leave_out()
