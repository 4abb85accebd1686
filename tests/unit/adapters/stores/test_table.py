"""Which stores are set up, and what is said where one cannot be: no extra, or a password where everybody may read."""

from __future__ import annotations

import sys

import pytest
from pydantic import ValidationError

from app.adapters.stores.table import DATA_STORES
from app.domain.errors import DataStoreError
from app.settings.sections import RouteSettings

ADDRESS = "postgresql://me@db.example:5432/notes?sslmode=verify-full"


def no_secret(name: str) -> str | None:
    return None


def test_that_a_server_is_set_up_by_its_address_alone() -> None:
    assert DATA_STORES["postgresql"](RouteSettings(), no_secret, "one") is None
    assert DATA_STORES["embedded"](RouteSettings(), no_secret, "one") is not None


def test_that_a_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "app.adapters.stores.postgres", None)
    with pytest.raises(DataStoreError, match="“stores-postgres” is not installed"):
        DATA_STORES["postgresql"](RouteSettings(postgresql=ADDRESS), no_secret, "one")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("postgresql://me:secret@db.example/notes", "a password does not belong here"),
        ("postgresql://db.example/notes?user=me&password=secret", "a password does not belong here"),
        ("postgresql://me:pa/ss@db.example/notes", "a password does not belong here"),
        ("postgresql://me:12/34@db.example/notes", "a password does not belong here"),
        ("postgresql://me:pa?s/s@db.example/notes", "a password does not belong here"),
        ("postgresql://db.example/notes?sslpassword=secret", "a password does not belong here"),
        ("postgresql://db.example/notes?%70assword=secret", "a password does not belong here"),
        ("mysql://db.example/notes", "begins with postgresql://"),
    ],
)
def test_that_an_address_holds_no_password(address: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        RouteSettings(postgresql=address)


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
