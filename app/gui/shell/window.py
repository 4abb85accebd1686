"""Window: protocol of the main window for the shell's parts, so that none imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from app.gui.kit.page import Shell

if TYPE_CHECKING:
    from app.gui.kit.page import Page
    from app.gui.kit.toast import Toast
    from app.gui.library.files.folder import FolderActions
    from app.gui.library.files.import_actions import ImportActions
    from app.gui.powers.start_dialog import PowerStarter
    from app.gui.scope.page import ScopePage
    from app.gui.shell.status_line import StatusLine


class Window(Shell, Protocol):
    """Parts of the window that exist before the shell's parts, and all that they use."""

    pages: dict[str, Page]
    toast: Toast
    status_line: StatusLine
    import_actions: ImportActions
    folder_actions: FolderActions
    power_starter: PowerStarter

    @property
    def scope(self) -> ScopePage:
        """First page."""

    @property
    def is_scope_open(self) -> bool:
        """True if the first page is open."""

    def open_page(self, key: str) -> None:
        """Show a page, which is created on its first visit."""

    def focus_query(self) -> None:
        """Open the scope and focus the query line."""

    def teach(self) -> None:
        """Open the teaching dialog with the query as trigger."""

    def next_focus_stop(self, by: int) -> None:
        """Focus the next or previous pane."""

    def choose(self, key: str, value: str | None) -> None:
        """Change a setting of this profile."""

    def open_palette(self) -> None:
        """Open the command palette."""

    def stop_job(self) -> None:
        """Cancel the task in the status line."""
