"""Everything that is known of a query as one document: what `inspect --json` tells beyond what other surfaces need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.display.documents import inspection_document, intent_document, match_document, step_document
from app.display.scope.matches.contributions import Contribution, contributions
from app.domain.library import Memory
from app.domain.match import Match
from app.domain.scope.inspection import Inspection, Merged

Document = dict[str, Any]


def whole_document(inspection: Inspection) -> Document:
    """`inspect`: the document of an inspection with each answer's own text and its scores word by word, what every
    policy makes of the query, and the best answers below the cut."""
    document = inspection_document(inspection)
    query, detection = inspection.query.scored, inspection.detection
    listed = zip(document["matches"], inspection.matches, strict=True)
    return {
        **document,
        "matches": [{**told, **_answer(match), "words": _words(query, match)} for told, match in listed],
        "below": [match_document(match) for match in inspection.below],
        "policies": {
            "selection": {"in_force": detection.policy, "types": dict(detection.by_policy)},
            "evidence": {matched.type.value: matched.evidence for matched in detection.ranking},
            "merge": {name: _merged(merged) for name, merged in inspection.by_merger.items()},
        },
    }


def _answer(match: Match) -> Document:
    """What is answered, in its own words."""
    answer = match.answer
    if isinstance(answer, Memory):
        return {"response": answer.response, "namespace": answer.namespace, "tags": list(answer.tags)}
    return {"description": answer.description, "steering": answer.steering}


def _merged(merged: Merged) -> Document:
    return {"intent": intent_document(merged.intent), "steps": [step_document(step) for step in merged.steps]}


def _words(query: str, match: Match) -> Mapping[str, Document]:
    """By scorer: whose words they are, what each adds or costs, and the sum that they come to."""
    return {one.scorer: _contribution(one) for one in contributions(query, match)}


def _contribution(one: Contribution) -> Document:
    rows = [
        {"of": row.title, "words": [{"text": w.text, "is": w.part.value, "adds": w.note} for w in row.words]}
        for row in one.rows
    ]
    return {"rows": rows, "sentence": one.sentence, "arithmetic": one.arithmetic}
