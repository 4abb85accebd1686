"""Tests of the cache of mapped arrays: round trips, rejected files, and private writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.adapters.encoders.vector_cache import FORMAT, VectorCache
from app.domain.encoder import Provenance
from app.domain.errors import CacheError
from tests.build import some

HERE = Provenance("encoder", "1", 8)
ELSEWHERE = Provenance("encoder", "2", 8)


def some_arrays() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    return {
        "vectors": random.standard_normal((1_000, 8), np.float32),
        "codes": random.integers(-127, 128, (1_000, 8), np.int8),
        "means": np.zeros((0, 8), np.float32),
        "lone": np.arange(37, dtype=np.int64),
    }


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "cache")


def the_file(tmp_path: Path) -> Path:
    [file] = (tmp_path / "cache").iterdir()
    return file


def test_that_what_was_saved_comes_back_bit_for_bit(cache: VectorCache) -> None:
    arrays = some_arrays()
    cache.save(HERE, arrays)
    mapped = some(cache.load(HERE))
    for name, array in arrays.items():
        found = mapped.arrays[name]
        assert mapped.rows[name] == len(array)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found[: len(array)], array)
        assert len(found) > len(array)
        assert not found[len(array) :].any()


def test_that_writing_to_a_mapped_array_does_not_change_the_file(cache: VectorCache, tmp_path: Path) -> None:
    cache.save(HERE, some_arrays())
    before = the_file(tmp_path).read_bytes()
    mapped = some(cache.load(HERE))
    mapped.arrays["vectors"][:] = 7
    assert the_file(tmp_path).read_bytes() == before
    assert cache.is_sound(HERE)


def test_that_nothing_saved_is_nothing_loaded(cache: VectorCache) -> None:
    assert cache.load(HERE) is None
    assert not cache.is_sound(HERE)


def test_that_vectors_of_another_provenance_are_never_loaded(cache: VectorCache, tmp_path: Path) -> None:
    cache.save(HERE, some_arrays())
    assert cache.load(ELSEWHERE) is None
    the_file(tmp_path).rename(cache._file(ELSEWHERE))
    assert cache.load(ELSEWHERE) is None


@pytest.mark.parametrize("kept", [0, 10, len(FORMAT), 200, 70_000, -40_000])
def test_that_a_file_that_was_cut_short_is_not_loaded(cache: VectorCache, tmp_path: Path, kept: int) -> None:
    cache.save(HERE, some_arrays())
    file = the_file(tmp_path)
    file.write_bytes(file.read_bytes()[:kept])
    assert cache.load(HERE) is None


def test_that_a_file_of_another_version_or_with_an_altered_header_is_not_loaded(
    cache: VectorCache, tmp_path: Path
) -> None:
    cache.save(HERE, some_arrays())
    file = the_file(tmp_path)
    whole = file.read_bytes()
    newer, renamed = whole.replace(b"cache 1", b"cache 2", 1), whole.replace(b'"codes"', b'"cOdes"', 1)
    for altered in (newer, renamed, b"\0" * len(whole)):
        file.write_bytes(altered)
        assert cache.load(HERE) is None


def test_that_a_flipped_bit_in_an_array_is_found(cache: VectorCache, tmp_path: Path) -> None:
    cache.save(HERE, some_arrays())
    file = the_file(tmp_path)
    whole = bytearray(file.read_bytes())
    header = json.loads(bytes(whole).split(b"\n", 2)[1])
    offset = header["sections"][0][4]
    whole[offset + 100] ^= 1
    file.write_bytes(whole)
    assert cache.load(HERE) is not None
    assert not cache.is_sound(HERE)


def test_that_who_has_mapped_a_file_keeps_it_when_another_program_saves(cache: VectorCache, tmp_path: Path) -> None:
    arrays = some_arrays()
    cache.save(HERE, arrays)
    mapped = cache.load(HERE)
    VectorCache(tmp_path / "cache").save(HERE, {"vectors": np.ones((5, 8), np.float32)})
    assert mapped is not None
    np.testing.assert_array_equal(mapped.arrays["vectors"][:1_000], arrays["vectors"])
    again = some(cache.load(HERE))
    assert again.rows == {"vectors": 5}


def test_that_a_folder_that_cannot_be_written_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(CacheError, match="could not be written"):
        VectorCache(tmp_path / "cache").save(HERE, some_arrays())
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_that_the_room_to_grow_costs_no_disk(cache: VectorCache, tmp_path: Path) -> None:
    cache.save(HERE, {"vectors": np.ones((100_000, 64), np.float32)})
    stat = the_file(tmp_path).stat()
    if not hasattr(stat, "st_blocks"):
        pytest.skip("this system does not tell the blocks of a file")
    assert stat.st_size > 31_000_000
    assert stat.st_blocks * 512 < 27_000_000


def test_that_a_dropped_cache_is_gone(cache: VectorCache) -> None:
    cache.save(HERE, some_arrays())
    cache.drop(HERE)
    cache.drop(HERE)
    assert cache.load(HERE) is None
