"""Values of tests with the type that they must have."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")


def not_none(value: Value | None) -> Value:
    assert value is not None
    return value


def of_type(value: object, kind: type[Value]) -> Value:
    assert isinstance(value, kind)
    return value
