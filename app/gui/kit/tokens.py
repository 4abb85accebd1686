"""Colours of the design: tables of tokens, light and dark, each also in high contrast."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colours of one theme by their design names."""

    bg: str
    surface: str
    raised: str
    sunken: str
    segment_on: str
    border: str
    border_strong: str
    text: str
    text_2: str
    accent: str
    accent_fill: str
    on_accent: str
    accent_soft: str
    selection: str
    success: str
    warning: str
    danger: str
    level_best: str
    level_good: str
    level_weak: str
    level_none: str
    exact: str
    fuzzy: str
    token_overlap: str
    bm25: str
    semantic: str
    centroid: str
    description: str
    regression: str
    keyword: str
    bar: str
    bar_over: str
    success_soft: str
    warning_soft: str
    danger_soft: str

    def scorer(self, key: str) -> str:
        """Return the colour of a scorer; the text's for one without its own."""
        return str(getattr(self, key, self.text_2))


ROUTE_TOKENS = {
    "purple": "regression",
    "blue": "semantic",
    "green": "centroid",
    "orange": "fuzzy",
    "grey": "level_none",
    "sky": "token_overlap",
    "pink": "keyword",
    "olive": "bm25",
}
"""Token of each route colour; a route's name is always beside it."""

LIGHT = Tokens(
    bg="#F4F5F7",
    surface="#FFFFFF",
    raised="#FFFFFF",
    sunken="#E8EBF0",
    segment_on="#FFFFFF",
    border="#DCE0E6",
    border_strong="#838C9A",
    text="#1A1D23",
    text_2="#565E6C",
    accent="#4A45C8",
    accent_fill="#4A45C8",
    on_accent="#FFFFFF",
    accent_soft="#ECEBFB",
    selection="#E9E8FB",
    success="#146C43",
    warning="#8A5300",
    danger="#B3261E",
    level_best="#146C43",
    level_good="#1B5FAA",
    level_weak="#8A5300",
    level_none="#565E6C",
    exact="#3F4756",
    fuzzy="#B25E00",
    token_overlap="#1F86C2",
    bm25="#7A6A00",
    semantic="#1746A0",
    centroid="#00795A",
    description="#8A4B32",
    regression="#7A3FB0",
    keyword="#A23E78",
    bar="#7687A8",
    bar_over="#C25E00",
    success_soft="#E3F3EA",
    warning_soft="#FBF0DC",
    danger_soft="#FBE9E7",
)

DARK = Tokens(
    bg="#111317",
    surface="#181B20",
    raised="#22262D",
    sunken="#2B3039",
    segment_on="#434A57",
    border="#2D323B",
    border_strong="#7A8494",
    text="#E7E9ED",
    text_2="#A3ABB9",
    accent="#A5A1FF",
    accent_fill="#5B55DD",
    on_accent="#FFFFFF",
    accent_soft="#2A2950",
    selection="#26284A",
    success="#5CCB93",
    warning="#E8B04B",
    danger="#FF8A80",
    level_best="#5CCB93",
    level_good="#7FB6F5",
    level_weak="#E8B04B",
    level_none="#A3ABB9",
    exact="#E0E4EC",
    fuzzy="#F0A030",
    token_overlap="#62BDF0",
    bm25="#CDBB45",
    semantic="#7396FF",
    centroid="#34C79A",
    description="#C98F74",
    regression="#BE95FF",
    keyword="#DD79B4",
    bar="#7385A8",
    bar_over="#F09A3E",
    success_soft="#17301F",
    warning_soft="#332814",
    danger_soft="#3A1D1B",
)


def _in_high_contrast(tokens: Tokens, quiet: str, mark: str) -> Tokens:
    """Return high-contrast tokens: stronger hairlines and muted texts, no soft fills.

    The canvas draws outlines instead of soft fills.
    """
    return replace(
        tokens,
        border=mark,
        border_strong=mark,
        text_2=quiet,
        level_none=quiet,
        accent_soft=tokens.surface,
        success_soft=tokens.surface,
        warning_soft=tokens.surface,
        danger_soft=tokens.surface,
    )


LIGHT_HIGH = _in_high_contrast(LIGHT, quiet="#3B424E", mark="#565E6C")
DARK_HIGH = _in_high_contrast(DARK, quiet="#CDD3DD", mark="#A3ABB9")

OUTLINES = {"accent_soft": "accent", "success_soft": "success", "warning_soft": "warning", "danger_soft": "danger"}
"""Outline tokens that replace soft fills in high contrast."""
