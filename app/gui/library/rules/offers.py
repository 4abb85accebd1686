"""What can be done with rules, as rows for the palette; each is refused while the rules page is not open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from app.display import words
from app.domain.intent import Rule
from app.gui.kit.action import Action, Group

if TYPE_CHECKING:
    from app.gui.kit.page import Page


_ROWS: tuple[tuple[str, str, str], ...] = (
    ("add", "Add a rule", "plus"),
    ("duplicate", "Duplicate the selected rule", "rules"),
    ("save", "Save the rule that is being edited", "check"),
    ("revert", "Drop what is not saved of the rule", "undo"),
)


def rule_offers(page: Page, acts: Mapping[str, Callable[[], object]]) -> tuple[Action, ...]:
    """A row for each of these acts of the page, by key."""

    def refusal() -> str:
        return "" if page.isVisibleTo(page.window()) else words.say("Open the rules page first.")

    return tuple(
        Action(f"rule_{key}", text, Group.LIBRARY, acts[key], (), icon, refusal=refusal) for key, text, icon in _ROWS
    )


# --------------------------------------------------------------------------------------------------------------------
# Where a rule goes when it is moved: places among the rules of its pack, whatever of them is shown


def stepped(rules: Sequence[Rule], shown: Sequence[str], name: str, by: int) -> list[str] | None:
    """The ids of the pack with one rule moved past its next shown neighbour; None if there is none."""
    ids = _pack_of(rules, name)
    seen = [one for one in shown if one in ids]
    if name not in seen:
        return None
    place = seen.index(name) + by
    if not 0 <= place < len(seen):
        return None
    return _put(ids, name, seen[place], after=by > 0)


def dropped_before(rules: Sequence[Rule], shown: Sequence[str], name: str, row: int) -> list[str] | None:
    """The ids of the pack with one rule put before the one in a shown row; None if that is within another pack."""
    ids = _pack_of(rules, name)
    if row < len(shown) and shown[row] in ids:
        return _put(ids, name, shown[row], after=False)
    if row > 0 and shown[row - 1] in ids:
        return _put(ids, name, shown[row - 1], after=True)
    return None


def _pack_of(rules: Sequence[Rule], name: str) -> list[str]:
    pack = next((rule.pack for rule in rules if rule.id == name), None)
    return [rule.id for rule in rules if rule.pack == pack]


def _put(ids: Sequence[str], name: str, by: str, *, after: bool) -> list[str]:
    if name == by:
        return list(ids)
    left = [one for one in ids if one != name]
    left.insert(left.index(by) + after, name)
    return left


def placed(rules: Sequence[Rule], ids: Sequence[str]) -> tuple[Rule, ...]:
    """The rules pack by pack, those of these ids in this order."""
    place = {one: n for n, one in enumerate(ids)}
    return tuple(sorted(rules, key=lambda one: (one.pack, place.get(one.id, one.position))))
