"""Tests of the table of stores, with messages for missing extras or open passwords."""

from __future__ import annotations

import re
import sys

import pytest
from pydantic import ValidationError

from app.adapters.datastores.client import first_line, unreachable
from app.adapters.datastores.table import DATA_STORES
from app.domain.errors import DataStoreError
from app.settings.sections import STORE_ADDRESSES, RouteSettings

ADDRESS = "postgresql://me@db.example:5432/notes?sslmode=verify-full"


def no_secret(name: str) -> str | None:
    return None


def test_that_a_server_is_set_up_by_its_address_alone() -> None:
    opened = {name: row(RouteSettings(), no_secret, "one") for name, row in DATA_STORES.items()}
    assert [name for name, store in opened.items() if store is not None] == ["embedded"]


@pytest.mark.parametrize(
    ("store", "extra"),
    [
        ("postgresql", "postgres"),
        ("qdrant", "stores-qdrant"),
        ("neo4j", "stores-neo4j"),
        ("graphiti", "stores-graphiti"),
    ],
)
def test_that_a_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch, store: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, f"app.adapters.datastores.{extra.removeprefix('stores-')}", None)
    settings = RouteSettings.model_validate({store: STORE_ADDRESSES[store][1]})
    with pytest.raises(DataStoreError, match=f"“{extra}” is not installed"):
        DATA_STORES[store](settings, no_secret, "one")


@pytest.mark.parametrize("store", STORE_ADDRESSES)
def test_that_every_address_is_looked_at(store: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(f"begins with {STORE_ADDRESSES[store][0][0]}")):
        RouteSettings.model_validate({store: "mysql://db.example/notes"})
    with pytest.raises(ValidationError, match=f"--password {store}"):
        RouteSettings.model_validate({store: STORE_ADDRESSES[store][0][0] + "me:secret@db.example"})


@pytest.mark.parametrize(
    "address",
    [
        ADDRESS,
        "postgresql://db.example:5432/notes?user=me@corp",
        "postgresql://me@[::1]:5432/notes",
        "postgresql://[::1]:5432/notes?user=me@corp",
        "postgresql://one:5432,two:5433/notes?application_name=a:b@c&passfile=/home/me/.pgpass",
    ],
)
def test_that_an_address_without_a_password_is_taken(address: str) -> None:
    assert RouteSettings(postgresql=address).postgresql == address


def test_that_an_unreachable_server_is_told_in_a_line_that_ends() -> None:
    error = ConnectionError("Couldn't connect to db:7687 (resolved to ('192.0.2.1:7687', '192.0.2.2:7687')):\nFailed")
    assert unreachable(first_line(error)) == "The server cannot be reached: Couldn't connect to db:7687"
    assert first_line(ConnectionError()) == "ConnectionError"
