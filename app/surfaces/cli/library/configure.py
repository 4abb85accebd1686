"""Commands `rules`, `routes` and `settings`."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from app.domain.errors import KnownError
from app.domain.journal import choosing
from app.domain.route import ROUTE_NAMES, Route
from app.services.library.catalogue import nearest
from app.services.routing.custom_routes import CustomRoutes
from app.services.workbench import Workbench
from app.surfaces.cli.library.verb import SOURCE, Output, done, stepped, unknown, whole
from app.surfaces.cli.output import written


async def rules(workbench: Workbench, options: argparse.Namespace) -> Output:
    """List packs or rules, or switch, reset or move some as one step; raises KnownError."""
    book, named = workbench.rule_book, options.on or options.off
    if options.move is not None:
        return await _moved_rule(workbench, *options.move)
    if options.reset is not None:
        return done(await book.reset(options.reset, source=SOURCE), "No change: the pack is as shipped.")
    if named is None:
        return await _listed_rules(workbench, options.pack)
    on = options.on is not None
    already = "No change: they are on." if on else "No change: they are off."
    if await book.rules(named):
        return done(await book.enable(named, on=on, source=SOURCE), already)
    rules = [rule for rule in await book.rules() if rule.id == named]
    if not rules:
        raise KnownError(f"No pack or rule is named “{named}”: “intentscope rules” lists the packs.")
    return done(await book.switch(rules, on=on, source=SOURCE), already)


async def _moved_rule(workbench: Workbench, named: str, place: str) -> Output:
    """Move a rule within its pack, which determines the order of lists and exports."""
    book = workbench.rule_book
    rules = [rule for rule in await book.rules() if rule.id == named]
    if not rules:
        raise KnownError(f"No rule is named “{named}”: “intentscope rules --pack PACK” lists them.")
    pack = rules[0].pack
    ids = [rule.id for rule in await book.rules(pack)]
    if not 0 < whole(place) <= len(ids):
        raise KnownError(f"“{place}” is not a place in “{pack}”; the places are 1 to {len(ids)}.")
    ids.remove(named)
    ids.insert(whole(place) - 1, named)
    return done(await book.order(pack, ids, source=SOURCE), "No change: the rule is at that place.")


async def _listed_rules(workbench: Workbench, pack: str | None) -> Output:
    from app.display.library.rules import pack_document, pack_line, pack_rows, rule_document, rule_line

    rules, shipped = await workbench.rule_packs.stored()
    if pack is None:
        rows = pack_rows(rules, [rule.pack for rule in shipped])
        return Output([pack_line(row) for row in rows], {"packs": [pack_document(row) for row in rows]})
    found = [rule for rule in rules if rule.pack == pack]
    if not found:
        raise KnownError(f"No pack is named “{pack}”: “intentscope rules” lists them.")
    return Output([rule_line(rule) for rule in found], {"rules": [rule_document(rule) for rule in found]})


# ---- routes


async def routes(workbench: Workbench, options: argparse.Namespace) -> Output:
    """Change or list routes, a change as a step; raises KnownError, SettingsError."""
    from app.display.routing.routes import as_toml, use_document, use_line

    said = _said_of_route(options)
    if said and options.add is None and options.change is None:
        raise KnownError("--title, --stores, --colour and --about go with --add or --change.")
    if options.name is not None and options.change is None:
        raise KnownError("--name goes with --change.")
    if (act := _act_on_route(workbench.routes, options, said)) is not None:
        return await stepped(workbench, act)
    uses = await workbench.routes.listed()
    if options.export is not None:
        if str(options.export) == "-":
            return Output(as_toml(uses).splitlines(), {"toml": as_toml(uses)})
        with written(options.export) as file:
            file.write(as_toml(uses))
    return Output([use_line(use) for use in uses], {"routes": [use_document(use) for use in uses]})


def _act_on_route(own: CustomRoutes, options: argparse.Namespace, said: dict[str, Any]) -> Awaitable[object] | None:
    """Return the requested action, not started; None if routes are only listed."""
    from app.settings.layers import from_file

    if options.taken is not None:
        return own.import_routes(from_file(options.taken), source=SOURCE)
    if options.reset is not None:
        return own.reset(ROUTE_NAMES if options.reset == "all" else (options.reset,), source=SOURCE)
    if options.remove is not None:
        return own.remove(options.remove, source=SOURCE)
    if (switched := options.on or options.off) is not None:
        return own.switch(switched, on=options.on is not None, source=SOURCE)
    if options.add is not None:
        return own.add(replace(Route(options.add, (options.add,), own.free_color()), **said), source=SOURCE)
    if options.change is None:
        return None
    route = own.known(options.change)
    if options.name is None:
        return own.change(replace(route, **said), source=SOURCE)
    return own.rename(route.name, replace(route, name=options.name, **said), source=SOURCE)


def _said_of_route(options: argparse.Namespace) -> dict[str, Any]:
    stores = None if options.stores is None else tuple(filter(None, map(str.strip, options.stores.split(","))))
    said = {"title": options.title, "stores": stores, "color": options.colour, "about": options.about}
    return {name: value for name, value in said.items() if value is not None}


# ---- settings


async def settings(workbench: Workbench, options: argparse.Namespace) -> Output:
    """List settings, or set or remove some as one step; raises SettingsError."""
    from app.settings.layers import from_pairs
    from app.settings.model import ALIASES, RETIRED, is_cell, keys

    if options.reset and options.words:
        raise KnownError("settings takes either KEY=VALUE or --reset.")
    sets = any("=" in word for word in options.words)
    said = from_pairs(options.words) if sets else dict.fromkeys(options.reset or ())
    changes = {ALIASES.get(key, key): None if value is None else str(value) for key, value in said.items()}
    known = {*keys(), *(RETIRED if options.reset else ())}
    for key in changes:
        if key not in known and not is_cell(key):
            raise KnownError(unknown(f"Unknown setting “{key}”.", nearest(key, keys())))
    if not changes:
        return _listed_settings(workbench, " ".join(options.words))
    return await stepped(workbench, workbench.choose_all(changes, choosing(changes, SOURCE)))


def _listed_settings(workbench: Workbench, sought: str) -> Output:
    """List all settings, the one of this key, or those that match these words."""
    from app.display.system.settings import matching, setting_document, setting_lines, setting_sections
    from app.settings.model import ALIASES

    every = setting_sections(workbench.settings, workbench.origins)
    rows = [row for section in every for row in section.rows if row.key == ALIASES.get(sought, sought)]
    rows = rows or [row for section in every for row in section.rows if matching(row, section, sought)]
    if not rows:
        raise KnownError("No setting has these words: “intentscope settings” lists all.")
    return Output(setting_lines(rows, in_full=bool(sought)), {"settings": [setting_document(row) for row in rows]})
