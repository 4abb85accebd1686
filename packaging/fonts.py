#!/usr/bin/env python3
"""Build the files in resources/fonts from the published fonts Inter and JetBrains Mono.

    python packaging/fonts.py INTER JETBRAINS_MONO

INTER is the unpacked npm package `inter-ui` (4.1.1), JETBRAINS_MONO the unpacked `jetbrains-mono` (1.0.6); needs
`fonttools` and `brotli`, which nothing else in the project uses.

Both are under the SIL Open Font License without reserved names, so they may be changed: Inter's variable file becomes
one file per weight, because Qt finds weights by file only; alternates in the private use area, hinting and unused
features are removed. The families are renamed so that Qt does not mix them with an Inter installed on the system.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

TO = Path(__file__).resolve().parent.parent / "resources" / "fonts"
WEIGHTS = {"Regular": 400, "Medium": 500, "SemiBold": 600, "Bold": 700}
SANS, MONO = "Inter for Intentscope", "JetBrains Mono for Intentscope"
FEATURES = ["ccmp", "locl", "mark", "mkmk", "kern", "tnum"]
"""OpenType features for scripts and tabular figures. `calt` would show a typed `10x20` as `10×20`."""
PRIVATE = range(0xE000, 0xF900)
TEXT_SIZE = 14
"""Inter's optical size for interfaces."""


def sans(package: Path, weight: int) -> TTFont:
    """Return Inter in one weight."""
    font = TTFont(package / "variable" / "InterVariable.woff2", recalcTimestamp=False)
    keep_words_as_they_are(font)
    return instancer.instantiateVariableFont(font, {"opsz": TEXT_SIZE, "wght": weight})


def mono(package: Path, style: str) -> TTFont:
    """Return JetBrains Mono without ligatures in one weight."""
    return TTFont(package / "fonts" / "webfonts" / f"JetBrainsMonoNL-{style}.woff2", recalcTimestamp=False)


def keep_words_as_they_are(font: TTFont) -> None:
    """Restrict tabular figures to digits; Inter also widens hyphens, which splits names."""
    figures = {font.getBestCmap()[ord(figure)] for figure in "0123456789"}
    table = font["GSUB"].table
    for record in table.FeatureList.FeatureRecord:
        for number in record.Feature.LookupListIndex if record.FeatureTag == "tnum" else ():
            for part in table.LookupList.Lookup[number].SubTable:
                single = getattr(part, "ExtSubTable", part)
                single.mapping = {glyph: wide for glyph, wide in single.mapping.items() if glyph in figures}


def write(font: TTFont, family: str, style: str, name: str) -> None:
    """Remove unused parts, rename the font, and write it as TrueType."""
    font.flavor = None
    options = subset.Options(hinting=False, layout_features=FEATURES, glyph_names=False, name_IDs=["*"])
    options.drop_tables += ["STAT", "DSIG", "gasp"]
    wanted = subset.Subsetter(options)
    wanted.populate(unicodes=[code for code in font.getBestCmap() if code not in PRIVATE and code < 0xF0000])
    wanted.subset(font)
    names = font["name"]
    kept = {number: names.getDebugName(number) for number in (0, 5, 13, 14)}
    plain = style in ("Regular", "Bold")
    named = {1: family if plain else f"{family} {style}", 2: style if plain else "Regular", 4: f"{family} {style}"}
    named |= {3: f"{name}-{style}", 6: f"{name}-{style}", **({} if plain else {16: family, 17: style})}
    names.names.clear()
    for number, text in sorted({**kept, **named}.items()):
        if text:
            names.setName(text, number, 3, 1, 0x409)
    font["OS/2"].usWeightClass = WEIGHTS[style]
    font.save(TO / f"{name}-{style}.ttf")


def main(inter: Path, jetbrains: Path) -> None:
    """Write all font files."""
    for style, weight in WEIGHTS.items():
        write(sans(inter, weight), SANS, style, "Inter")
        write(mono(jetbrains, style), MONO, style, "JetBrainsMono")


if __name__ == "__main__":
    main(*(Path(word) for word in sys.argv[1:]))
