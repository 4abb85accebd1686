"""LLM answers of evaluations in a dictionary; lost with the process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.domain.llm import StoredLlmAnswer
from app.domain.match import without_lone_surrogates as clean


class MemoryLlmAnswers:
    """LlmAnswerCache, simple enough to be evidently correct."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int], StoredLlmAnswer] = {}

    def answers(self, question_digest: str, texts: Iterable[str]) -> list[StoredLlmAnswer]:
        by_text = {clean(text): text for text in texts}
        held = [one for (key, text, _), one in self._kept.items() if key == question_digest and text in by_text]
        return [replace(one, text=by_text[one.text]) for one in held]

    def keep(self, question_digest: str, answers: Iterable[StoredLlmAnswer], most: int) -> None:
        for one in answers:
            self._kept[question_digest, clean(one.text), one.run] = replace(one, text=clean(one.text))
        newest = sorted(self._kept.items(), key=lambda item: -item[1].at)[:most]
        self._kept = dict(newest)
