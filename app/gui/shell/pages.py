"""ENTRIES and PAGES: the map of the window as rows; rail, tabs and keys are made from it, a page on the first visit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.gui.bridge.engine_thread import Worker
    from app.gui.kit.page import Page
    from app.gui.kit.theme.theme import Theme

SCOPE, SETTINGS, HELP = "scope", "settings", "help"


class RailGroup(StrEnum):
    """What the entries of the rail are for, in order; those of FOOT stand at its end without a heading."""

    ASK = "Ask"
    TEACH = "Teach"
    CHECK = "Check"
    DELIVER = "Deliver"
    FOOT = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the rail: its pages are those that name it; where there are several they are tabs."""

    key: str
    title: str
    icon: str
    group: RailGroup


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page: key, name in its tab and in the palette, entry of the rail, icon, shortcut, class as `module:Class`. The
    module is imported with the first visit, or beforehand while nobody types."""

    key: str
    title: str
    entry: str
    icon: str
    shortcut: str
    place: str

    @property
    def module(self) -> str:
        return self.place.partition(":")[0]

    def make(self, theme: Theme, worker: Worker) -> Page:
        made: Page = getattr(import_module(self.module), self.place.partition(":")[2])(theme, worker)
        return made


ENTRIES: tuple[Entry, ...] = (
    Entry(SCOPE, "Scope", "scope", RailGroup.ASK),
    Entry("review", "Review", "inbox", RailGroup.ASK),
    Entry("memories", "Memories", "memory", RailGroup.TEACH),
    Entry("powers", "Powers", "power", RailGroup.TEACH),
    Entry("rules", "Rules", "rules", RailGroup.TEACH),
    Entry("tests", "Tests", "check", RailGroup.CHECK),
    Entry("clean_up", "Clean up", "health", RailGroup.CHECK),
    Entry("context", "Context", "context", RailGroup.DELIVER),
    Entry("assistants", "Assistants", "plug", RailGroup.DELIVER),
    Entry("route", "Route", "route", RailGroup.DELIVER),
    Entry(SETTINGS, "Settings", "settings", RailGroup.FOOT),
    Entry(HELP, "Help", "help", RailGroup.FOOT),
)

PAGES: tuple[PageRow, ...] = (
    PageRow(SCOPE, "Scope", SCOPE, "scope", "Ctrl+1", "app.gui.scope.page:ScopePage"),
    PageRow("inbox", "Inbox", "review", "inbox", "Ctrl+I", "app.gui.review.inbox.page:InboxPage"),
    PageRow("history", "History", "review", "history", "Ctrl+Shift+H", "app.gui.review.history.page:HistoryPage"),
    PageRow("memories", "Memories", "memories", "memory", "Ctrl+2", "app.gui.library.memories.page:MemoriesPage"),
    PageRow("powers", "Powers", "powers", "power", "Ctrl+3", "app.gui.powers.page:PowersPage"),
    PageRow("rules", "Rules", "rules", "rules", "Ctrl+4", "app.gui.library.rules.page:RulesPage"),
    PageRow("cases", "Cases", "tests", "check", "Ctrl+5", "app.gui.library.cases.page:CasesPage"),
    PageRow("evaluate", "Evaluate", "tests", "evaluate", "Ctrl+Shift+E", "app.gui.evaluation.page:EvaluatePage"),
    PageRow(
        "duplicates", "Duplicates", "clean_up", "duplicates", "Ctrl+6", "app.gui.library.duplicates:DuplicatesPage"
    ),
    PageRow("health", "Health", "clean_up", "health", "Ctrl+H", "app.gui.review.health:HealthPage"),
    PageRow("context", "Context", "context", "context", "Ctrl+7", "app.gui.scope.context:ContextPage"),
    PageRow("namespaces", "Namespaces", "context", "namespaces", "Ctrl+8", "app.gui.library.namespaces:NamespacesPage"),
    PageRow(
        "assistants", "Assistants", "assistants", "plug", "Ctrl+Shift+A", "app.gui.review.assistants:AssistantsPage"
    ),
    PageRow("route", "Route", "route", "route", "Ctrl+Shift+R", "app.gui.routing.page:RoutePage"),
    PageRow(SETTINGS, "Settings", SETTINGS, "settings", "Ctrl+9", "app.gui.system.settings.page:SettingsPage"),
    PageRow("connection", "LLM", SETTINGS, "plug", "Ctrl+Shift+L", "app.gui.system.connection:ConnectionPage"),
    PageRow("metrics", "Metrics", SETTINGS, "chart", "Ctrl+0", "app.gui.system.metrics:MetricsPage"),
    PageRow(HELP, "Help", HELP, "help", "Ctrl+F1", "app.gui.system.help.page:HelpPage"),
    PageRow("keys", "Keys", HELP, "keyboard", "F1", "app.gui.system.help.keys:KeysPage"),
)
"""In the order of the rail. Pages other than the scope are imported when they are made: the window starts without
them."""


def pages_of(entry: str) -> tuple[PageRow, ...]:
    """The pages of an entry of the rail, in the order of their tabs."""
    return tuple(row for row in PAGES if row.entry == entry)


def entry_of(page: str) -> str:
    """The entry of the rail that a page belongs to; KeyError if there is no such page."""
    return {row.key: row.entry for row in PAGES}[page]
