"""The window as its own parts know it: a protocol, so that none of them has to know what makes it."""

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
    """What is there before the parts that listen to it are made; a part asks for nothing else."""

    pages: dict[str, Page]
    toast: Toast
    status_line: StatusLine
    importing: ImportActions
    foldering: FolderActions
    starting: PowerStarter

    @property
    def scope(self) -> ScopePage:
        """The first page."""
        ...

    @property
    def is_scope_open(self) -> bool:
        """Whether the first page is the one that is open."""
        ...

    def open_page(self, key: str) -> None:
        """Show a page, made now if it was never open."""
        ...

    def focus_query(self) -> None:
        """Go to the query line, from wherever one is."""
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
        """Let a person find what can be done by typing."""
        ...

    def stop_job(self) -> None:
        """Break off what the status line tells of."""
        ...
