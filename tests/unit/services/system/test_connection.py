"""Tests of the check of the LLM connection, also for wrong answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from app.adapters.local.machine import SystemClock
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer
from app.services.system.connection import REMEDIES, TEST_TYPE, ConnectionCheck, Link, LinkState
from app.settings.model import SettingsSources, layer
from tests.fakes import ScriptedLlm


class Server(ScriptedLlm):
    """Model on its own server."""

    async def version(self) -> str:
        return "0.6"

    async def models(self) -> list[str]:
        return ["scripted"]

    async def pull(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        yield ("", 0, 0)


def checked(type_: IntentType) -> dict[str, Link]:
    settings = layer(SettingsSources(command_line={"llm.url": "http://127.0.0.1:9", "llm.model": "scripted"})).values
    server = Server(LlmAnswer(type_, 0.9, mode="one_token"))
    check = ConnectionCheck(server, server, settings, SystemClock())

    async def last() -> tuple[Link, ...]:
        return [links async for links in check.run()][-1]

    return {link.name: link for link in asyncio.run(last())}


@pytest.mark.parametrize("type_", IntentType)
def test_that_a_probe_that_is_answered_wrongly_is_said_to_be_and_stops_nothing(type_: IntentType) -> None:
    links = checked(type_)
    fine = type_ is TEST_TYPE
    assert links["Answer"].state is (LinkState.FINE if fine else LinkState.DOUBTFUL)
    assert type_.value in links["Answer"].sentence
    assert ("That is wrong" in links["Answer"].sentence) is not fine
    assert links["Answer"].remedy == ("" if fine else REMEDIES["Answer"])
    assert links["Latency"].state is LinkState.FINE
