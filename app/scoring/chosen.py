"""What the settings say about combining: the weights of the average and the order of the cascade (S2.10, S2.11)."""

from __future__ import annotations

from app.settings.model import Settings


def weights_of(settings: Settings) -> dict[str, float]:
    """The weight of each scorer in the weighted average."""
    weights = settings.weights
    return {
        "exact": weights.exact,
        "fuzzy": weights.fuzzy,
        "token_overlap": weights.token_overlap,
        "semantic": weights.semantic,
        "keyword": weights.keyword,
    }


def cascade_order(settings: Settings) -> list[tuple[str, float]]:
    """The scorers that the cascade asks, first to last, each with its threshold."""
    thresholds = settings.thresholds
    return [
        ("exact", thresholds.exact),
        ("keyword", thresholds.keyword),
        ("fuzzy", thresholds.fuzzy),
        ("token_overlap", thresholds.token),
    ]
