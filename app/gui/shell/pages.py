"""PAGES: every page of the window as a row; rail and keys are made from it, a page itself on the first visit."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from app.gui.bridge.engine_thread import Worker
from app.gui.kit.page import Page
from app.gui.kit.theme.theme import Theme

SCOPE, SETTINGS, HELP = "scope", "settings", "help"


@dataclass(frozen=True, slots=True)
class PageRow:
    """A row: key, name and icon in the rail, shortcut, class as `module:Class`, and if it stands at the rail's
    foot. The module is imported with the first visit, or beforehand while nobody types."""

    key: str
    title: str
    icon: str
    shortcut: str
    place: str
    at_foot: bool = False

    @property
    def module(self) -> str:
        return self.place.partition(":")[0]

    def make(self, theme: Theme, worker: Worker) -> Page:
        made: Page = getattr(import_module(self.module), self.place.partition(":")[2])(theme, worker)
        return made


PAGES: tuple[PageRow, ...] = (
    PageRow(SCOPE, "Scope", "scope", "Ctrl+1", "app.gui.scope.page:ScopePage"),
    PageRow("memories", "Memories", "memory", "Ctrl+2", "app.gui.library.memories.page:MemoriesPage"),
    PageRow("powers", "Powers", "power", "Ctrl+3", "app.gui.powers.page:PowersPage"),
    PageRow("rules", "Rules", "rules", "Ctrl+4", "app.gui.library.rules.page:RulesPage"),
    PageRow("route", "Route", "route", "Ctrl+Shift+R", "app.gui.routing.page:RoutePage"),
    PageRow("inbox", "Inbox", "inbox", "Ctrl+I", "app.gui.review.inbox.page:InboxPage"),
    PageRow("history", "History", "history", "Ctrl+Shift+H", "app.gui.review.history.page:HistoryPage"),
    PageRow("cases", "Cases", "check", "Ctrl+5", "app.gui.library.cases.page:CasesPage"),
    PageRow("evaluate", "Evaluate", "evaluate", "Ctrl+Shift+E", "app.gui.evaluation.page:EvaluatePage"),
    PageRow(
        "duplicates", "Duplicates and conflicts", "duplicates", "Ctrl+6", "app.gui.library.duplicates:DuplicatesPage"
    ),
    PageRow("health", "Health", "health", "Ctrl+H", "app.gui.review.health:HealthPage"),
    PageRow("context", "Context", "context", "Ctrl+7", "app.gui.scope.context:ContextPage"),
    PageRow("namespaces", "Namespaces", "namespaces", "Ctrl+8", "app.gui.library.namespaces:NamespacesPage"),
    PageRow("connection", "LLM connection", "plug", "Ctrl+Shift+L", "app.gui.system.connection:ConnectionPage"),
    PageRow("metrics", "Metrics", "chart", "Ctrl+0", "app.gui.system.metrics:MetricsPage"),
    PageRow(HELP, "Help", "help", "Ctrl+F1", "app.gui.system.help.page:HelpPage", at_foot=True),
    PageRow("keys", "Keys", "keyboard", "F1", "app.gui.system.help.keys:KeysPage", at_foot=True),
    PageRow(SETTINGS, "Settings", "settings", "Ctrl+9", "app.gui.system.settings.page:SettingsPage", at_foot=True),
)
"""Pages other than the scope are imported when they are made, so that the window starts without them."""
