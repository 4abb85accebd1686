"""PLACE_KEYS: the keys that one widget answers itself, as rows for the page of keys."""

from __future__ import annotations

from dataclasses import dataclass

from app.display import words
from app.gui.kit.action import Group, native


@dataclass(frozen=True, slots=True)
class PlaceKeys:
    """Keys that one widget answers itself; the page of keys tells of them too."""

    text: str
    group: Group
    shortcuts: tuple[str, ...]

    @property
    def name(self) -> str:
        """What they do, in the user's language."""
        return words.say(self.text)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys as the desktop writes them."""
        return tuple(native(shortcut) for shortcut in self.shortcuts)


PLACE_KEYS: tuple[PlaceKeys, ...] = (
    PlaceKeys("Select the next or the previous match, from the query", Group.QUERY, ("Down", "Up")),
    PlaceKeys("Go to the selected answer, from the query", Group.QUERY, ("Enter",)),
    PlaceKeys("Find in the table that is open", Group.LIBRARY, ("Ctrl+F",)),
    PlaceKeys("Edit the cell or the line of a list", Group.LIBRARY, ("F2",)),
    PlaceKeys("Delete what is selected in a table", Group.LIBRARY, ("Del",)),
    PlaceKeys("Move a line of a list up or down", Group.LIBRARY, ("Alt+Up", "Alt+Down")),
    PlaceKeys("Save the rule that is being edited, on the rules page", Group.LIBRARY, ("Ctrl+S",)),
    PlaceKeys("Switch the selected rule or pack on or off", Group.LIBRARY, ("Space",)),
    PlaceKeys("Move the selected rule up or down in its pack", Group.LIBRARY, ("Alt+Up", "Alt+Down")),
    PlaceKeys("Choose another of those side by side, in the list of duplicates", Group.LIBRARY, ("Left", "Right")),
    PlaceKeys("Keep the chosen, merge, different, delete, next, in that list", Group.LIBRARY, tuple("KMDXN")),
    PlaceKeys("Teach, right, wrong, none, skip, next, in the inbox", Group.TEACH, tuple("TRWOSN")),
    PlaceKeys("Say why the query in front was not answered as expected, in the inbox", Group.TEACH, ("E",)),
    PlaceKeys("Choose in the inbox which answer gets the query", Group.TEACH, tuple("123456789")),
    PlaceKeys("Call the tool whose arguments are filled in, on the powers page", Group.LIBRARY, ("Ctrl+Enter",)),
    PlaceKeys("Go back or forward in the help", Group.PAGES, ("Alt+Left", "Alt+Right")),
    PlaceKeys("Say by a digit which route is right", Group.TEACH, tuple("123456789")),
    PlaceKeys("Ask the selected past query in the scope", Group.LIBRARY, ("Enter",)),
)
