"""What is said about the router as a whole: what it rests on, why its LLM is silent, what was cleared and taught."""

from __future__ import annotations

from collections.abc import Sequence

from app.display import numbers, words
from app.display.routing_path import dollars
from app.domain.resolution import RouteDecision
from app.domain.route import ROUTE_NAMES, CircuitName, RouteIntent, RouteMethod, RouteStage, StepOutcome
from app.services.routing import RoutingState

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
    CircuitName.CLOSED: "closed",
    CircuitName.HALF_OPEN: "half open",
    CircuitName.OPEN: "open",
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
    """What routing rests on, in a line: examples, answers kept, the circuit, money."""
    own = state.examples - state.shipped
    return " · ".join(
        (
            words.say_n(state.shipped, "{n} example that ships", "{n} examples that ship"),
            words.say_n(own, "{n} taught here", "{n} taught here"),
            kept(state.kept),
            words.say("circuit {word}", word=words.say(CIRCUITS[state.circuit.name])),
            words.say("{spent} of {budget} spent this month", spent=dollars(state.spent), budget=dollars(state.budget)),
        )
    )


def kept(count: int) -> str:
    """How many answers of the LLM are kept."""
    return words.say_n(count, "{n} answer of the LLM kept", "{n} answers of the LLM kept")


def trouble(state: RoutingState | None) -> str:
    """What keeps the router from its best, in a sentence; "" for nothing."""
    if state is None:
        return ""
    if state.circuit.name is not CircuitName.CLOSED and state.circuit.sentence:
        return words.say(
            "{why} Until then rules, kept answers and taught examples decide.", why=_ended(state.circuit.sentence)
        )
    return ""


def can_ask(route: RouteDecision | None) -> bool:
    """Whether the LLM could still say something: nothing before it decided, and it was not asked."""
    if route is None or not route.is_final or route.llm_outcome is not None:
        return False
    by_now = {RouteMethod.RULE, RouteMethod.CACHE}
    before = (step for step in route.steps if step.stage is not RouteStage.FALLBACK)
    is_decided = any(step.outcome is StepOutcome.DECIDED for step in before)
    return not is_decided and route.method not in by_now


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


def counted(shown: int, whole: int) -> str:
    return words.say("{shown} of {whole}", shown=numbers.count(shown), whole=numbers.count(whole))


def said_of(labels: Sequence[str]) -> str:
    """Several routes in a row."""
    return ", ".join(labels)


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}."
