"""What fails at a desk just now: a sentence for each part, and where it can be mended."""

from __future__ import annotations

from app.domain.errors import KnownError, StoreError

STORE, SETTINGS = "store", "settings"
"""Two of the parts; the others are named where they fail."""


class Faults(dict[str, str]):
    """Sentences for the user (what happened, what still works, what to do), by the part concerned."""

    def __init__(self, *, is_said_outside: bool = False) -> None:
        super().__init__()
        self._is_for_the_folder = False
        self.is_said_outside = is_said_outside
        """Whether what is refused of the settings stands on the command line or in the environment."""

    @property
    def in_folder(self) -> frozenset[str]:
        """The parts whose fault can be mended in the profile's folder only."""
        return frozenset({STORE}) if self._is_for_the_folder and STORE in self else frozenset()

    @property
    def outside(self) -> frozenset[str]:
        """The parts whose fault stands where the program was started."""
        return frozenset({SETTINGS}) if self.is_said_outside else frozenset()

    def note(self, part: str, sentence: str | None) -> bool:
        """Note that a part fails, or with None that it does no longer; whether that is news."""
        if self.get(part) == sentence:
            return False
        if sentence is None:
            del self[part]
        else:
            self[part] = sentence
        return True

    def note_store(self, error: KnownError) -> bool:
        """Note why the library cannot be used; whether that is news: whoever asks for it may get the same error."""
        if self.get(STORE) == str(error):
            return False
        self[STORE] = str(error)
        self._is_for_the_folder = isinstance(error, StoreError) and error.in_folder
        return True
