"""Tests of the check of the LLM connection, of versions, and of other processes' requests."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.machine import now_ms
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer
from app.services.engine.connection import REMEDIES, TEST_TYPE, ConnectionCheck, Link, LinkState
from app.services.system.checkup import DAY_SECONDS, VersionCheck, is_due, stored_version_check
from app.services.system.start_requests import StartRequest, parse_start_request
from app.settings.model import SettingsSources, layer
from tests.fakes import ScriptedLlm


class Server(ScriptedLlm):
    async def version(self) -> str:
        return "0.6"

    async def models(self) -> list[str]:
        return ["scripted"]

    async def pull(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        yield ("", 0, 0)


def checked(type_: IntentType) -> dict[str, Link]:
    settings = layer(SettingsSources(command_line={"llm.url": "http://127.0.0.1:9", "llm.model": "scripted"})).values
    server = Server(LlmAnswer(type_, 0.9, mode="one_token"))
    check = ConnectionCheck(server, settings, now_ms)

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


URL = "http://127.0.0.1/version.json"


def test_that_an_address_is_asked_once_a_day() -> None:
    before = VersionCheck(URL, 1_000_000.0, "1.0")
    assert is_due(None, URL, 0.0)
    assert not is_due(before, URL, before.at + DAY_SECONDS - 1)
    assert is_due(before, URL, before.at + DAY_SECONDS)
    assert is_due(before, URL, before.at - 1), "a clock that was put back"
    assert is_due(before, f"{URL}?other", before.at)


def test_that_what_was_asked_survives_being_kept_and_damage_is_none() -> None:
    before = VersionCheck(URL, 12.5, "1.0")
    assert stored_version_check(before.text()) == before
    for text in ("", "[]", "{}", '{"url": 1}', '{"url": "", "at": "x", "version": ""}', "[" * 100_000):
        assert stored_version_check(text) is None


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def test_that_a_start_survives_its_document() -> None:
    start = StartRequest("why", (Path("/tmp/a b.csv"), Path("/x/\udcff.csv")), "token-1")
    assert parse_start_request(start.document()) == start
    assert parse_start_request(StartRequest().document()) == StartRequest()


def test_that_a_relative_file_is_handed_over_by_its_whole_path() -> None:
    (file,) = parse_start_request(StartRequest(files=(Path("some.csv"),)).document()).files
    assert file == Path.cwd() / "some.csv"


@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_that_any_document_is_a_start_or_refused(query: object, files: object, activation: object) -> None:
    document = {"query": query, "files": files, "activation": activation}
    try:
        start = parse_start_request(document)
    except ValueError:
        return
    assert start.query is None or isinstance(start.query, str)
    assert all(path.is_absolute() for path in start.files)
