"""What several files of tests of surfaces share, and make once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.bootstrap import make_workbench
from app.settings.model import Choices


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile with the seed library and its vectors."""
    profile = tmp_path_factory.mktemp("profiles") / "seeded"

    async def fill() -> None:
        workbench = make_workbench(Choices(profile))
        await workbench.open(watch=False)
        await workbench.add_seed_library()
        await workbench.ready()
        await workbench.close()

    asyncio.run(fill())
    return profile
