"""Tests that several settings are stored in one transaction."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from app.adapters.store.library import SqlLibrary


def test_that_all_are_kept_or_none(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.put_settings({"theme": "dark"})
    with pytest.raises(IntegrityError):
        library.put_settings({"theme": "light", "matches": "5", None: "no key"})  # type: ignore[dict-item]
    assert library.setting_values() == {"theme": "dark"}
    library.close()
