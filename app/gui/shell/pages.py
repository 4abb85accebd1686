"""PAGES: every page of the window as a row; rail and keys are made from it, a page itself on the first visit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.gui.bridge.engine_thread import Worker
from app.gui.kit.page import Page
from app.gui.kit.theme.theme import Theme
from app.gui.scope.page import ScopePage
from app.gui.shell.actions import HELP

SCOPE, SETTINGS = "scope", "settings"


@dataclass(frozen=True, slots=True)
class PageRow:
    """A row: its key, name and icon in the rail, its shortcut, what makes it, and if it stands at the rail's foot."""

    key: str
    title: str
    icon: str
    shortcut: str
    make: Callable[[Theme, Worker], Page]
    at_foot: bool = False


def _connection(theme: Theme, worker: Worker) -> Page:
    from app.gui.system.connection import ConnectionPage

    return ConnectionPage(theme, worker)


def _metrics(theme: Theme, worker: Worker) -> Page:
    from app.gui.system.metrics import MetricsPage

    return MetricsPage(theme, worker)


def _context(theme: Theme, worker: Worker) -> Page:
    from app.gui.scope.context import ContextPage

    return ContextPage(theme, worker)


def _namespaces(theme: Theme, worker: Worker) -> Page:
    from app.gui.library.namespaces import NamespacesPage

    return NamespacesPage(theme, worker)


def _duplicates(theme: Theme, worker: Worker) -> Page:
    from app.gui.library.duplicates import DuplicatesPage

    return DuplicatesPage(theme, worker)


def _health(theme: Theme, worker: Worker) -> Page:
    from app.gui.review.health import HealthPage

    return HealthPage(theme, worker)


def _rules(theme: Theme, worker: Worker) -> Page:
    from app.gui.library.rules.page import RulesPage

    return RulesPage(theme, worker)


def _memories(theme: Theme, worker: Worker) -> Page:
    from app.gui.library.memories.page import MemoriesPage

    return MemoriesPage(theme, worker)


def _powers(theme: Theme, worker: Worker) -> Page:
    from app.gui.powers.page import PowersPage

    return PowersPage(theme, worker)


def _cases(theme: Theme, worker: Worker) -> Page:
    from app.gui.library.cases.page import CasesPage

    return CasesPage(theme, worker)


def _evaluate(theme: Theme, worker: Worker) -> Page:
    from app.gui.evaluation.page import EvaluatePage

    return EvaluatePage(theme, worker)


def _history(theme: Theme, worker: Worker) -> Page:
    from app.gui.review.history.page import HistoryPage

    return HistoryPage(theme, worker)


def _inbox(theme: Theme, worker: Worker) -> Page:
    from app.gui.review.inbox.page import InboxPage

    return InboxPage(theme, worker)


def _help(theme: Theme, worker: Worker) -> Page:
    from app.gui.system.help.page import HelpPage

    return HelpPage(theme, worker)


def _route(theme: Theme, worker: Worker) -> Page:
    from app.gui.routing.page import RoutePage

    return RoutePage(theme, worker)


def _keys(theme: Theme, worker: Worker) -> Page:
    from app.gui.system.help.keys import KeysPage

    return KeysPage(theme, worker)


def _settings(theme: Theme, worker: Worker) -> Page:
    from app.gui.system.settings.page import SettingsPage

    return SettingsPage(theme, worker)


PAGES: tuple[PageRow, ...] = (
    PageRow(SCOPE, "Scope", "scope", "Ctrl+1", ScopePage),
    PageRow("memories", "Memories", "memory", "Ctrl+2", _memories),
    PageRow("powers", "Powers", "power", "Ctrl+3", _powers),
    PageRow("rules", "Rules", "rules", "Ctrl+4", _rules),
    PageRow("route", "Route", "route", "Ctrl+Shift+R", _route),
    PageRow("inbox", "Inbox", "inbox", "Ctrl+I", _inbox),
    PageRow("history", "History", "history", "Ctrl+Shift+H", _history),
    PageRow("cases", "Cases", "check", "Ctrl+5", _cases),
    PageRow("evaluate", "Evaluate", "evaluate", "Ctrl+Shift+E", _evaluate),
    PageRow("duplicates", "Duplicates and conflicts", "duplicates", "Ctrl+6", _duplicates),
    PageRow("health", "Health", "health", "Ctrl+H", _health),
    PageRow("context", "Context", "context", "Ctrl+7", _context),
    PageRow("namespaces", "Namespaces", "namespaces", "Ctrl+8", _namespaces),
    PageRow("connection", "LLM connection", "plug", "Ctrl+Shift+L", _connection),
    PageRow("metrics", "Metrics", "chart", "Ctrl+0", _metrics),
    PageRow(HELP, "Help", "help", "Ctrl+F1", _help, at_foot=True),
    PageRow("keys", "Keys", "keyboard", "F1", _keys, at_foot=True),
    PageRow(SETTINGS, "Settings", "settings", "Ctrl+9", _settings, at_foot=True),
)
"""Pages other than the scope are imported when they are made, so that the window starts without them."""
