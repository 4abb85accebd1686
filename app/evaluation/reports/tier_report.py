"""What the tiers of powers come to, as parts of a JSON document and as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.language import numeral, percents, say, small, thousands
from app.domain.match import TIER_WORDS, Tier
from app.evaluation.evaluation import Evaluation
from app.evaluation.tier_quality import (
    ACCURACY_TARGET,
    DISTANCES,
    MEAN_MS,
    SEARCH_MS,
    TOP3_TARGET,
    Offer,
    SearchTimes,
    TierQuality,
)
from app.evaluation.token_cost import DOCUMENTED, DOCUMENTED_ANSWER, DOCUMENTED_EVERYTHING, DOCUMENTED_SAVING, TokenCost


def counted(counts: Iterable[tuple[str, int]]) -> list[str]:
    """A line for each name with its count and share."""
    found = list(counts)
    total = sum(count for _, count in found) or 1
    return table([(name, thousands(count), percents(count / total)) for name, count in found])


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of equal length as lines, indented, their columns padded to one width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return ["  " + line.rstrip() for line in lines]


# --------------------------------------------------------------------------------------------------------------------
# What the tiers of powers come to, as parts of a JSON document and as lines for people

Document = dict[str, Any]

_OFFERS: Mapping[Offer, str] = {
    Offer.RIGHT: say("a right power"),
    Offer.WRONG: say("only wrong ones"),
    Offer.NOTHING: say("nothing"),
}


def tier_document(evaluation: Evaluation) -> Document:
    """`tier_quality`, `times` and `tokens`; null where they do not apply or were not asked for."""
    quality, times, tokens = evaluation.tier_quality, evaluation.times, evaluation.tokens
    return {
        "tier_quality": None if quality is None else _quality_document(quality),
        "times": None if times is None else _times_document(times),
        "tokens": None if tokens is None else _tokens_document(tokens),
    }


def _quality_document(quality: TierQuality) -> Document:
    friction = quality.friction
    return {
        "expecting": quality.expecting,
        "right": quality.right,
        "accuracy": quality.accuracy,
        "confusion": {
            meant.value: {got.value: n for got, n in row.items()} for meant, row in quality.confusion.items()
        },
        "offers": {kind.value: dict(zip(DISTANCES, row, strict=True)) for kind, row in quality.offers.items()},
        "served": quality.served,
        "friction": None if friction is None else {"least": friction[0], "most": friction[1]},
        "wrongly_activated": quality.wrongly_activated,
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
        "counter": cost.counter,
        "powers": cost.powers,
        "tools": cost.tools,
        "everything": cost.everything,
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
    """A tier as people read it, within a line."""
    return small(say(TIER_WORDS[tier]))


def tier_sections(evaluation: Evaluation) -> Iterable[list[str]]:
    """Sections of lines: where the answers fell, what was meant, what a search takes, and what an answer costs."""
    quality, times, tokens = evaluation.tier_quality, evaluation.times, evaluation.tokens
    if quality is not None:
        occupied = counted((_word(tier), count) for tier, count in evaluation.tiers.items())
        yield [say("Tiers"), *occupied, *_quality_lines(quality)]
        if quality.expecting:
            yield [say("Tiers meant (rows) and got (columns)"), *_meant_lines(quality, evaluation.metrics["top3"])]
            yield [say("Powers offered (rows), and how far the tier is from the one meant"), *_offer_lines(quality)]
    if times is not None:
        yield [say("Search, one query at a time, nothing started"), *_time_lines(times)]
    if tokens is not None:
        yield [say("Tokens, counted by the tokenizer {counter}", counter=tokens.counter), *_token_lines(tokens)]


def _quality_lines(quality: TierQuality) -> Iterable[str]:
    for tier in quality.unreachable:
        yield say("No query can end in {tier} under these settings.", tier=_word(tier))
    if quality.friction is not None:
        least, most = quality.friction
        yield say(
            "Turns of friction where a power is expected: {least} to {most} on the average.",
            least=numeral(f"{least:.2f}"),
            most=numeral(f"{most:.2f}"),
        )
    yield say(
        "Queries that would start a wrong power: {wrongly_activated}.",
        wrongly_activated=thousands(quality.wrongly_activated),
    )


def _meant_lines(quality: TierQuality, top3: float | None) -> Iterable[str]:
    yield from table(
        [
            ("", *map(_word, Tier)),
            *((_word(meant), *(thousands(row[got]) for got in Tier)) for meant, row in quality.confusion.items()),
        ]
    )
    yield _against(say("Tier as meant"), quality.accuracy, ACCURACY_TARGET)
    yield _against(say("A right power among the first 3"), top3, TOP3_TARGET)


def _offer_lines(quality: TierQuality) -> Iterable[str]:
    heads = ("", say("as meant"), say("the next one"), say("further off"))
    yield from table([heads, *((say(_OFFERS[kind]), *map(str, row)) for kind, row in quality.offers.items())])
    yield say(
        "In whichever tier, {share} offer a right power, or nothing where none serves.",
        share=percents(quality.served or 0),
    )


def _against(what: str, share: float | None, target: float) -> str:
    if share is None:
        return say("{what}: does not apply.", what=what)
    verdict = say("met") if share > target else say("not met")
    return say(
        "{what}: {share}; the target of more than {target} is {verdict}.",
        what=what,
        share=percents(share),
        target=percents(target, 0),
        verdict=verdict,
    )


def _time_lines(times: SearchTimes) -> Iterable[str]:
    yield from table(
        [(_word(tier), say("{mean} ms", mean=numeral(f"{mean:.1f}"))) for tier, mean in times.by_tier.items()]
    )
    least, most = SEARCH_MS
    verdict = say("met") if times.mean <= most else say("not met")
    yield say(
        "Mean {mean} ms, p50 {p50} ms, p95 {p95} ms of {n} queries.",
        mean=numeral(f"{times.mean:.1f}"),
        p50=numeral(f"{times.p50:.1f}"),
        p95=numeral(f"{times.p95:.1f}"),
        n=thousands(times.n),
    )
    yield say(
        "The target of {least} to {most} ms at most is {verdict}.",
        least=numeral(f"{least:g}"),
        most=numeral(f"{most:g}"),
        verdict=verdict,
    )


def _token_lines(cost: TokenCost) -> Iterable[str]:
    heads = (say("share"), say("answer"), say("tools told after"), say("together"), say("document 003"))
    rows: list[Sequence[str]] = [("", *heads)]
    total = sum(row.n for row in cost.by_tier.values())
    for tier, row in cost.by_tier.items():
        share, documented = DOCUMENTED[tier]
        figures = (
            percents(row.n / total),
            numeral(f"{row.answer:,.0f}"),
            numeral(f"{row.tools:,.0f}"),
            numeral(f"{row.both:,.0f}"),
        )
        rows.append(
            (
                _word(tier),
                *figures,
                say("{documented} at {share}", documented=thousands(documented), share=percents(share, 0)),
            )
        )
    average = (
        numeral(f"{cost.answer:,.0f}"),
        numeral(f"{cost.both - cost.answer:,.0f}"),
        numeral(f"{cost.both:,.0f}"),
    )
    rows.append((say("average"), "", *average, thousands(DOCUMENTED_ANSWER)))
    yield from table(rows)
    sentence = say(
        "All {tools} tools of all {powers} powers: {everything} (003: {documented_everything}).",
        tools=thousands(cost.tools),
        powers=thousands(cost.powers),
        everything=thousands(cost.everything),
        documented_everything=thousands(DOCUMENTED_EVERYTHING),
    )
    if cost.saving is None:
        yield sentence
    else:
        yield say(
            "{sentence} Saved: {saving} (003: {documented_saving}).",
            sentence=sentence,
            saving=percents(cost.saving),
            documented_saving=percents(DOCUMENTED_SAVING, 0),
        )
