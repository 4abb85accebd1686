"""Plot of `bench`: time per keystroke and memory over triggers, both logarithmic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

WIDTH, HEIGHT = 960, 420
LEFT, TOP, PANE_WIDTH, PANE_HEIGHT, BETWEEN = 70, 60, 370, 280, 90

COLOURS = ("#2a78d6", "#c2571a", "#2e8b57", "#8a4fbe")
"""Colours of the combinations in order, with a contrast to white of at least 3."""

INK, FAINT, GRID = "#1f2430", "#5b6270", "#dfe3ea"


@dataclass(frozen=True, slots=True)
class Line:
    """Named line through (triggers, value) points."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    dashed: bool = False


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """Fit k of value = c * size ** k by least squares of logs; None for fewer than two sizes."""
    if len({size for size, _ in points}) < 2:
        return None
    sizes, values = np.log([size for size, _ in points]), np.log([value for _, value in points])
    return float(np.polyfit(sizes, values, 1)[0])


def lines_of(found: Mapping[str, Any]) -> tuple[list[Line], list[Line]]:
    """Return the lines of ms per keystroke (dashed: lower limit) and of memory in MB."""
    sizes: Mapping[str, Any] = found["sizes"]
    names = list(next(iter(sizes.values()))["combinations"])
    times = [
        Line(name, _points(sizes, lambda row, name=name: row["combinations"][name]["p50_ms"]), colour)
        for name, colour in zip(names, COLOURS, strict=False)
    ]
    limit = Line("cdist + product", _points(sizes, lambda row: row["limit_ms"]), FAINT, dashed=True)
    arrays = Line("arrays of the index", _points(sizes, lambda row: row["memory"]), COLOURS[0])
    whole = Line("with the answers", _points(sizes, lambda row: row["resident"]), COLOURS[1])
    # Without figures of the system, or if freed memory was reused, there is nothing to draw.
    return [*times, limit], [line for line in (arrays, whole) if all(value > 0 for _, value in line.points)]


def _points(sizes: Mapping[str, Any], value: Any) -> list[tuple[float, float]]:
    return [(float(size), float(value(row))) for size, row in sizes.items()]


def svg(found: Mapping[str, Any]) -> str:
    times, memory = lines_of(found)
    machine = found["machine"]
    system = str(machine["platform"]).split("-")[0]
    about = f"{system}, {machine['cpus']} CPUs, Python {machine['python']}, seed {found['seed']}; medians, one thread"
    return picture({"ms per keystroke": times, "MB in memory": memory}, about)


def picture(panes: Mapping[str, Sequence[Line]], about: str) -> str:
    """Return two panes side by side by their titles, both axes logarithmic, with a caption."""
    (one, left), (other, right) = panes.items()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_pane(LEFT, one, left),
        *_pane(LEFT + PANE_WIDTH + BETWEEN, other, right),
        _text(LEFT, HEIGHT - 12, about, size=11, colour=FAINT),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _pane(left: float, title: str, lines: Sequence[Line]) -> list[str]:
    points = [point for line in lines for point in line.points]
    across, up = _span([size for size, _ in points]), _span([value for _, value in points])

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x = (math.log10(point[0]) - across[0]) / (across[1] - across[0])
        y = (math.log10(point[1]) - up[0]) / (up[1] - up[0])
        return left + x * PANE_WIDTH, TOP + (1 - y) * PANE_HEIGHT

    parts = [_text(left, TOP - 34, title, size=15, weight="bold")]
    for power in range(across[0], across[1] + 1):
        x, _ = at((10.0**power, 10.0 ** up[0]))
        parts.append(_stroke((x, TOP), (x, TOP + PANE_HEIGHT)))
        parts.append(_text(x, TOP + PANE_HEIGHT + 18, f"{10**power:,}", anchor="middle", colour=FAINT))
    for power in range(up[0], up[1] + 1):
        _, y = at((10.0 ** across[0], 10.0**power))
        parts.append(_stroke((left, y), (left + PANE_WIDTH, y)))
        parts.append(_text(left - 8, y + 4, f"{10.0**power:g}", anchor="end", colour=FAINT))
    parts.append(_text(left + PANE_WIDTH, TOP + PANE_HEIGHT + 36, "triggers", anchor="end", colour=FAINT))
    for place, line in enumerate(lines):
        parts += _drawn(line, [at(point) for point in line.points], left + 14, TOP + 18 + 18 * place)
    return parts


def _drawn(line: Line, places: Sequence[tuple[float, float]], x: float, y: float) -> list[str]:
    dash = ' stroke-dasharray="6 4"' if line.dashed else ""
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
    grown = exponent(line.points)
    said = line.name if grown is None else f"{line.name}: n^{grown:.2f}"
    return [
        f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="2"{dash}/>',
        *(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{line.colour}"/>' for px, py in places),
        f'<line x1="{x}" y1="{y - 4}" x2="{x + 22}" y2="{y - 4}" stroke="{line.colour}" stroke-width="2"{dash}/>',
        _text(x + 28, y, said),
    ]


def _span(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten around these values, at least one apart."""
    least, most = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return least, max(most, least + 1)


def _stroke(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{GRID}"/>'


def _text(
    x: float, y: float, said: str, *, size: int = 12, anchor: str = "start", colour: str = INK, weight: str = "normal"
) -> str:
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(said)}</text>'
