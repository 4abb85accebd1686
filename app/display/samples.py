"""SAMPLES: queries that show what the scope can show, for a library that holds what ships with the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.display import words


@dataclass(frozen=True, slots=True)
class Sample:
    """A query and, in a few words, what it shows; `with_llm` are those words where an LLM is set up, if others.

    `needs` are answers by name, each with a trigger of its own, without which the query shows something else.
    """

    shows: str
    text: str
    needs: tuple[tuple[str, str], ...]
    with_llm: str = ""

    def title(self, *, has_llm: bool) -> str:
        return words.say(self.with_llm if has_llm and self.with_llm else self.shows)


_POSTGRES, _MYSQL, _MONGODB = ("postgres", "postgres"), ("mysql", "mysql"), ("mongodb", "mongodb")

SAMPLES: tuple[Sample, ...] = (
    Sample(
        "A type from keywords",
        "why does the build keep failing on my mac",
        (("build-fails-locally", "build fails on macos"),),
    ),
    Sample("Activated", "run a postgres query", (_POSTGRES,)),
    Sample("Multiple matches", "check my database", (_POSTGRES, _MYSQL, _MONGODB)),
    Sample("Weak matches", "look into the money that never arrived", (("payments", "payments"),)),
    Sample("Not found", "how tall is mount everest", (_POSTGRES,)),
    Sample("A tie", "postgres or mysql, which is better for reports?", (_POSTGRES, _MYSQL)),
    Sample(
        "A conflict",
        "how do I reset the database",
        (
            ("reset-shared-data", "how do i reset the database"),
            ("reset-local-data", "how do i reset the database"),
        ),
    ),
    Sample(
        "An absent scorer",
        "what does held mean on an order",
        (("order-states", "what does held mean on an order"),),
    ),
    Sample(
        "No intent",
        "cant connect to the vpn from the train",
        (("vpn", "cant connect to the vpn"),),
        with_llm="Left to the LLM",
    ),
)
"""One for each tier, each source, and what else is worth seeing once."""


def samples_for(holds: Callable[[str, str], bool], samples: Iterable[Sample] = SAMPLES) -> tuple[Sample, ...]:
    """The samples all of whose answers a library holds; `holds` takes an answer's name and one of its triggers."""
    return tuple(sample for sample in samples if all(holds(name, trigger) for name, trigger in sample.needs))
