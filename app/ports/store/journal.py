"""What a person does is a step that can be taken back and done again, also after a restart (S7.2, S7.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from app.domain.filters import MemoryEdit
from app.domain.journal import Binned, Deed, Item, ItemKey, Revision, Step, ThingKind, Written


class Changes(Protocol):
    """Units of work: each call changes items as one step of the journal."""

    def change(
        self, deed: Deed, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        """Store items exactly as they are and delete others, as one step; None if that changes nothing.

        What is deleted makes room for an item of its name; what is to be stored is not deleted.

        StaleError if a stored item is not of the version that its edit was made on, and StoreError if a new one has
        the name of a stored one, unless `anyway`; that revives no approval (S5.5).
        """
        ...

    def edit_memories(self, deed: Deed, keys: Iterable[int], edit: MemoryEdit) -> Written | None:
        """Make one change to many memories as one step, whose items are those that it changed; None if it is none."""
        ...

    def count_edited(self, keys: Iterable[int], edit: MemoryEdit) -> int:
        """How many memories that edit would change."""
        ...


class Steps(Protocol):
    """The journal: what was done, newest first, taken back and done again."""

    def undo(self, step: int | None = None) -> Written | None:
        """Take back a step, or the last that stands; None if there is none.

        KnownError if its items or settings have changed since.
        """
        ...

    def redo(self) -> Written | None:
        """Do again what was taken back last; None if nothing was, or something else was done since."""
        ...

    def steps(self, most: int = 200) -> list[Step]: ...
    def history(self, kind: ThingKind, key: int) -> list[Revision]: ...
    def prune(self, days: int) -> None:
        """Forget what was done more than so many days ago."""
        ...


class Bin(Protocol):
    """What is deleted and can be put back."""

    def binned(self) -> list[Binned]: ...
    def put_back(self, deed: Deed, keys: Iterable[ItemKey]) -> Written | None: ...
    def empty_bin(self) -> None: ...


class SettingValues(Protocol):
    """The settings that were chosen in this profile; a choice may be a step of the journal."""

    def setting_values(self) -> dict[str, str]:
        """Settings changed in the window: dotted key to value as text."""
        ...

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Keep several settings, or with None forget them: all or none."""
        ...

    def put_setting(self, key: str, value: str | None) -> None:
        """Keep a setting, or with None forget it."""
        ...

    def choose_settings(self, deed: Deed, changes: Mapping[str, str | None]) -> bool:
        """Keep several settings, or with None forget them, as one step; False, and no step, if they are so already."""
        ...

    def settings_held(self, step: int | None = None, *, redo: bool = False) -> Mapping[str, str | None]:
        """The settings that `undo` of this step, or `redo`, would choose (None: forget); none for most steps."""
        ...


Difference = tuple[bytes, bytes]
"""Two things that a person has told apart: digests of 32 bytes, the lesser first; both may be the same."""


class Differences(Protocol):
    """What a person has told apart is never shown to be alike again; telling it is a step that can be undone."""

    def different(self) -> set[Difference]: ...
    def put_different(self, deed: Deed, pairs: Iterable[Difference]) -> Written | None:
        """Tell pairs apart as one step; None if they are already."""
        ...
