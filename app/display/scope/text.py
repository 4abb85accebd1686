"""Inspection as plain text, for the clipboard and the terminal; coverage of candidates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.display import numbers, words
from app.display.scope.intent import intent_card, learned_lines
from app.display.scope.llm import choice_line, status_of
from app.display.scope.match_rows import MatchRow, match_details, match_rows, power_card, route_card, scorer_keys
from app.display.scope.merging import MergeRow
from app.display.scope.timing import waterfall
from app.display.scope.verdict import coverage_words, decisions, injected_of, notes_beside, verdict
from app.display.words import visible
from app.domain.inspection import Decision, Inspection, Resolution, ServerSearch
from app.domain.language import plural
from app.domain.library import Kind
from app.domain.llm import LlmOutcome
from app.domain.match import Match, Tier

if TYPE_CHECKING:
    from app.ports.datastore import SearchStatus
    from app.settings.model import Settings


FINE = 10_000
"""Denominator of displayed shares."""


def approximation_sentence(searched: ServerSearch | None) -> str:
    """Return one or two sentences on the search; "" if every memory was scored."""
    if searched is None:
        return ""
    if searched.is_coming:
        return "The team's server is asked which memories may answer; those that were found lately are here."
    if searched.fault:
        return f"{searched.fault} Of the memories only those are scored that were found lately."
    words = f"Approximate: the team's server chose {searched.found:,} memories among {searched.triggers:,} triggers."
    if searched.other_encoder:
        more = f"Their vectors are of another encoder ({searched.other_encoder}), so meaning found none."
    else:
        more = recall_text(searched.recall, searched.measured)
    ways = f"By meaning came {searched.by_meaning:,}, by words {searched.by_words:,}."
    return f"{words} {more} {ways}"


def recall_text(recall: float | None, day: str) -> str:
    """Return the measured recall of the nearest ten, and its date."""
    if recall is None:
        return "How many of the nearest it finds was never measured."
    shown = numbers.percent(round(recall * FINE), FINE)
    return f"Of the nearest ten it finds {shown} (measured {day})."


# ---- status of the server's index


def search_status_lines(standing: SearchStatus) -> str:
    """Return the number of indexed triggers, and if the index is current and complete."""
    words = f"{standing.triggers:,} triggers are searched on the server, by vectors of {standing.encoder}."
    behind = standing.head - standing.seq
    fresh = (
        plural(behind, "{n} change is newer: what it", "{n} changes are newer: what they")
        + " touched is scored beside what the server finds."
        if behind
        else "All changes are there."
    )
    return " ".join([words, fresh, recall_text(standing.recall, standing.measured)])


def search_document(standing: SearchStatus | None) -> dict[str, Any] | None:
    """Make the JSON document of the candidate search; null without one."""
    if standing is None:
        return None
    found = asdict(standing)
    return {"triggers": found.pop("triggers"), "shards": 1, **found, "measured": standing.measured or None}


_TOLD = (LlmOutcome.LATE, LlmOutcome.MODEL_MISSING, LlmOutcome.UNREADABLE, LlmOutcome.FAILED)
"""Outcomes of the LLM that need a sentence, which names what to do where something is wrong."""


def as_text(inspection: Inspection, settings: Settings | None = None) -> str:
    """Return all that the window shows of a query as text: the answer, then its arithmetic."""
    parts = [
        [visible(f"Query: {inspection.query.text[:_LONGEST_QUERY]}"), *note_lines(notes_beside(inspection, settings))],
        _verdict_lines(inspection, settings),
        match_lines(inspection, settings),
        [visible(line) for line in filter(None, [approximation_sentence(inspection.searched)])],
        outcome_lines(inspection, settings),
        intent_lines(inspection, settings),
        arithmetic_lines(inspection, settings),
        time_lines(inspection),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _verdict_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    """Return the headline of the window, and the reasons of memory and power."""
    if settings is None:
        return []
    shown = verdict(inspection, settings)
    return [visible(line) for line in (shown.headline, *(f"  {reason}" for reason in shown.reasons))]


def note_lines(notes: Iterable[str]) -> list[str]:
    return [visible(f"  {note}") for note in notes]


def intent_lines(inspection: Inspection, settings: Settings | None = None) -> list[str]:
    """Return the intent with its arithmetic and cues."""
    card = intent_card(inspection, settings)
    lines = [f"Type: {card.headline} {card.confidence}" if card.found else f"Type: {card.headline}"]
    lines.append(f"  {card.source}")
    lines += [f"  {_sum_line(row)}" for row in card.sums]
    report = inspection.trace.llm
    if report is not None and report.outcome is LlmOutcome.UNREACHABLE and report.sentence:
        from app.services.engine.connection import REMEDIES

        lines.append(f"  {report.sentence} {REMEDIES['Server']}")
    if report is not None and report.outcome in _TOLD:
        lines.append(f"  LLM: {status_of(report, inspection=inspection, settings=settings).sentence}")
    lines += [f"  {row.type}: {', '.join(row.cues)} ({row.weight})" for row in card.cues]
    topics = f"Topics: {', '.join(card.topics)}" if card.topics else ""
    lines += [f"  {line}" for line in (card.other, *learned_lines(card.learned), topics, card.no_topics) if line]
    return [visible(line) for line in lines]


def _sum_line(row: MergeRow) -> str:
    """Return one row of the sum, without empty parts."""
    if row.adds:
        return f"{row.what}: {row.how} = {row.value}"
    said = ", ".join(part for part in (row.how, row.value) if part and part != numbers.ABSENT)
    return f"{row.what}: {said}" if said else row.what


def match_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    rows = match_rows(inspection, settings)
    if not rows:
        return ["No matches."]
    keys = scorer_keys(inspection)
    scorers = [words.scorer(key) for key in keys]
    name_width = min(32, max(len(row.name) for row in rows))
    heads = f"{'confidence':>10}  lead"
    kind_width = max(len(_kind_word(row)) for row in rows)
    lines = [
        f"{'':{name_width}}  {'':{kind_width}}  {'':15} "
        + " ".join(f"{one.initial:>5} " for one in scorers)
        + f"  {heads}"
    ]
    lines += [_match_line(row, keys, name_width, kind_width) for row in rows]
    lines += [line for row in rows if (line := _own_threshold(row.match))]
    letters = ", ".join(f"{one.initial} {one.title.lower()}" for one in scorers)
    lines.append(f"{letters}; * decides, {numbers.ABSENT} absent")
    return [visible(line) for line in lines]


def arithmetic_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    """Return how the confidence of the first answer was computed: a power's, if no memory is found."""
    rows = [row for row in match_rows(inspection, settings) if row.match is inspection.first]
    details = [(row.name, match_details(inspection, row.match, settings).lines) for row in rows]
    return [visible(f"{name}: {line.text} = {line.result}") for name, lines in details for line in lines]


def _own_threshold(match: Match) -> str:
    """Return a sentence if a match is below its label's threshold; "" otherwise."""
    least, chance = match.threshold, match.confidence if match.label_chance is None else match.label_chance
    if least is None or chance >= least:
        return ""
    shown, needed = numbers.rough_chance(chance, (least,)), numbers.chance(least, (chance,))
    return f"{words.answer(match.answer.name)}: {shown} is below its own threshold {needed}."


def _kind_word(row: MatchRow) -> str:
    """Return the kind that a row's name refers to: memory, intent (label), or power."""
    is_label = row.kind is Kind.MEMORY and row.match.answer.answer_label == row.name
    return "Intent" if is_label else words.KINDS[row.kind]


def _match_line(row: MatchRow, scorers: Iterable[str], width: int, kind_width: int) -> str:
    name = row.name if len(row.name) <= width else row.name[: width - 1] + "…"
    cells = " ".join(f"{cell.text:>5}{'*' if cell.decides else ' '}" for cell in row.cells_of(scorers))
    more = f"  {row.more}" if row.more else ""
    head = f"{name:{width}}  {_kind_word(row):{kind_width}}  {row.level_word:15}"
    return f"{head} {cells}  {row.confidence:>10}  {row.lead}{more}".rstrip()


def outcome_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    """Return the choices of the LLM, the injected memories, the powers, if any is in use, and the route."""
    resolution, lines = inspection.resolution, [*_injection_lines(inspection, settings)]
    if resolution is not None and (resolution.matches or resolution.available):
        lines += _power_lines(inspection, settings)
    return [*map(visible, lines), *_route_lines(inspection, settings)]


def _injection_lines(inspection: Inspection, settings: Settings | None) -> Iterable[str]:
    yield from map(choice_line, inspection.trace.choices)
    if settings is not None and (found := injected_of(inspection, settings)).matches:
        names = ", ".join(one.answer.name for one in found.matches)
        yield f"Would be injected: {names}. {coverage_words(found, settings)}".rstrip()


def _power_lines(inspection: Inspection, settings: Settings | None) -> Iterable[str]:
    card = power_card(inspection, settings, is_typing=False)
    if card is not None:
        yield f"Powers: {card.badge}. {f'{card.name}{card.rest}'.strip()}"
        if card.sentence:
            yield f"  {card.sentence}"


def _route_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    if inspection.route is None:
        return []
    route = route_card(inspection.route, settings)
    return [visible(f"Route: {route.name}{route.rest} ({route.badge})")]


def time_lines(inspection: Inspection) -> list[str]:
    shown = waterfall(inspection.trace)
    lines = [f"  {bar.name:14} {bar.text:>9}  {bar.outcome}".rstrip() for bar in shown.bars]
    lines += [f"  {shown.scorers_text}"] if shown.scorers_text else []
    return [f"Time: {shown.settled_text}", *lines] if lines else []


# --------------------------------------------------------------------------------------------------------------------
# Inspection as Markdown, for issues, chats and notes

_SIGNS = re.compile(r"([\\`*_\[\]<>|#~&])")
_LONGEST_QUERY = 2000


def as_markdown(inspection: Inspection, settings: Settings | None = None) -> str:
    """Return everything the window shows of one query as Markdown, with user texts escaped."""
    parts = [
        [f"## {_escaped(inspection.query.text[:_LONGEST_QUERY])}"],
        _bullets(note_lines(notes_beside(inspection, settings))),
        _bullets(_verdict_lines(inspection, settings)),
        _table(inspection, settings),
        _bullets(outcome_lines(inspection, settings)),
        _bullets(intent_lines(inspection, settings)),
        [f"- {_code(line)}" for line in arithmetic_lines(inspection, settings)],
        _bullets(time_lines(inspection)),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _bullets(lines: Iterable[str]) -> list[str]:
    return [f"- {_escaped(line.strip())}" for line in lines]


def _table(inspection: Inspection, settings: Settings | None) -> list[str]:
    """Return the table of the matches, deciding scorers bold."""
    rows = match_rows(inspection, settings)
    if not rows:
        return ["No matches."]
    scorers = scorer_keys(inspection)
    titles = ["Answer", "Level", *(words.scorer(key).title for key in scorers), "Confidence", "Lead"]
    rule = ["---", "---", *("--:" for _ in titles[2:])]
    lines = [_row(titles), _row(rule)]
    for row in rows:
        scores = [f"**{cell.text}**" if cell.decides else cell.text for cell in row.cells_of(scorers)]
        name = _escaped(f"{row.name} ({row.more})" if row.more else row.name)
        lines.append(_row([name, row.level_word, *scores, f"**{row.confidence}**", row.lead]))
    return lines


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return _SIGNS.sub(r"\\\1", visible(text))


def _code(text: str) -> str:
    """Return a line as code, with a fence longer than any in the text."""
    text = visible(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""


# --------------------------------------------------------------------------------------------------------------------
# Resolution at the terminal: the chosen power, its start, and its tools


def resolution_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    """Return the lines of the memories, of the powers with their offers or start, and of the route."""
    resolution = inspection.resolution
    if resolution is None:
        return outcome_lines(inspection, settings)
    card, *sentences = _power_lines(inspection, settings)
    if resolution.status is Tier.ACTIVATED:
        # The card's sentence is about the threshold; these lines are about the start.
        powers = [card, *_run_lines(resolution)]
    else:
        powers = [card, *sentences, *_offer_lines(resolution)]
    lines = [*_injection_lines(inspection, settings)]
    if settings is not None and inspection.memories and not injected_of(inspection, settings).matches:
        memory = decisions(inspection, settings)[Decision.MEMORY]
        lines.append(f"Memory: {memory.name or 'none'}. {memory.reason}")
    lines += powers
    return [*map(visible, lines), *_route_lines(inspection, settings), *note_lines(inspection.notes)]


def _run_lines(resolution: Resolution) -> Iterable[str]:
    if resolution.gives_text:
        yield "  It has no server; this is its text:"
        yield from (f"    {line}" for line in resolution.matches[0].power.steering.split("\n"))
        return
    if resolution.started:
        yield "  " + "Started; it is stopped when this command ends."
    else:
        yield "  " + f"Not started. {resolution.reason or ''}"
    if resolution.needs_approval:
        name = resolution.matches[0].power.name
        yield "  " + f"“intentscope approve {name}” asks for approval of:"
        yield from (f"    {line}" for line in resolution.needs_approval.split("\n"))
    if not resolution.tools:
        yield "  " + "No tools are known."
    elif resolution.started:
        yield "  " + "Its tools now:"
    else:
        yield "  " + "Its tools as they are stored; none can be called now:"
    for tool in resolution.tools:
        yield f"    {tool.name}: {tool.description}" if tool.description else f"    {tool.name}"


def _offer_lines(resolution: Resolution) -> Iterable[str]:
    for match in resolution.matches:
        named = f"{match.power.name} {numbers.rough_chance(match.confidence)} {match.match_type}"
        yield "  " + ": ".join(filter(None, (named, match.power.summary)))
