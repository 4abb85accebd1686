"""Custom routes: list, add, change, switch, reset, remove, rename and import routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import KnownError
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import Edit, ItemKey, ItemKind
from app.domain.route import COLORS, ROUTE_NAMES, SHIPPED_ROUTES, Route, RouteFilter, RouteOrder, route_label
from app.ports.store import Library
from app.services.core import Core
from app.services.library.journal import WINDOW, Journal
from app.services.routing.routes import Routing
from app.settings.model import value_text
from app.settings.routes import FIELDS, keys_of, named_in, route_key

MOST_COUNTED = 1_000_000


@dataclass(frozen=True, slots=True)
class RouteUse:
    """A route with the numbers of its rules, taught and shipped examples.

    `is_set_up` is False for a name that only cases or rules use: it stands for a store of that name.
    """

    route: Route
    rules: int = 0
    taught: int = 0
    shipped: int = 0
    is_set_up: bool = True
    is_changed: bool = False

    @property
    def is_own(self) -> bool:
        return self.route.name not in ROUTE_NAMES


@dataclass(frozen=True, slots=True)
class Removal:
    """Effects of removing a route: its rules, and cases that expect nothing else.

    `shared` cases lose the label; `logged` decisions stay.
    """

    name: str
    rules: tuple[Rule, ...]
    cases: tuple[Case, ...]
    shared: tuple[Case, ...]
    logged: int


class CustomRoutes:
    """`workbench.routes`: routes of one profile. All methods run on the asyncio thread."""

    def __init__(self, core: Core, journal: Journal, routing: Routing) -> None:
        self._core, self._journal, self._routing = core, journal, routing

    async def listed(self) -> tuple[RouteUse, ...]:
        """Return every route: shipped, custom, then names only in use; raises StoreError."""
        rules, cases = await self._core.in_store(_naming)
        ruled = Counter(route_label(rule.label) for rule in rules)
        taught = Counter(label for case in cases for label in dict.fromkeys(map(route_label, case.expected)))
        ships = Counter(
            route_label(label)
            for example in self._routing.trainer.shipped()
            if example.is_shipped
            for label in example.labels
        )
        routes = self._core.settings.all_routes
        unknown = sorted({*ruled, *taught} - {row.name for row in routes.rows} - NO_MATCH_WORDS, key=str.casefold)
        rows = [*routes.rows, *(Route(name, (name,), "grey") for name in unknown)]
        return tuple(
            RouteUse(
                row,
                ruled[row.name],
                taught[row.name],
                ships[row.name],
                row.name not in unknown,
                row.name in ROUTE_NAMES and row not in SHIPPED_ROUTES,
            )
            for row in rows
        )

    async def add(self, route: Route, *, source: str = WINDOW) -> None:
        """Add a route; raises KnownError if the name is taken, SettingsError for refused values."""
        self._check_new(route.name)
        await self._choose("added", route.name, dict(keys_of(route)), source)

    async def change(self, route: Route, *, source: str = WINDOW) -> None:
        """Change a route; values as shipped are not stored. Raises KnownError, SettingsError."""
        self.known(route.name)
        shipped = next((keys_of(row) for row in SHIPPED_ROUTES if row.name == route.name), {})
        origins = {key: self._core.origins.get(key, "default") for key in keys_of(route)}
        as_shipped = [key for key, value in keys_of(route).items() if shipped.get(key) == value]
        free = [key for key in as_shipped if origins[key] in ("here", "default")]
        changes = {key: None if key in free else value for key, value in keys_of(route).items()}
        await self._choose("edited", route.name, changes, source)

    async def switch(self, name: str, *, on: bool, source: str = WINDOW) -> None:
        """Enable or disable a route; raises KnownError, SettingsError."""
        row = replace(self.known(name), enabled=on)
        name = row.name
        as_shipped = on and name in ROUTE_NAMES
        changes = {route_key(name, "enabled"): None if as_shipped else keys_of(row)[route_key(name, "enabled")]}
        await self._choose("switched on" if on else "switched off", name, changes, source)

    async def reset(self, names: Iterable[str] = ROUTE_NAMES, *, source: str = WINDOW) -> None:
        """Reset these shipped routes, by default all; raises KnownError, SettingsError."""
        names = [self.known(name).name for name in names]
        if own := [name for name in names if name not in ROUTE_NAMES]:
            raise KnownError(f"“{own[0]}” does not ship with the program: change or remove it.")
        subject = names[0] if len(names) == 1 else ""
        await self._choose("reset", subject, {key: None for name in names for key in self._chosen(name)}, source)

    async def removal(self, name: str) -> Removal:
        """Preview removing a route; raises StoreError, KnownError for a shipped or unknown one."""
        if name in ROUTE_NAMES:
            raise KnownError(f"“{name}” ships with the program: switch it off instead.")
        rules, cases = await self._core.in_store(_naming)
        rules = [rule for rule in rules if route_label(rule.label) == name]
        mine = [case for case in cases if name in map(route_label, case.expected)]
        if not rules and not mine and self._core.settings.all_routes.find(name) is None:
            raise KnownError(self._unknown(name))
        alone = tuple(case for case in mine if {*map(route_label, case.expected)} == {name})
        shared = tuple(case for case in mine if case not in alone)
        wanted = RouteFilter(intent=name, limit=MOST_COUNTED)
        await self._routing.log.flushed()
        logged = await self._core.in_store(lambda library: library.routes.keys(wanted, RouteOrder.AT, descending=True))
        return Removal(name, tuple(rules), alone, shared, len(logged))

    async def remove(self, name: str, *, source: str = WINDOW) -> Removal:
        """Remove a route in two steps (rules and examples, then the route), which undo restores.

        Raises KnownError, StoreError, SettingsError.
        """
        found = await self.removal(name)
        self._check_free(name)
        gone: list[ItemKey] = [(ItemKind.RULE, rule.key) for rule in found.rules if rule.key is not None]
        gone += [(ItemKind.CASE, case.key) for case in found.cases if case.key is not None]
        others = (tuple(one for one in case.expected if route_label(one) != name) for case in found.shared)
        left = [replace(case, expected=rest) for case, rest in zip(found.shared, others, strict=True)]
        if gone or left:
            edit = Edit("deleted", f"the rules and examples of “{name}”", source)
            await self._journal.do(edit, left, gone)
        if chosen := self._chosen(name):
            await self._choose("deleted", name, dict.fromkeys(chosen), source)
        return found

    async def rename(self, name: str, route: Route, *, source: str = WINDOW) -> None:
        """Rename a custom route in two steps: rules and examples, then the route.

        The log keeps the old name. Raises KnownError, StoreError, SettingsError.
        """
        if name in ROUTE_NAMES:
            raise KnownError(f"“{name}” ships with the program: give it a title instead.")
        found, new = await self.removal(self.known(name).name), route.name
        self._check_new(new, but=name)
        self._check_free(name)
        wanted = dict(keys_of(route))
        self._core.settings_under(wanted)  # refused before anything is done
        items: list[Rule | Case] = [replace(rule, label=new) for rule in found.rules]
        for case in (*found.cases, *found.shared):
            renamed = dict.fromkeys(new if route_label(label) == name else label for label in case.expected)
            items.append(replace(case, expected=tuple(renamed)))
        if items:
            await self._journal.do(Edit("edited", f"the rules and examples of “{name}”", source), items)
        await self._choose("edited", new, {**dict.fromkeys(self._chosen(name)), **wanted}, source)

    async def import_routes(self, found: Mapping[str, object], *, source: str = WINDOW) -> int:
        """Import the routes of a settings file, replacing equal names; return their number.

        Raises KnownError if there are none, SettingsError if one is refused.
        """
        names = {name for key in found if (name := named_in(key))}
        if not names:
            raise KnownError("The file says no route: it has no table such as [routes.billing].")
        old = {key: None for name in names for key in self._chosen(name)}
        subject = f"{len(names)} routes" if len(names) > 1 else f"the route “{min(names)}”"
        said = {key: value_text(value) for key, value in found.items() if named_in(key)}
        await self._core.choose_all({**old, **said}, Edit("imported", subject, source))
        return len(names)

    def free_color(self) -> str:
        """Return the first unused colour, otherwise the least used one."""
        used = Counter(row.color for row in self._core.settings.all_routes.rows)
        return min(COLORS, key=lambda color: used[color])

    def known(self, name: str) -> Route:
        """Return the route of this name or alias; raises KnownError."""
        row = self._core.settings.all_routes.find(self._core.settings.all_routes.named(name))
        if row is None:
            raise KnownError(self._unknown(name))
        return row

    # ---- internals

    def _check_new(self, name: str, *, but: str = "") -> None:
        """Raise KnownError if the name is taken."""
        if not name.strip() or name in NO_MATCH_WORDS:
            raise KnownError("A route needs a unique name.")
        taken = [row.name for row in self._core.settings.all_routes.rows if row.name != but]
        if (held := next((one for one in taken if one.casefold() == name.casefold()), None)) is not None:
            raise KnownError(f"The route “{held}” already exists.")

    def _check_free(self, name: str) -> None:
        """Raise KnownError if a route is defined outside the profile's own settings."""
        fixed = {self._core.origins.get(route_key(name, field), "default") for field in FIELDS}
        if fixed - {"here", "default"}:
            where = f"“{name}” is set up in a settings file or the environment: change it there."
            raise KnownError(where)

    def _unknown(self, name: str) -> str:
        names = ", ".join(row.name for row in self._core.settings.all_routes.rows)
        return f"Unknown route “{name}”; the routes are {names}."

    def _chosen(self, name: str) -> list[str]:
        keys = (route_key(name, field) for field in FIELDS)
        return [key for key in keys if self._core.origins.get(key) == "here"]

    async def _choose(self, verb: str, name: str, changes: Mapping[str, str | None], source: str) -> None:
        subject = f"the route “{name}”" if name else "the routes that ship"
        await self._core.choose_all(changes, Edit(verb, subject, source))


def _naming(library: Library) -> tuple[Sequence[Rule], Sequence[Case]]:
    rules = [rule for rule in library.rules() if rule.purpose is RulePurpose.ROUTE]
    return rules, library.cases(Task.ROUTE)
