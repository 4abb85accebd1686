"""Tiers of powers in an evaluation, as JSON document and as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.documents import fields_of
from app.domain.language import percents
from app.domain.match import TIER_WORDS, Tier
from app.evaluation.delivery import BLOCKER_WORDS
from app.evaluation.evaluation import Evaluation
from app.evaluation.tier_quality import (
    ACCURACY_TARGET,
    DISTANCES,
    DOCUMENTED,
    DOCUMENTED_ANSWER,
    DOCUMENTED_EVERYTHING,
    DOCUMENTED_SAVING,
    MEAN_MS,
    SEARCH_MS,
    TOP3_TARGET,
    Offer,
    SearchTimes,
    TierQuality,
    TokenCost,
)


def counted(counts: Iterable[tuple[str, int]]) -> list[str]:
    """Format a line per name with count and share."""
    found = list(counts)
    total = sum(count for _, count in found) or 1
    return table([(name, f"{count:,}", percents(count / total)) for name, count in found])


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows of equal length as indented lines with padded columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return ["  " + line.rstrip() for line in lines]


# --------------------------------------------------------------------------------------------------------------------
# Tiers of powers, as parts of a JSON document and as text

Document = dict[str, Any]

_OFFERS: Mapping[Offer, str] = {Offer.RIGHT: "a right power", Offer.WRONG: "only wrong ones", Offer.NOTHING: "nothing"}


def tier_document(evaluation: Evaluation) -> Document:
    """Build `tier_quality`, `times` and `tokens`; null if not applicable or not requested."""
    quality, times, tokens = evaluation.tier_quality, evaluation.times, evaluation.tokens
    return {
        "tier_quality": None if quality is None else _quality_document(quality),
        "times": None if times is None else _times_document(times),
        "tokens": None if tokens is None else _tokens_document(tokens),
    }


def _quality_document(quality: TierQuality) -> Document:
    friction = quality.friction
    return {
        **fields_of(quality, "expecting", "right", "accuracy"),
        "confusion": {
            meant.value: {got.value: n for got, n in row.items()} for meant, row in quality.confusion.items()
        },
        "offers": {kind.value: dict(zip(DISTANCES, row, strict=True)) for kind, row in quality.offers.items()},
        "served": quality.served,
        "friction": None if friction is None else {"least": friction[0], "most": friction[1]},
        "wrongly_activated": quality.wrongly_activated,
        "blocked": {blocker.value: count for blocker, count in quality.blocked.items()},
        "wrongly_blocked": quality.wrongly_blocked,
        "unreachable": [tier.value for tier in quality.unreachable],
        "targets": {"tier_accuracy": ACCURACY_TARGET, "top3": TOP3_TARGET},
    }


def _times_document(times: SearchTimes) -> Document:
    return {
        "n": times.n,
        "mean_ms": times.mean,
        "p50_ms": times.p50,
        "p95_ms": times.p95,
        "by_tier_ms": {tier.value: mean for tier, mean in times.by_tier.items()},
        "targets": {"search_ms": list(SEARCH_MS), "mean_ms": MEAN_MS},
    }


def _tokens_document(cost: TokenCost) -> Document:
    return {
        **fields_of(cost, "counter", "powers", "tools", "everything"),
        "by_tier": {
            tier.value: {"n": row.n, "answer": row.answer, "tools": row.tools, "together": row.both}
            for tier, row in cost.by_tier.items()
        },
        "answer": cost.answer,
        "together": cost.both,
        "saving": cost.saving,
        "documented": {
            "everything": DOCUMENTED_EVERYTHING,
            "together": DOCUMENTED_ANSWER,
            "saving": DOCUMENTED_SAVING,
            "by_tier": {tier.value: {"share": share, "together": n} for tier, (share, n) in DOCUMENTED.items()},
        },
    }


def _word(tier: Tier) -> str:
    """Return the display name of a tier within a line."""
    return TIER_WORDS[tier].lower()


def occupied_tiers(evaluation: Evaluation) -> list[tuple[str, int]]:
    """Return name and number of cases of each tier, with a row for each reason not to start."""
    quality = evaluation.tier_quality
    blocked = {} if quality is None else quality.blocked
    rows = [(TIER_WORDS[tier], count) for tier, count in evaluation.tiers.items()]
    if not blocked or not rows:
        return rows
    (word, count), *others = rows
    apart = [(f"Confident, {BLOCKER_WORDS[one]}", n) for one, n in blocked.items()]
    return [(word, count - sum(blocked.values())), *apart, *others]


def tier_sections(evaluation: Evaluation) -> Iterable[list[str]]:
    """Format sections: tiers reached, tiers expected, search times, and token cost."""
    quality, times, tokens = evaluation.tier_quality, evaluation.times, evaluation.tokens
    if quality is not None:
        occupied = counted((word.lower(), count) for word, count in occupied_tiers(evaluation))
        yield ["Tiers", *occupied, *_quality_lines(quality)]
        if quality.expecting:
            yield ["Tiers meant (rows) and got (columns)", *_meant_lines(quality, evaluation.metrics["top3"])]
            yield ["Powers offered (rows), and how far the tier is from the one meant", *_offer_lines(quality)]
    if times is not None:
        yield ["Search, one query at a time, nothing started", *_time_lines(times)]
    if tokens is not None:
        yield [f"Tokens, counted by the tokenizer {tokens.counter}", *_token_lines(tokens)]


def _quality_lines(quality: TierQuality) -> Iterable[str]:
    for tier in quality.unreachable:
        yield f"No query can end in {_word(tier)} under these settings."
    if quality.friction is not None:
        least, most = quality.friction
        if_started = ", if every power could be started" if quality.blocked else ""
        yield f"Turns of friction where a power is expected: {least:.2f} to {most:.2f} on the average{if_started}."
    more = f"; {quality.wrongly_blocked:,} more if every power could be started" if quality.wrongly_blocked else ""
    yield f"Queries that would start a wrong power: {quality.wrongly_activated:,}{more}."


def _meant_lines(quality: TierQuality, top3: float | None) -> Iterable[str]:
    yield from table(
        [
            ("", *map(_word, Tier)),
            *((_word(meant), *(f"{row[got]:,}" for got in Tier)) for meant, row in quality.confusion.items()),
        ]
    )
    yield _against("Tier as expected", quality.accuracy, ACCURACY_TARGET)
    yield _against("A right power among the first 3", top3, TOP3_TARGET)


def _offer_lines(quality: TierQuality) -> Iterable[str]:
    heads = ("", "as meant", "the next one", "further off")
    yield from table([heads, *((_OFFERS[kind], *map(str, row)) for kind, row in quality.offers.items())])
    yield (f"In whichever tier, {percents(quality.served or 0)} offer a right power, or nothing where none serves.")


def _against(what: str, share: float | None, target: float) -> str:
    if share is None:
        return f"{what}: does not apply."
    verdict = "met" if share > target else "not met"
    return f"{what}: {percents(share)}; the target of more than {percents(target, 0)} is {verdict}."


def _time_lines(times: SearchTimes) -> Iterable[str]:
    yield from table([(_word(tier), f"{mean:.1f} ms") for tier, mean in times.by_tier.items()])
    least, most = SEARCH_MS
    verdict = "met" if times.mean <= most else "not met"
    yield (f"Mean {times.mean:.1f} ms, p50 {times.p50:.1f} ms, p95 {times.p95:.1f} ms of {times.n:,} queries.")
    yield f"The target of {least:g} to {most:g} ms at most is {verdict}."


def _token_lines(cost: TokenCost) -> Iterable[str]:
    heads = ("share", "answer", "tools told after", "together", "document 003")
    rows: list[Sequence[str]] = [("", *heads)]
    total = sum(row.n for row in cost.by_tier.values())
    for tier, row in cost.by_tier.items():
        share, documented = DOCUMENTED[tier]
        figures = (percents(row.n / total), f"{row.answer:,.0f}", f"{row.tools:,.0f}", f"{row.both:,.0f}")
        rows.append((_word(tier), *figures, f"{documented:,} at {percents(share, 0)}"))
    average = (f"{cost.answer:,.0f}", f"{cost.both - cost.answer:,.0f}", f"{cost.both:,.0f}")
    rows.append(("average", "", *average, f"{DOCUMENTED_ANSWER:,}"))
    yield from table(rows)
    sentence = (
        f"All {cost.tools:,} tools of all {cost.powers:,} powers: {cost.everything:,} (003: {DOCUMENTED_EVERYTHING:,})."
    )
    if cost.saving is None:
        yield sentence
    else:
        yield f"{sentence} Saved: {percents(cost.saving)} (003: {percents(DOCUMENTED_SAVING, 0)})."
