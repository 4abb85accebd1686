"""Curating commands: one function for each, named after it, from options to output."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from app.display.evaluation.runs import change_line, refit_document, refit_sentence
from app.display.library.journal import (
    binned_document,
    binned_line,
    done_document,
    revision_document,
    step_document,
    step_line,
)
from app.display.review.history import (
    entry_document,
    entry_line,
    forgotten_message,
    log_document,
    log_lines,
    nothing_stored_sentence,
    usage_document,
    usage_line,
)
from app.display.review.inbox import empty_words
from app.display.scope.guide import not_found_message
from app.display.words import cut
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter, CaseOrder, MemoryFilter, MemoryOrder
from app.domain.health import DuplicateFinding
from app.domain.history import HistoryFilter, ReplayedQuery, ReplayProgress
from app.domain.intent import IntentType, intent_type
from app.domain.journal import Binned, Item, ItemKind, Written, choosing, name_of
from app.domain.language import capitalized, quantity
from app.domain.library import Answer, Memory, Power
from app.domain.route import ROUTE_NAMES, Route
from app.services.library.curate import nearest
from app.services.routing.custom_routes import CustomRoutes
from app.services.workbench import Workbench
from app.surfaces.cli.output import SOURCE, Printer, retry_while_locked, written
from app.surfaces.cli.terminal import Document, Progress, last_of

MOST_LISTED = 8
"""Limit of listed items with the same name."""


@dataclass(frozen=True, slots=True)
class Output:
    """Result of a command: lines for people, and one document for programs."""

    lines: list[str]
    document: Document


# ---- names


def parsed(text: str) -> tuple[ItemKind, str]:
    """Parse KIND:NAME; raises KnownError."""
    kind, _, name = text.partition(":")
    if kind.strip().lower() not in set(ItemKind) or not name.strip():
        intent = " An intent is named by one of its memories." if kind.strip().lower() == "intent" else ""
        raise KnownError(f"“{text}” is not KIND:NAME, where KIND is one of {', '.join(ItemKind)}.{intent}")
    return ItemKind(kind.strip().lower()), name.strip()


async def one_of(workbench: Workbench, text: str) -> tuple[ItemKind, Item]:
    """Return the only item of this name; raises KnownError for none or several."""
    kind, name = parsed(text)
    found = await workbench.catalogue.named(kind, name)
    if not found:
        like = [f"{kind.value}:{cut(one)}" for one in await workbench.catalogue.like(kind, name)]
        raise KnownError(unknown(f"No {kind.value} is named “{name}”.", like))
    if len(found) > 1:
        numbers = ", ".join(f"{kind.value}:#{one.key} ({_distinguishing_text(one)})" for one in found[:MOST_LISTED])
        raise KnownError(f"{len(found)} are called “{name}”. Name one by its number: {numbers}.")
    return kind, found[0]


def unknown(sentence: str, like: Sequence[str]) -> str:
    """Return a sentence about an unknown name, with similar names."""
    return f"{sentence} Nearest names: {', '.join(like)}" if like else sentence


def _distinguishing_text(item: Item) -> str:
    """Return the text that distinguishes an item from others of its name."""
    if isinstance(item, Memory):
        return cut(item.answer_label or item.response or item.namespace)
    return item.task.value if isinstance(item, Case) else name_of(item)


async def answer_of(workbench: Workbench, text: str) -> Answer:
    """Return the memory or power of this name; raises KnownError."""
    _, item = await one_of(workbench, text)
    if not isinstance(item, Memory | Power):
        raise KnownError(f"“{text}” is not an answer: name a memory or a power.")
    return item


def whole(text: str) -> int:
    """Parse an integer of at least 1; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


# ---- reports


async def stepped(workbench: Workbench, act: Awaitable[object]) -> Output:
    """Run an action and report the step that it made, if any."""
    workbench.last_step = None
    await act
    return await _made(workbench)


async def _made(workbench: Workbench) -> Output:
    """Report the last step that this program made; others may have made newer ones."""
    steps = await workbench.journal.steps(by="")
    return done(next((Written(one) for one in steps if one.id == workbench.last_step), None))


def done(written: Written | None, nothing: str = "") -> Output:
    """Report the written step, or `nothing` without a change."""
    if written is None:
        return Output([nothing or "No change."], done_document(None))
    return Output([f"{capitalized(written.step.sentence)}."], done_document(written.step))


# ---- rules


async def rules(workbench: Workbench, options: argparse.Namespace) -> Output:
    """List packs or rules, or switch, reset or move some as one step; raises KnownError."""
    edits, named = workbench.rule_edits, options.on or options.off
    if options.move is not None:
        return await _moved_rule(workbench, *options.move)
    if options.reset is not None:
        return done(await edits.reset(options.reset, source=SOURCE), "No change: the pack is as shipped.")
    if named is None:
        return await _listed_rules(workbench, options.pack)
    on = options.on is not None
    already = "No change: they are on." if on else "No change: they are off."
    if await edits.rules(named):
        return done(await edits.enable(named, on=on, source=SOURCE), already)
    rules = [rule for rule in await edits.rules() if rule.id == named]
    if not rules:
        raise KnownError(f"No pack or rule is named “{named}”: “intentscope rules” lists the packs.")
    return done(await edits.switch(rules, on=on, source=SOURCE), already)


async def _moved_rule(workbench: Workbench, named: str, place: str) -> Output:
    """Move a rule within its pack, which determines the order of lists and exports."""
    edits = workbench.rule_edits
    rules = [rule for rule in await edits.rules() if rule.id == named]
    if not rules:
        raise KnownError(f"No rule is named “{named}”: “intentscope rules --pack PACK” lists them.")
    pack = rules[0].pack
    ids = [rule.id for rule in await edits.rules(pack)]
    if not 0 < whole(place) <= len(ids):
        raise KnownError(f"“{place}” is not a place in “{pack}”; the places are 1 to {len(ids)}.")
    ids.remove(named)
    ids.insert(whole(place) - 1, named)
    return done(await edits.order(pack, ids, source=SOURCE), "No change: the rule is at that place.")


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
    from app.display.library.tables import column_lines
    from app.display.routing.rows import ROUTE_COLUMNS, as_toml, use_document

    said = _route_fields(options)
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
    return Output(column_lines(ROUTE_COLUMNS, uses), {"routes": [use_document(use) for use in uses]})


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


def _route_fields(options: argparse.Namespace) -> dict[str, Any]:
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


async def curate(workbench: Workbench, options: argparse.Namespace, out: Printer) -> None:
    """Run the function named after this command and print its result; raises KnownError."""
    output = await retry_while_locked(partial(globals()[options.command], workbench, options))
    out.write(output.document, output.lines)


# ---- steps


async def undo(workbench: Workbench, options: argparse.Namespace) -> Output:
    written = await workbench.journal.undo(options.step)
    if written is None and options.step is not None:
        raise KnownError(f"No step {options.step} to undo: “intentscope steps” lists them.")
    return _swapped("undone", "Undone", "Nothing to undo.", written)


async def redo(workbench: Workbench, _: argparse.Namespace) -> Output:
    return _swapped("redone", "Redone", "Nothing to redo.", await workbench.journal.redo())


def _swapped(key: str, verb: str, nothing: str, written: Written | None) -> Output:
    if written is None:
        return Output([nothing], {key: None})
    return Output([f"{verb}: {written.step.sentence}."], {key: step_document(written.step)})


async def steps(workbench: Workbench, options: argparse.Namespace) -> Output:
    team = workbench.status().team
    by = "" if team is not None and options.by == team.author else options.by
    if options.of is None:
        steps = await workbench.journal.steps(options.most, by=by)
        lines = [step_line(step) for step in steps] or ["Nothing has been done to the library yet."]
        return Output(lines, {"steps": [step_document(step) for step in steps]})
    kind, item = await one_of(workbench, options.of)
    history = await workbench.journal.history(kind, item.key or 0)
    revisions = [one for one in history if by in (None, one.step.author)][: options.most]
    lines = [step_line(one.step) for one in revisions] or ["Nothing is known of what was done to it."]
    return Output(lines, {"steps": [revision_document(one) for one in revisions]})


# ---- teaching and marking


async def teach(workbench: Workbench, options: argparse.Namespace) -> Output:
    if not options.text.strip():
        raise KnownError("There is nothing to teach: TEXT is empty.")
    own = [options.intent, options.response, options.name, options.namespace]
    ways = [one is not None for one in (options.to, options.route, options.type)]
    if sum((*ways, any(one is not None for one in own))) > 1:
        raise KnownError("teach takes one of --to, --route, --type, and the options of a new memory.")
    if options.type is not None:
        type_ = intent_type(options.type)
        if type_ is None and options.type not in NO_MATCH_WORDS:
            raise KnownError(f"“{options.type}” is not a type. Choose one of {', '.join(IntentType)}, or none.")
        return await stepped(workbench, workbench.types.teach(options.text, type_, source=SOURCE))
    if options.route is not None:
        return await stepped(workbench, workbench.routing.teach(options.text, options.route, source=SOURCE))
    if options.to is not None:
        answer = await answer_of(workbench, options.to)
        return await stepped(workbench, workbench.curator.add_trigger(answer, options.text, source=SOURCE))
    return await _teach_memory(workbench, options)


async def _teach_memory(workbench: Workbench, options: argparse.Namespace) -> Output:
    memory = Memory((options.text,), options.response or "", options.intent, id=options.name, source=SOURCE)
    if options.namespace is not None:
        memory = replace(memory, namespace=options.namespace)
    twins = [
        one
        for one in workbench.catalogue.holders(options.text)
        if one.intent == options.intent and options.name is None
    ]
    if twins or await workbench.catalogue.named(ItemKind.MEMORY, memory.name):
        raise KnownError(
            f"It is there already: memory:{twins[0].name if twins else memory.name}. Teach that "
            "one more with --to, or name another one with --name."
        )
    stored = await workbench.curator.teach(memory, source=SOURCE)
    output = await _made(workbench)
    named = f"Its name for other commands: {ItemKind.MEMORY.value}:{stored.name}"
    return Output([*output.lines, named], {**output.document, "kind": ItemKind.MEMORY.value, "name": stored.name})


async def mark(workbench: Workbench, options: argparse.Namespace) -> Output:
    if options.none:
        if options.answer is not None:
            raise KnownError("mark takes one of --none and --answer: no answer is right, whichever comes.")
        written = await workbench.curator.mark_none(options.text, source=SOURCE)
        return done(written, "No new case: one expects no answer already.")
    is_unfound = False
    if options.answer is not None:
        answer = await answer_of(workbench, options.answer)
    else:
        inspection = await workbench.settle(options.text)
        first = inspection.first
        if first is None:
            raise KnownError("This query has no answer that could be right or wrong: teach it instead.")
        answer, is_unfound = first.answer, not first.is_found
    marking = workbench.curator.mark(answer, options.text, fits=options.right, source=SOURCE)
    output = await stepped(workbench, marking)
    return replace(output, lines=[*output.lines, not_found_message(answer)]) if is_unfound and options.right else output


# ---- pausing, the bin


async def pause(workbench: Workbench, options: argparse.Namespace) -> Output:
    answers = [await answer_of(workbench, name) for name in options.names]
    written = await workbench.journal.pause(answers, on=not options.resume, source=SOURCE)
    return done(written, "No change: they are active." if options.resume else "No change: they are paused.")


async def remove(workbench: Workbench, options: argparse.Namespace) -> Output:
    found = [await one_of(workbench, name) for name in options.names]
    keys = [(kind, item.key) for kind, item in found if item.key is not None]
    name = name_of(found[0][1]) if len(keys) == 1 else ""
    return done(await workbench.journal.delete(keys, name=name, source=SOURCE), "No change: they are in the bin.")


async def bin(workbench: Workbench, options: argparse.Namespace) -> Output:  # noqa: A001  (named after its command)
    binned = await workbench.journal.binned()
    if options.empty:
        await workbench.journal.empty_bin()
        return Output([f"{len(binned):,} things in the bin were deleted permanently."], {"forgotten": len(binned)})
    documents = [binned_document(one) for one in binned]
    if not options.restore:
        return Output([binned_line(one) for one in binned] or ["The bin is empty."], {"bin": documents})
    keys = [binned_as(named, binned).key for named in options.restore]
    return done(await workbench.journal.put_back(keys, source=SOURCE), "No change: they are not in the bin.")


def binned_as(named: str, binned: Sequence[Binned]) -> Binned:
    """Find an item in the bin by KIND:NAME, or KIND:NAME@STEP if ambiguous; raises KnownError."""
    kind, name = parsed(named)
    same = [one for one in binned if (one.kind, name_of(one.item)) == (kind, name)]
    if not same:
        name, at, step = name.rpartition("@")
        same = [one for one in binned if at and (one.kind, name_of(one.item), str(one.step.id)) == (kind, name, step)]
    if not same:
        kind, name = parsed(named)
        raise KnownError(f"The bin has no {kind.value} “{name}”: “intentscope bin” lists its content.")
    if len(same) > 1:
        choices = ", ".join(f"{kind.value}:{name}@{one.step.id}" for one in same)
        raise KnownError(f"Several in the bin are called so. Say by its step which: {choices}.")
    return same[0]


# ---- inbox


async def inbox(workbench: Workbench, options: argparse.Namespace) -> Output:
    history = workbench.history
    keys = await history.find(HistoryFilter(waiting=True))
    for key in (options.right, options.wrong, options.none, options.skip):
        if key is not None and key not in keys:
            raise KnownError(f"No query {key} in the inbox: “intentscope inbox” lists them.")
    if (marked := options.right or options.wrong) is not None:
        return await stepped(workbench, history.mark(marked, fits=options.right is not None, source=SOURCE))
    if options.none is not None:
        return await stepped(workbench, history.mark_none(options.none, source=SOURCE))
    if options.skip is not None:
        step = await history.skip([options.skip], source=SOURCE)
        return done(None if step is None else Written(step))
    waiting = await history.page(keys[: options.most])
    lines = [entry_line(one) for one in waiting]
    if not lines:
        lines = [". ".join(empty_words(workbench.settings.history.privacy, await history.counts()))]
    return Output(lines, {"waiting": [entry_document(one) for one in waiting]})


# ---- history


async def history(workbench: Workbench, options: argparse.Namespace) -> Output:
    history, asked = workbench.history, options.find or ""
    if options.forget_all or options.forget:
        gone = await history.forget(None if options.forget_all else options.forget)
        if options.forget and not gone:
            raise KnownError(f"No query {options.forget[0]} in the history: “intentscope history” lists them.")
        return Output([forgotten_message(gone)], {"forgotten": gone})
    if options.uses is not None:
        return await _used(workbench, options.most, never=options.uses == "never")
    if options.memory is not None:
        return await _uses_output(workbench, options.memory, options.most)
    if options.refits:
        return await _refits(workbench, options.most)
    keys = (await history.find(HistoryFilter(words=asked)))[: options.most]
    if options.replay:
        return await _replayed(workbench, keys)
    kept = await history.page(keys)
    nothing = nothing_stored_sentence(workbench.settings.history.privacy)
    if asked:
        nothing = "Nothing that is kept holds these words."
    lines = [entry_line(one) for one in kept] or [nothing]
    if last := next(iter(await workbench.refits.stored()), None):
        lines.append(f"{refit_sentence(last)} “intentscope history --refits” lists them.")
    return Output(lines, {"queries": [entry_document(one) for one in kept]})


async def _refits(workbench: Workbench, most: int) -> Output:
    """Return the newest refits, each with the cases and queries that it changed."""
    lines, documents = list[str](), list[dict[str, Any]]()
    for refit in (await workbench.refits.stored())[:most]:
        changes = await workbench.refits.changes_of(refit)
        lines += [refit_sentence(refit), *map(change_line, changes)]
        documents.append(refit_document(refit, changes))
    return Output(lines or ["The learned weights were not fitted again yet"], {"refits": documents})


async def _used(workbench: Workbench, most: int, *, never: bool) -> Output:
    wanted = MemoryFilter(usage=(0, 0)) if never else MemoryFilter()
    order = MemoryOrder.KEY if never else MemoryOrder.USAGE
    found = await workbench.catalogue.find_memories(wanted, order, descending=not never)
    rows = await workbench.catalogue.memories(found.keys[:most])
    lines = [usage_line(row) for row in rows.values()]
    if not lines:
        lines = ["Every memory was used." if never else "The library is empty"]
    return Output(lines, {"memories": [usage_document(row) for row in rows.values()], "of": len(found.keys)})


async def _uses_output(workbench: Workbench, name: str, most: int) -> Output:
    """Return the accesses of a memory by assistants, and its total use."""
    _, item = await one_of(workbench, f"{ItemKind.MEMORY.value}:{name}")
    key = item.key or 0
    logged = await workbench.history.accesses_of(key, most)
    row = (await workbench.catalogue.memories([key]))[key]
    return Output(log_lines(row, logged), log_document(row, logged))


async def _replayed(workbench: Workbench, keys: Sequence[int]) -> Output:
    """Replay stored queries: the changed ones, and the causes."""
    from app.display.review.replay import cause_line, change_line, replay_document, replay_sentence

    changed, last = list[ReplayedQuery](), ReplayProgress(0, len(keys))
    with Progress("asking again") as progress:
        async with aclosing(workbench.history.replay(keys)) as steps:
            async for last in steps:
                progress(last.done, last.of)
                changed += last.changed
    lines = []
    for one in changed:
        causes = dict.fromkeys(cause_line(cause) for each in one.differences for cause in each.causes)
        lines.append(f"{one.before.key or 0:>6}  {one.before.text}  {change_line(one)}")
        lines += [f"          because {cause}" for cause in causes]
    lines.append(replay_sentence(last, len(changed), is_running=False))
    return Output(lines, replay_document(last, changed))


# ---- duplicates


async def duplicates(workbench: Workbench, options: argparse.Namespace) -> Output:
    from app.display.library.duplicates import counts, counts_line, finding_document, finding_lines, searched_line

    verbs = workbench.duplicates
    given = {"spelling": options.spelling, "meaning": options.meaning}
    least = replace(verbs.thresholds, **{key: value for key, value in given.items() if value is not None})
    with Progress("comparing") as progress:
        found = await last_of(verbs.search(least), progress)
    shown = found.found[: options.most]
    if options.apart is not None:
        finding, _ = _finding(found.found, options.apart, with_place=False)
        return done(await verbs.mark_different(finding, source=SOURCE), "No change: they are marked as different.")
    for wanted, verb in ((options.keep, verbs.keep), (options.merge, verbs.merge), (options.drop, verbs.drop)):
        if wanted is not None:
            finding, place = _finding(found.found, wanted, with_place=True)
            return done(await verb(finding, place, source=SOURCE), "No change.")
    lines = [line for finding in shown for line in finding_lines(finding)]
    lines.append(f"{counts_line(counts(found.found, found.left_out))}. {searched_line(found, least)}")
    documents = [finding_document(finding) for finding in shown]
    return Output(lines, {"searched": found.searched, "unembedded": found.unembedded, "findings": documents})


def _finding(found: Sequence[DuplicateFinding], wanted: str, *, with_place: bool) -> tuple[DuplicateFinding, int]:
    """Find a finding by its displayed key; with `with_place` also the index of a trigger."""
    from app.display.library.duplicates import finding_key

    key, _, place = wanted.strip().lower().partition(".")
    named = [finding for finding in found if finding_key(finding) == key]
    if len(named) != 1:
        raise KnownError(f"No finding {key} now: “intentscope duplicates” lists them.")
    (finding,) = named
    if with_place and not 0 < whole(place) <= len(finding.holdings):
        raise KnownError(f"Name one of its triggers: {key}.1 to {key}.{len(finding.holdings)}.")
    return finding, whole(place) - 1


# ---- cases


async def cases(workbench: Workbench, options: argparse.Namespace) -> Output:
    from app.display.library.cases import case_document, case_line

    wanted = CaseFilter(options.find or "", None if options.task is None else Task(options.task))
    found, counts = await workbench.catalogue.find_cases(wanted, CaseOrder.KEY, descending=True)
    shown = await workbench.catalogue.cases(found.keys[: options.most])
    lines = [case_line(case) for case in shown.values()]
    every = sum(counts.values())
    lines.append(f"{len(shown):,} of {quantity(every, 'case')}.")
    return Output(lines, {"all": every, "cases": [case_document(case) for case in shown.values()]})
