"""What is said about the router as a whole: what it rests on, why its LLM is silent, what was cleared and taught."""

from __future__ import annotations

from app.display import words
from app.display.routing.path import dollars
from app.domain.resolution import RouteDecision
from app.domain.route import ROUTE_NAMES, CircuitName, RouteIntent, RouteStage
from app.services.engine.route_llm import NOT_WHILE_TYPING
from app.services.routing.routes import RoutingState

MOST_CHOICES = 9
"""So many routes can be chosen by a digit."""

SHORT: dict[str, str] = {
    RouteIntent.GRAPH: "Graph",
    RouteIntent.VECTOR: "Vector",
    RouteIntent.HYBRID: "Hybrid",
    RouteIntent.TEMPORAL: "Temporal",
    RouteIntent.MULTI: "Several",
}
"""The five intents, as short as a button."""

CIRCUITS: dict[CircuitName, str] = {
    CircuitName.CLOSED: "in use",
    CircuitName.HALF_OPEN: "on trial after failures",
    CircuitName.OPEN: "left alone after failures",
}


def choices(state: RoutingState | None) -> tuple[str, ...]:
    """The routes that a digit can teach: the five, or a person's own where none of the five is taught."""
    own = state.labels if state is not None else ()
    if own and ROUTE_NAMES.isdisjoint(own):
        return tuple(own[:MOST_CHOICES])
    return tuple(intent.value for intent in RouteIntent)


def choice_word(label: str) -> str:
    """A route on a button."""
    return words.say(SHORT[label]) if label in SHORT else label


def standing(state: RoutingState) -> str:
    """What routing rests on, in a line: examples; where an LLM is set up, answers kept, the circuit, money."""
    own = state.examples - state.shipped
    parts = [
        words.say_n(state.shipped, "{n} example that ships", "{n} examples that ship"),
        words.say_n(own, "{n} taught here", "{n} taught here"),
    ]
    if state.has_llm or state.kept:
        parts.append(kept(state.kept))
    if state.has_llm:
        spent, budget = dollars(state.spent), dollars(state.budget)
        parts.append(words.say("LLM {word}", word=words.say(CIRCUITS[state.circuit.name])))
        parts.append(words.say("{spent} of {budget} spent this month", spent=spent, budget=budget))
    return " · ".join(parts)


def kept(count: int) -> str:
    """How many answers of the LLM are kept."""
    return words.say_n(count, "{n} answer of the LLM kept", "{n} answers of the LLM kept")


def trouble(state: RoutingState | None) -> str:
    """What keeps the router from its best, in a sentence; "" for nothing."""
    if state is None:
        return ""
    if state.circuit.name is not CircuitName.CLOSED and state.circuit.sentence:
        why = state.circuit.sentence
        return words.say("{why} Rules, kept answers and taught examples decide meanwhile.", why=why)
    return ""


def can_ask(route: RouteDecision | None) -> bool:
    """Whether the LLM could still say something: it was left out only because the query is being typed."""
    return route is not None and any(
        step.stage is RouteStage.LLM and step.sentence == NOT_WHILE_TYPING for step in route.steps
    )


def taught(label: str, *, is_new: bool) -> str:
    """What was taught, for the message that offers to take it back."""
    if is_new:
        return words.say("Taught: this query goes to {label}.", label=label)
    return words.say("Changed: this query goes to {label} from now on.", label=label)


def cleared_cache(count: int) -> str:
    return words.say_n(count, "Forgot {n} answer of the LLM.", "Forgot {n} answers of the LLM.")


def cleared_log(count: int) -> str:
    return words.say_n(count, "Forgot {n} decision.", "Forgot {n} decisions.")


def clear_question(count: int) -> str:
    """What is asked before the log is forgotten."""
    asked = words.say_n(
        count,
        "Forget the {n} decision of the log? This cannot be undone.",
        "Forget all {n} decisions of the log? This cannot be undone.",
    )
    more = words.say("What questions to the LLM have cost this month stays, without their texts.")
    return f"{asked} {more}"
