"""Fit BRIEF, BRIEF_NONE and FEWER_PHRASES, and print them: `weights.py --part brief`.

Described powers are asked queries as a whole and in fragments, as while somebody types. Servers with half of their
tools are asked the names of the others, as short requests. The fit on some sources is judged on the others. Half of the
queries are out of scope.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import astuple, replace
from itertools import product

import numpy as np
from public_sets import EVEN_SHARES, Library, Queries, Sets, described_library, drawn, has_served, of_many_powers

from app.domain.library import Power
from app.scoring.columns.bm25 import VOID
from app.scoring.learned import logit
from app.scoring.learned.defaults import few_powers, for_few_powers
from app.scoring.text import name_in_words, words

SIZES = (6, 12, 18, 25, 70)

Constants = tuple[float, float, float]
TRIED: list[Constants] = [*product((0.0, 1.0, 1.5, 2.0, 2.5, 3.0), (0.0, 0.075, 0.1, 0.125), (0.0, 0.4, 0.7, 1.0))]
"""Values of FEWER_PHRASES, BRIEF and BRIEF_NONE."""


def fragments(text: str) -> list[str]:
    """Return beginnings of a text, a run of one to three words and one content word."""
    chance = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]))
    own = text.split()
    length = int(chance.integers(1, 4))
    first = int(chance.integers(0, max(len(own) - length, 0) + 1))
    found = [" ".join(own[:count]) for count in range(1, 5) if count < len(own)]
    found.append(" ".join(own[first : first + length]))
    found += chance.permutation([word for word in own if set(words(word)) - VOID])[:1].tolist()
    return [part for part in dict.fromkeys(found) if words(part)]


def loss(library: Library, powers: Sequence[Power], constants: Constants) -> float:
    """Return the mean loss under these constants."""
    fewer, brief, brief_none = constants
    many = of_many_powers(library, powers, fewer)
    asked, lacking = library.asked, library.asked.lacking
    assert lacking is not None, "these are queries of powers"
    at = np.array(astuple(for_few_powers(many, few_powers(len(powers)))))
    z = logit.z_of(replace(asked, lacking=None), at) * (1.0 - brief * lacking * (lacking + 1.0) / 2.0)[:, None]
    z[:, -1] += brief_none * lacking
    right = z[np.arange(len(z)), asked.right] - np.logaddexp.reduce(z, axis=1)
    return -float(asked.weights @ right) / float(asked.weights.sum())


def fit_brief(sets: Sets) -> None:
    """Print the constants of least mean loss, and their loss on the other sources."""
    lines = [replace(power, description=power.description.split(". ")[0], tools=()) for power in sets.servers]
    halves = [replace(power, tools=power.tools[::2]) for power in sets.servers]
    names = [(name_in_words(tool.name), (one.name,)) for one in sets.servers for tool in one.tools[1::2]]
    names = [(name, owner) for name, owner in names if words(name)]
    sets.texts.need([*(name for name, _ in names), *(text for power in (*lines, *halves) for text in power.triggers)])
    sources: dict[str, tuple[Sequence[Power], Queries]] = {
        "tools": (list(sets.plain_tools.values()), sets.tool_queries),
        "tools, paragraphs": (list(sets.tools.values()), sets.tool_queries),
        "servers": (sets.servers, sets.server_queries),
        "servers, one line": (lines, sets.server_queries),
        "servers, short requests": (halves, names),
    }
    chance, losses = np.random.default_rng(7), dict[str, np.ndarray]()
    for source, (powers, queries) in sources.items():
        rows = []
        for size in SIZES:
            chosen = drawn(chance, powers, size)
            for parts in (fragments, lambda text: [text]):
                library = described_library(sets, chance, source, chosen, queries, EVEN_SHARES, parts)
                if has_served(library.asked):
                    rows.append([loss(library, chosen, tried) for tried in TRIED])
        losses[source] = np.mean(rows, axis=0)
    for kind, other in (("tools", "servers"), ("servers", "tools")):
        best = int(np.mean([own for source, own in losses.items() if source.startswith(kind)], axis=0).argmin())
        held_out = [own for source, own in losses.items() if source.startswith(other)]
        found = ", ".join(f"{own[0]:.3f} -> {own[best]:.3f}" for own in held_out)
        print(f"fitted on {kind}: FEWER_PHRASES, BRIEF, BRIEF_NONE {TRIED[best]}; loss on {other} {found}")
    print(f"fitted on all: {TRIED[int(np.mean(list(losses.values()), axis=0).argmin())]}")
