"""Window, the protocol of the main window for the parts of the shell, so that none of them imports it."""

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
    """What exists before the parts of the shell are made, and all that they use."""

    pages: dict[str, Page]
    toast: Toast
    status_line: StatusLine
    import_actions: ImportActions
    folder_actions: FolderActions
    power_starter: PowerStarter

    @property
    def scope(self) -> ScopePage:
        """The first page."""
        ...

    @property
    def is_scope_open(self) -> bool:
        """Whether the first page is the one that is open."""
        ...

    def open_page(self, key: str) -> None:
        """Show a page, which is created on its first visit."""
        ...

    def focus_query(self) -> None:
        """Open the scope and focus the query line."""
        ...

    def teach(self) -> None:
        """Open the dialog with the query as trigger."""
        ...

    def next_focus_stop(self, by: int) -> None:
        """Go to the next pane, or back."""
        ...

    def choose(self, key: str, value: str | None) -> None:
        """Change a setting for this profile."""
        ...

    def open_palette(self) -> None:
        """Open the command palette."""
        ...

    def stop_job(self) -> None:
        """Cancel the task that the status line shows."""
        ...
