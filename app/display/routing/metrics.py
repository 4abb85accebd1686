"""001's routing metrics: measures with targets, curves, shares; the dashboard in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from app.display import numbers, words
from app.display.evaluation.diagnostics import Chart, Series
from app.display.routing.path import dollars
from app.display.system.metrics import NO_USE, Row, Table, table_lines
from app.domain.documents import fields_of
from app.domain.history import UsageCounter, UsageTotals
from app.domain.inspection import METHODS, RouteDecision
from app.domain.language import percents, plural, quantity
from app.domain.route import DOCUMENTED, ROUTE_NAMES, CacheLookup, CircuitName, RouteMethod, Routes, RouteStage
from app.domain.route_alerts import LIMITS, RouteAlarm
from app.evaluation.routing import DAY, PERCENTILES, RoutingMetrics, Share, Target, Totals
from app.services.engine.route_llm import NOT_WHILE_TYPING
from app.services.routing.routes import RoutingState

Document = dict[str, Any]


class TargetState(StrEnum):
    MET = "met"
    MISSED = "missed"
    ALARM = "alarm"
    NO_DATA = "no data"


@dataclass(frozen=True, slots=True)
class Measure:
    """Measure of the log: value, target, state, composition or what it lacks, and curve."""

    name: str
    value: str
    note: str
    chart: Chart
    target: str = ""
    state: TargetState = TargetState.NO_DATA

    @property
    def word(self) -> str:
        """State, if the measure is held against a target."""
        return self.state.value if self.target else ""

    @property
    def is_empty(self) -> bool:
        """True without a curve, which needs a period to hold against a target, else two."""
        return not any(len(series.xs) > (0 if self.target else 1) for series in self.chart.series)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Title and short title of a measure, its value in a period, its format, and its alarm."""

    title: str
    head: str
    value: Callable[[Totals], float | None]
    is_share: bool = True
    alarm: RouteAlarm | None = None


def _rate(title: str, head: str, alarm: RouteAlarm) -> _Kind:
    return _Kind(title, head, lambda one: one.counts.rates[alarm], alarm=alarm)


_MS = "P90 in ms"

KINDS: Mapping[str, _Kind] = {
    "rule hits": _rate("Decided by rules", "Rules", RouteAlarm.RULE_HITS),
    "LLM fallbacks": _rate("Decided by the LLM", "LLM", RouteAlarm.FALLBACKS),
    "accuracy": _rate("Right, of those with a case", "Right", RouteAlarm.ACCURACY),
    _MS: _Kind("P90, ms", "P90", lambda one: one.times["all"].p90, is_share=False),
    "cache hits": _Kind("Answered from the cache", "Cache", lambda one: one.cache_hits),
    "dollars a query": _Kind("Cost of a query", "Cost", lambda one: one.cost_per_query, is_share=False),
    "LLM errors": _rate("Failed questions to the LLM", "Failed", RouteAlarm.LLM_ERRORS),
}
"""Measures of 001 by the names of their targets, in order."""


def measures(found: RoutingMetrics, *, is_judged: bool) -> tuple[Measure, ...]:
    """Return every measure; targets only if `is_judged`."""
    across, fire = _across(found), {alert.name for alert in found.alerts}
    notes, made = _notes(found), []
    for target in found.targets:
        state = {None: TargetState.NO_DATA, True: TargetState.MET, False: TargetState.MISSED}[target.is_met]
        chart = _chart(target, found, across, is_judged=is_judged)
        one = Measure(
            KINDS[target.name].title,
            _written(target.name, target.value, (target.least, target.most)),
            notes.get(target.name, ""),
            chart if is_judged else replace(chart, band=None, alarms=()),
        )
        if is_judged:
            state = TargetState.ALARM if KINDS[target.name].alarm in fire else state
            one = replace(one, target=_bounds(target), state=state)
        made.append(one)
    return tuple(made)


def _times_by_method(found: RoutingMetrics, across: _Across) -> Iterator[Series]:
    """Yield a curve of logarithmic times per method, the line of all methods first."""
    for name in found.times:
        token, dash = LOOKS[name]
        shown = METHODS[RouteMethod(name)] if name in set(RouteMethod) else name  # the name of all methods stays
        values = [one.times[name].p90 if name in one.times else None for one in found.over_time]
        yield replace(_line(across, _log(values)), name=shown, token=token, dash=dash)


def _written(name: str, value: float | None, limits: Sequence[float | None] = ()) -> str:
    bounds = [bound for bound in limits if bound is not None]
    if value is None:
        return numbers.ABSENT
    if KINDS[name].is_share:
        return share_text(value, bounds)
    return numbers.milliseconds(value, bounds) if name == _MS else dollars(value)


def share_text(value: float, limits: list[float] | tuple[float, ...] = ()) -> str:
    """Format a share with one decimal, or more to stay on its side of a limit: "74.2 %"."""
    if value in (0.0, 1.0):
        return percents(value, 0)
    bounds = [0.0, 100.0, *(100.0 * limit for limit in limits)]
    written = (f"{100.0 * value:.{digits}f}" for digits in range(1, 8))
    shown = next((text for text in written if numbers.keeps_sides(100.0 * value, text, bounds)), repr(value))
    return f"{shown} %"


def _bounds(target: Target) -> str:
    def written(bound: float) -> str:
        if KINDS[target.name].is_share:
            return f"{100.0 * bound:g} %"
        return dollars(bound) if target.name.startswith("dollars") else f"{bound:g}"

    if target.least is not None and target.most is not None:
        return f"{written(target.least)} to {written(target.most)}"
    if target.least is not None:
        return f"≥ {written(target.least)}"
    return f"≤ {written(target.most or 0.0)}"


def metrics_lines(found: RoutingMetrics, *, has_stores: bool = False) -> list[str]:
    """Format 001's dashboard: measures (with stores also targets and alarms), shares, times."""
    rows = tuple(
        Row(one.name, (one.value, *((one.target, one.word) if has_stores else ())))
        for one in measures(found, is_judged=has_stores)
    )
    if found.marked.labelled:
        right, none = numbers.percent(found.marked.right, found.marked.labelled), ("", "") if has_stores else ()
        rows = (*rows, Row("Right, of those marked afterwards", (right, *none)))
    heads = ("", "Target", "") if has_stores else ("",)
    lines = table_lines([Table(quantity(found.count, "decision"), heads, rows)])
    lines += [f"Alarm: {alert.sentence}" for alert in found.alerts if has_stores]
    return [*lines, *table_lines(share_tables(found))] if found.count else lines


def share_tables(found: RoutingMetrics, routes: Routes = DOCUMENTED) -> tuple[Table, Table]:
    """Return the decisions by method and by route: counts, shares, the right ones, and times."""
    every = Share(*(sum(getattr(s, name) for s in found.by_method.values()) for name in ("count", "labelled", "right")))
    heads = ("Decisions", "Share", "Right")[: 3 if every.labelled else 2]

    def cells(held: Share) -> tuple[str, ...]:
        right = numbers.percent(held.right, held.labelled) if held.labelled else numbers.ABSENT
        return (numbers.count(held.count), numbers.percent(held.count, found.count), right)[: len(heads)]

    held_by = {METHODS[method]: (found.by_method.get(method.value), method.value) for method in RouteMethod}
    held_by |= {"all": (every, "all")} if found.count else {}
    methods = [
        Row(name, (*cells(held), *_percentiles(found.times.get(key)))) for name, (held, key) in held_by.items() if held
    ]
    by_route = sorted(found.by_intent.items(), key=lambda pair: -pair[1].count)
    intents = (Row(name, cells(held), color=routes.color_of(name)) for name, held in by_route)
    spent = f"These decisions have cost {dollars(found.cost)}." if found.cost else ""
    spread = tuple(f"P{percentile}" for percentile in PERCENTILES)
    return (
        Table("By method; times in ms", (*heads, *spread), tuple(methods), is_even=True),
        Table("By route", heads, tuple(intents), spent, is_even=True),
    )


def _percentiles(times: Any) -> tuple[str, ...]:
    if times is None:
        return (numbers.ABSENT,) * len(PERCENTILES)
    return tuple(numbers.milliseconds(getattr(times, f"p{percentile}")) for percentile in PERCENTILES)


def metrics_document(found: RoutingMetrics) -> Document:
    return {
        "n": found.count,
        **fields_of(found, "rule_hits", "fallbacks", "degraded", "cache_hits", "llm_errors"),
        **fields_of(found, "accuracy", "cost", "cost_per_query"),
        "times": {
            name: {"n": t.count, "p50_ms": t.p50, "p90_ms": t.p90, "p95_ms": t.p95, "p99_ms": t.p99}
            for name, t in found.times.items()
        },
        "by_method": {name: share_document(share) for name, share in found.by_method.items()},
        "by_intent": {name: share_document(share) for name, share in found.by_intent.items()},
        "marked": share_document(found.marked),
        "over_time": [_moment(one, found.seconds) for one in found.over_time],
        "targets": [
            {"name": t.name, "value": t.value, "least": t.least, "most": t.most, "met": t.is_met} for t in found.targets
        ],
        "alerts": [{"name": one.name.value, "value": one.value, "sentence": one.sentence} for one in found.alerts],
    }


def _moment(one: Totals, seconds: float) -> Document:
    rates = {name.value: rate for name, rate in one.counts.rates.items()}
    whole = one.times["all"]
    times = {"p50_ms": whole.p50, "p90_ms": whole.p90, "p95_ms": whole.p95, "p99_ms": whole.p99}
    costs = {"cache_hits": one.cache_hits, "cost_per_query": one.cost_per_query}
    at = datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds")
    return {"from": at, "seconds": seconds, "n": one.counts.decisions, **rates, **costs, **times}


def share_document(share: Share) -> Document:
    return {"n": share.count, "labelled": share.labelled, "right": share.right, "accuracy": share.accuracy}


MARKS_ACROSS = 4
"""Maximum number of time labels below a curve."""

MANY = 48
"""Number of points from which a line without gaps has no markers."""

_HALF = 0.5
"""Half the width of a point's step on the axis."""

LOOKS: Mapping[str, tuple[str, str]] = {
    "all": ("text", "solid"),
    RouteMethod.RULE: ("accent", "solid"),
    RouteMethod.CACHE: ("text_2", "dash"),
    RouteMethod.EXAMPLES: ("bar", "dash"),
    RouteMethod.LLM_FALLBACK: ("bar_over", "solid"),
    RouteMethod.BEST_RULE: ("success", "dot"),
    RouteMethod.DEGRADED: ("danger", "dot"),
}
"""Token and dash of each method's line."""

MOST_ROWS = 24
"""Maximum number of periods in the table, the newest."""


def moments(found: RoutingMetrics) -> Table:
    """Return the curves as a table for screen readers, newest first."""
    form = "%Y-%m-%d %H:%M" if found.seconds < DAY else "%Y-%m-%d"
    rows = []
    kinds = {name: kind for name, kind in KINDS.items() if any(kind.value(one) is not None for one in found.over_time)}
    for one in list(reversed(found.over_time))[:MOST_ROWS]:
        cells = (_written(name, kind.value(one)) for name, kind in kinds.items())
        at = datetime.fromtimestamp(one.at, UTC).strftime(form)
        rows.append(Row(at, (numbers.count(one.counts.decisions), *cells)))
    heads = ("Decisions", *(kind.head for kind in kinds.values()))
    return Table("Over time, newest first", heads, tuple(rows), is_even=True)


# ---- x axis: time


@dataclass(frozen=True, slots=True)
class _Across:
    """Places of the periods, and their labels."""

    places: tuple[int, ...]
    marks: tuple[float, ...]
    words: tuple[str, ...]

    @property
    def ends(self) -> tuple[float, float]:
        return -_HALF, (self.places[-1] if self.places else 0) + _HALF


def _across(found: RoutingMetrics) -> _Across:
    starts = [one.at for one in found.over_time]
    if not starts:
        return _Across((), (), ())
    first, seconds = starts[0], found.seconds
    places = tuple(round((at - first) / seconds) for at in starts)
    is_day = seconds < DAY and first // DAY == starts[-1] // DAY
    form = "%H:%M" if is_day else "%m-%d %H:%M" if seconds < DAY else "%m-%d"
    most = MARKS_ACROSS if is_day or seconds >= DAY else MARKS_ACROSS - 1  # a day with its hour needs more space
    step = (places[-1] + 1) / most
    marks = sorted({int(step * (part + _HALF)) for part in range(most)})
    words = tuple(datetime.fromtimestamp(first + mark * seconds, UTC).strftime(form) for mark in marks)
    return _Across(places, tuple(map(float, marks)), words)


def _line(across: _Across, values: Iterable[float | None]) -> Series:
    """Make a line with gaps where nothing was measured; empty if nothing ever was."""
    by_place = dict(zip(across.places, values, strict=True))
    whole = range(across.places[-1] + 1) if across.places else range(0)
    ys = [math.nan if (value := by_place.get(place)) is None else value for place in whole]
    if all(map(math.isnan, ys)):
        return Series("", (), (), "accent")
    has_gaps = any(map(math.isnan, ys))
    return Series("", tuple(map(float, whole)), tuple(ys), "accent", is_marked=has_gaps or len(ys) <= MANY)


# ---- y axis: value


def _chart(target: Target, found: RoutingMetrics, across: _Across, *, is_judged: bool) -> Chart:
    least, most = target.least or 0.0, target.most
    if target.name == _MS:
        timed = _timed(tuple(_times_by_method(found, across)), across, most if is_judged else None)
        return replace(timed, band=(timed.up[0], math.log10(most or 1.0)))
    values = [KINDS[target.name].value(one) for one in found.over_time]
    line = _line(across, values)
    if not KINDS[target.name].is_share:
        top = 1.1 * max(most or 0.0, *(value for value in values if value is not None), 0.0)
        ends = (0.0, most or top)
        return Chart((line,), across.ends, (0.0, top), across.marks, ends, (), across.words,
                     tuple(map(dollars, ends)), band=(least, most or top))  # fmt: skip
    highest = max((value for value in values if value is not None), default=0.0)
    top = next(one for one in _TOPS if one >= highest) if target.name == "LLM errors" else 1.0
    marks = (0.0, top / 2, top)
    return Chart((line,), across.ends, (0.0, top), across.marks, marks, (), across.words,
                 tuple(f"{100 * mark:g} %" for mark in marks), (least, top if most is None else most),
                 _alarm(target.name))  # fmt: skip


_TOPS = (0.1, 0.2, 0.5, 1.0)
"""Upper ends of a failure scale; the alarm is at one twentieth."""


def _alarm(name: str) -> tuple[tuple[float, str], ...]:
    alarm = KINDS[name].alarm
    if alarm is None:
        return ()
    limit = LIMITS[alarm]
    way = "over" if alarm in (RouteAlarm.FALLBACKS, RouteAlarm.LLM_ERRORS) else "under"
    return ((limit, f"alarm {way} {100 * limit:g} %"),)


def _timed(lines: tuple[Series, ...], across: _Across, most: float | None = None) -> Chart:
    """Make a chart of logarithms of ms, with powers of ten as marks."""
    found = [y for line in lines for y in line.ys if not math.isnan(y)] or [0.0]
    low = math.floor(min(found))
    high = max(math.ceil(max(found) + 1e-9), low + 1, math.ceil(math.log10(most)) if most else low)
    marks = tuple(map(float, range(low, high + 1)))
    words = tuple(numbers.milliseconds(10.0**mark) if mark >= 0 else f"{10.0**mark:g}" for mark in marks)
    return Chart(lines, across.ends, (marks[0], marks[-1]), across.marks, marks, (), across.words, words)


_LEAST_MS = 0.01


def _log(values: Iterable[float | None]) -> list[float | None]:
    return [None if value is None else math.log10(max(value, _LEAST_MS)) for value in values]


# ---- composition of a value


def _notes(found: RoutingMetrics) -> dict[str, str]:
    counts = {name: held.count for name, held in found.by_method.items()}
    whole = numbers.count(found.count)
    labelled = sum(held.labelled for held in found.by_method.values())
    right = sum(held.right for held in found.by_method.values())
    notes = {
        name: f"{numbers.count(counts.get(method, 0))} of {whole}"
        for name, method in (("rule hits", RouteMethod.RULE), ("LLM fallbacks", RouteMethod.LLM_FALLBACK))
    }
    notes["accuracy"] = _of(right, labelled, "No case covers these queries yet.")
    if found.marked.count:
        after = numbers.percent(found.marked.right, found.marked.labelled)
        notes["accuracy"] += f" · marked afterwards: {after}"
    if (times := found.times.get("all")) is not None:
        spent = ((name, numbers.milliseconds(getattr(times, name.lower()))) for name in ("P50", "P95", "P99"))
        notes[_MS] = " · ".join(f"{name} {ms}" for name, ms in spent)
    asked = sum(one.counts.llm_calls for one in found.over_time)
    cached = counts.get(RouteMethod.CACHE, 0)
    notes["cache hits"] = _of(cached, cached + asked, "The LLM was not asked, so there was nothing to keep.")
    failed = sum(one.counts.llm_errors for one in found.over_time)
    notes["LLM errors"] = _of(failed, asked, "The LLM was not asked.")
    notes["dollars a query"] = f"{dollars(found.cost)} in all"
    return notes


def _of(part: int, whole: int, nothing: str) -> str:
    return f"{numbers.count(part)} of {numbers.count(whole)}" if whole else nothing


@dataclass(frozen=True, slots=True)
class Dashboard:
    """View model of the routing metrics. `flatlines` are alarms of a router that never varies.

    `is_judged`: values are compared with their targets, which assume connected stores. `intents` are those in the log.
    """

    n: int
    measures: tuple[Measure, ...]
    flatlines: tuple[str, ...]
    alerts: tuple[str, ...]
    tables: tuple[Table, ...]
    intents: tuple[str, ...]
    is_judged: bool = False

    @property
    def legend(self) -> str:
        """Legend of the curves, or why they have no targets."""
        if self.is_judged:
            return "Shaded: within the target. Dashed: where it is an alarm. Times are UTC."
        return "No store is set up, so there are neither targets nor alarms. Times are UTC."


def dashboard(
    found: RoutingMetrics, use: UsageTotals = NO_USE, *, has_stores: bool = False, routes: Routes = DOCUMENTED
) -> Dashboard:
    """Make the dashboard of a log; without stores every route is advice, without targets."""
    over_time = (moments(found),) if len(found.over_time) > 1 else ()
    caches = cache_tables(use) if found.cache_hits is not None else ()
    every, nothing = measures(found, is_judged=has_stores), (numbers.ABSENT, dollars(0.0))
    return Dashboard(
        n=found.count,
        measures=tuple(one for one in every if one.target or one.value not in nothing),
        flatlines=flatlines(found) if has_stores else (),
        alerts=tuple(alert.sentence for alert in found.alerts if has_stores and alert.name is not RouteAlarm.FLATLINE),
        tables=(*share_tables(found, routes), *caches, *over_time),
        intents=found.intents,
        is_judged=has_stores,
    )


def flatlines(found: RoutingMetrics) -> tuple[str, ...]:
    return tuple(alert.sentence for alert in found.alerts if alert.name is RouteAlarm.FLATLINE)


FLATLINE_TITLE = "Flatline: the router looks stuck"
FLATLINE_ADVICE = (
    "Different queries should get different decisions. Check whether the rules match at all, whether the encoder "
    "is ready, and whether the same query is repeated."
)


CACHES: Mapping[str, tuple[CacheLookup, CacheLookup]] = {
    "Redis": (CacheLookup.REDIS_HIT, CacheLookup.REDIS_MISS),
    "This library": (CacheLookup.TABLE_HIT, CacheLookup.TABLE_MISS),
}
"""Caches in order of look-up, with the counters of hits and misses."""


def cache_tables(use: UsageTotals) -> tuple[Table, ...]:
    """Make the table of cache look-ups and hits, Redis first; empty without look-ups."""
    rows = []
    for name, (hit, miss) in CACHES.items():
        hits = use[UsageCounter.ROUTE_CACHES, hit]
        if looks := hits + use[UsageCounter.ROUTE_CACHES, miss]:
            rows.append(Row(name, (numbers.count(looks), numbers.count(hits), numbers.percent(hits, looks))))
    gone = use[UsageCounter.ROUTE_CACHES, CacheLookup.REDIS_GONE]
    told = f"Redis did not answer {quantity(gone, 'time')}; the table did."
    heads = ("Looked up", "Found", "Hit rate")
    title = f"Cached answers of the LLM, last {use.days} days"
    return (Table(title, heads, tuple(rows), told if gone else ""),) if rows else ()


# ---- Router as a whole: its inputs, a silent LLM, results of clearing and teaching.


MOST_CHOICES = 9
"""Maximum number of routes with a digit."""

CIRCUITS: dict[CircuitName, str] = {
    CircuitName.CLOSED: "in use",
    CircuitName.HALF_OPEN: "on trial after failures",
    CircuitName.OPEN: "left alone after failures",
}


def teachable_routes(state: RoutingState | None, routes: Routes) -> tuple[str, ...]:
    """Return the routes with a digit: the enabled ones, or custom labels without a route."""
    own = state.labels if state is not None else ()
    if own and not routes.own and ROUTE_NAMES.isdisjoint(own):
        return tuple(own[:MOST_CHOICES])
    return tuple(row.name for row in routes.on)[:MOST_CHOICES]


def route_button_text(label: str, routes: Routes) -> str:
    """Return the label of a route's button: its title, otherwise its name."""
    row = routes.find(label)
    return row.title if row is not None and row.title else words.with_titles(label)


def state_line(state: RoutingState) -> str:
    """Return the router's state in a line: examples; with an LLM also cache, circuit and cost."""
    own = state.examples - state.shipped
    parts = [plural(state.shipped, "{n} example that ships", "{n} examples that ship"), f"{own:,} taught here"]
    if state.has_llm or state.kept:
        parts.append(cached_answers_text(state.kept))
    if state.has_llm:
        spent, budget = dollars(state.spent), dollars(state.budget)
        parts.append(f"LLM {CIRCUITS[state.circuit.name]}")
        parts.append(f"{spent} of {budget} spent this month")
    return " · ".join(parts)


def cached_answers_text(count: int) -> str:
    return f"{quantity(count, 'answer')} of the LLM kept"


def problem_sentence(state: RoutingState | None) -> str:
    """Return what limits the router, in a sentence; "" for nothing."""
    if state is None or state.circuit.name is CircuitName.CLOSED or not state.circuit.sentence:
        return ""
    return f"{state.circuit.sentence} Rules, kept answers and examples decide meanwhile."


def can_ask_llm(route: RouteDecision | None) -> bool:
    """Check if the LLM was left out only because the query is being typed."""
    return route is not None and any(
        step.stage is RouteStage.LLM and step.sentence == NOT_WHILE_TYPING for step in route.steps
    )


def taught_message(label: str, *, is_new: bool) -> str:
    """Return what was taught, for the message that offers undo."""
    goes = f"this query goes to {words.with_titles(label)}"
    return f"Taught: {goes}." if is_new else f"Changed: {goes} from now on."


def cache_cleared_message(count: int) -> str:
    return f"Forgot {quantity(count, 'answer')} of the LLM."


def log_cleared_message(count: int) -> str:
    return f"Forgot {quantity(count, 'decision')}."


def clear_log_question(count: int) -> str:
    every = plural(count, "the {n} decision", "all {n} decisions")
    more = "What questions to the LLM have cost this month stays, without their texts."
    return f"Forget {every} of the log? This cannot be undone. {more}"
