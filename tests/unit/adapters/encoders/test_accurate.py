"""The encoder that is written here: from the published weights alone, whole or not at all, and as it was written."""

from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from app.adapters.encoders import accurate
from app.adapters.encoders.accurate import MODEL, MODEL_NAME, RECORD, TOKENIZER, WEIGHTS, Accurate, build, read_build
from app.adapters.encoders.table import ENCODERS
from app.domain.encoder import FetchStep
from app.domain.errors import EncoderError, KnownError
from app.settings.sections import EncoderSettings
from tests.small_mpnet import small_mpnet


class Usage(NamedTuple):
    total: int
    used: int
    free: int


WANTED = EncoderSettings(name="accurate")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder of a small model, and the digest of its weights."""
    folder = tmp_path_factory.mktemp("source") / MODEL_NAME
    return folder, small_mpnet(folder)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "encoders" / "accurate"
    monkeypatch.setattr(accurate, "default_folder", lambda: folder)
    monkeypatch.setattr(accurate, "default_folder", lambda: folder)
    return folder


def test_that_it_is_offered_with_what_it_takes_and_then_costs(source: tuple[Path, str], home: Path) -> None:
    facts = ENCODERS["accurate"].facts(WANTED)
    assert "not installed" in facts.fault
    assert (facts.remedy, facts.bytes_to_fetch) == ("install", accurate.BYTES)
    build(source[0], home, lambda: None, source[1])
    facts = ENCODERS["accurate"].facts(WANTED)
    assert facts.fault == ""
    assert facts.bytes_on_disk == sum((home / name).stat().st_size for name in (MODEL, TOKENIZER))
    assert facts.query_ms is not None
    encoder = ENCODERS["accurate"].load(WANTED)
    assert encoder.provenance.revision.startswith(source[1][:10])
    assert encoder.encode(["rotate the page", ""]).shape == (2, encoder.provenance.dimension)


def test_that_the_same_weights_are_written_to_the_same_file(source: tuple[Path, str], tmp_path: Path) -> None:
    for name in ("one", "other"):
        build(source[0], tmp_path / name, lambda: None, source[1])
    assert (tmp_path / "one" / MODEL).read_bytes() == (tmp_path / "other" / MODEL).read_bytes()
    texts = ["rotate the page", "a", "one more " * 200]
    one, other = (Accurate.load(tmp_path / name).encode(texts) for name in ("one", "other"))
    assert np.array_equal(one, other)


def test_that_other_weights_are_refused_and_what_was_there_stays(source: tuple[Path, str], home: Path) -> None:
    with pytest.raises(KnownError, match=f"does not hold {MODEL_NAME}"):
        build(source[0], home, lambda: None, WEIGHTS)
    build(source[0], home, lambda: None, source[1])
    before = (home / MODEL).read_bytes()

    def no_more() -> None:
        raise KnownError("Enough.")

    with pytest.raises(KnownError, match="Enough"):
        build(source[0], home, no_more, source[1])
    assert (home / MODEL).read_bytes() == before
    assert [each.name for each in home.parent.iterdir()] == [home.name]


@pytest.mark.parametrize("name", [MODEL, TOKENIZER])
def test_that_a_file_that_is_missing_or_altered_is_a_sentence_with_what_to_do(
    source: tuple[Path, str], home: Path, name: str
) -> None:
    build(source[0], home, lambda: None, source[1])
    with (home / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(EncoderError, match=r"not the one that was written.*Install it again"):
        Accurate.load(home)
    (home / name).unlink()
    assert f"{name} is missing" in ENCODERS["accurate"].facts(WANTED).fault


def test_that_what_another_version_wrote_is_written_anew(source: tuple[Path, str], home: Path) -> None:
    build(source[0], home, lambda: None, source[1])
    record = home / RECORD
    record.write_text(json.dumps(json.loads(record.read_text("utf-8")) | {"recipe": 0}), "utf-8")
    with pytest.raises(EncoderError, match="another version"):
        read_build(home)
    of_number = '{"weights": 1, "recipe": 1, "dimension": 64, "files": {}}'
    for odd in ("{", "[]", "[" * 100_000, of_number, of_number.replace("1", '"x"', 1).replace("{}", "[]")):
        record.write_text(odd, "utf-8")
        assert "cannot be read" in ENCODERS["accurate"].facts(WANTED).fault


# ---- parts


def wheels(folder: Path, source: Path, parts: int = 3) -> None:
    """The folder of a model as one archive in several packages."""
    archive = Path(shutil.make_archive(str(folder / "all"), "zip", source.parent, source.name))
    content = archive.read_bytes()
    archive.unlink()
    size = -(-len(content) // parts)
    for number in range(parts):
        with zipfile.ZipFile(folder / f"part_{number + 1:03}-0.0.1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"part_{number + 1:03}/__init__.py", "")
            piece = content[number * size : (number + 1) * size]
            wheel.writestr(f"part_{number + 1:03}/input/{source.name}.zip.{number + 1:03}", piece)


def test_that_the_parts_make_the_folder_that_they_were_made_from(
    source: tuple[Path, str], home: Path, tmp_path: Path
) -> None:
    """Nothing is fetched: the list of parts is empty, and they are there from the last time."""
    parts = home.with_name("accurate.parts")
    parts.mkdir(parents=True)
    pooled = source[0] / "1_Pooling"
    pooled.mkdir(exist_ok=True)
    (pooled / "config.json").write_text("{}", "utf-8")
    wheels(parts, source[0])
    (tmp_path / "none.txt").write_text("# no part is missing\n", "utf-8")

    async def work() -> list[FetchStep]:
        steps = accurate.install_steps(
            tmp_path / "none.txt", lambda folder, target, tell: build(folder, target, tell, source[1])
        )
        return [step async for step in steps]

    steps = asyncio.run(work())
    assert [(step.done, step.whole) for step in steps] == [(0, 2), (1, 2)]
    assert read_build(home).weights == source[1]
    assert not parts.exists()


def test_that_each_part_is_held_to_its_hash() -> None:
    wanted = accurate._wanted(accurate.PARTS)
    assert len(wanted) == 5
    assert all(one.count("==") == 1 and one.count("--hash=sha256:") == 1 for one in wanted)


def test_that_broken_parts_and_a_full_disk_are_sentences(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = home.with_name("accurate.parts")
    parts.mkdir(parents=True)
    (parts / "part_001.whl").write_bytes(b"not an archive")
    with pytest.raises(KnownError, match="cannot be put together"):
        accurate._joined(parts, lambda: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10, 10, 10))
    with pytest.raises(KnownError, match=r"needs 1\.2 GB of disk.*0\.0 GB left"):
        accurate._make_room(parts)


def test_that_a_folder_does_where_nothing_can_be_fetched(source: tuple[Path, str], home: Path) -> None:
    async def work() -> None:
        async for step in accurate.build_from_folder(source[0]):
            assert "8 bits" in step.words

    with pytest.raises(KnownError, match=f"does not hold {MODEL_NAME}"):  # it holds a small one
        asyncio.run(work())
