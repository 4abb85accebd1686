"""Tests of the shipped encoder, of files of fitted values, and of the cache of mapped arrays."""

import json
import random
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.adapters.encoders import learned_files, minilm
from app.adapters.encoders.learned_files import FitFile
from app.adapters.encoders.minilm import (
    BASIS,
    BATCH,
    DIMENSION,
    EARLIER,
    FOLDER,
    MODEL,
    MOST_PADDING,
    TOKENIZER,
    MiniLm,
    basis_of,
    batches,
    checked_content,
    joined,
)
from app.adapters.encoders.vector_cache import FORMAT as VECTOR_CACHE_FORMAT
from app.adapters.encoders.vector_cache import VectorCache
from app.domain.encoder import Provenance
from app.domain.errors import CacheError, EncoderError
from app.ports.encoder import Vectors
from app.scoring.learned.library import FORMAT, Fit
from app.scoring.learned.logit import RIGHT
from app.scoring.learned.model import VERSION, Weights
from app.scoring.learned.regression import PLACES
from tests.build import some

TEXTS = [
    "rotate the page",
    "a",
    "",
    "日本語の質問",
    *(f"one more sentence about {number} things" for number in range(40)),
]


@pytest.fixture(scope="module")
def encoder(loaded_once: Callable[[], MiniLm]) -> MiniLm:
    return loaded_once()


def by_the_file_alone(encoder: MiniLm, text: str) -> Vectors:
    """Compute the mean of the last layer directly from the pinned file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(checked_content(*MODEL), options, providers=["CPUExecutionProvider"])
    ids = np.array([encoder._tokenizer.encode(text).ids], np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean: Vectors = session.run(["last_hidden_state"], inputs)[0].sum(axis=1)[0]
    return mean / np.linalg.norm(mean)


def test_that_the_vectors_that_are_compared_are_those_of_the_file_alone(encoder: MiniLm) -> None:
    for text in TEXTS[:5]:
        # Processors sum a mean in different orders, which changes the last bit.
        np.testing.assert_allclose(encoder.encode([text])[0], by_the_file_alone(encoder, text), rtol=0, atol=1e-7)
    assert np.array_equal(encoder.encode_layers(TEXTS)[0], encoder.encode(TEXTS))


def together_with(encoder: MiniLm, texts: list[str]) -> list[list[int]]:
    """Return the lengths of the texts that are encoded in one batch."""
    lengths = encoder.lengths(texts)
    return [[lengths[place] for place in places] for places in batches(lengths)]


@given(st.lists(st.integers(1, 256), max_size=100))
def test_that_batches_hold_every_text_once_and_little_to_fill_up(lengths: list[int]) -> None:
    found = list(batches(lengths))
    assert sorted(place for places in found for place in places) == list(range(len(lengths)))
    for places in found:
        own = [lengths[place] for place in places]
        assert len(places) <= BATCH
        assert max(own) * len(own) - sum(own) <= MOST_PADDING


def test_that_texts_of_one_length_fill_their_batches() -> None:
    assert [len(places) for places in batches([7, 90] * 20)] == [BATCH, 4, BATCH, 4]


def test_that_company_changes_no_number_of_a_vector_by_a_millionth(encoder: MiniLm) -> None:
    words = "the quick build of our release fails on mac while tests pass".split()
    texts = [*TEXTS[:4], *(" ".join((words * 25)[:count]) for count in (*range(1, 12), 30, 31, 90, 300))]
    alone = [
        np.concatenate(column) for column in zip(*map(encoder.encode_layers, ([one] for one in texts)), strict=True)
    ]
    places = np.arange(len(texts))
    for chosen in (places, places[::-1], places[::2], np.concatenate((places, places))):
        company = [texts[place] for place in chosen]
        for found, own in zip(encoder.encode_layers(company), alone, strict=True):
            np.testing.assert_allclose(found, own[chosen], rtol=0, atol=1e-6)
    assert any(len(set(lengths)) > 1 for lengths in together_with(encoder, texts)), "some are filled up"


def test_that_the_directions_keep_nearly_all_that_tells_texts_apart(encoder: MiniLm) -> None:
    whole, kept = (
        MiniLm(checked_content(*MODEL), checked_content(*TOKENIZER)).encode_layers(TEXTS)[1],
        encoder.encode_layers(TEXTS)[1],
    )
    assert whole.shape == (len(TEXTS), DIMENSION * (1 + len(EARLIER)))
    assert kept.shape == (len(TEXTS), encoder.layers.dimension)
    assert np.abs(whole @ whole.T - kept @ kept.T).max() < 0.1


def test_that_the_layers_weigh_what_they_should() -> None:
    one = np.eye(3, dtype=np.float32)[:1]
    assert joined([one, one, one], None)[0, [0, 3, 6]] == pytest.approx(np.array([1.0, 0.6, 0.4]) / np.sqrt(1.52))
    assert not joined([0 * one, 0 * one, 0 * one], None).any()


def test_that_the_directions_that_ship_are_at_right_angles_and_small() -> None:
    basis = basis_of(checked_content(*BASIS))
    assert basis.dtype == np.float32
    assert np.allclose(basis.T @ basis, np.eye(DIMENSION), atol=0.01)
    assert (FOLDER / BASIS[0]).stat().st_size < 1_000_000
    assert BASIS[1][:6] in MiniLm.layers.revision


@pytest.mark.parametrize("file", [MODEL, TOKENIZER, BASIS], ids=lambda file: str(file[0]))
def test_that_a_file_that_is_missing_or_altered_is_refused(
    file: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER, tmp_path / "copy")
    monkeypatch.setattr(minilm, "FOLDER", tmp_path / "copy")
    copy = tmp_path / "copy" / file[0]
    copy.write_bytes(copy.read_bytes()[:-1])
    with pytest.raises(EncoderError, match=f"{file[0]} is not the one that was shipped"):
        MiniLm.load()
    copy.unlink()
    with pytest.raises(EncoderError, match=f"{file[0]} cannot be read"):
        MiniLm.load()


def test_that_the_page_of_the_files_names_their_hashes_and_every_attribution() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    for name, sha256 in (MODEL, TOKENIZER):
        assert f"| `{name}` |" in page
        assert sha256 in page
    for source in ("tldr-pages", "Home Assistant", "NLU++"):
        assert source in page
    assert page.count("CC BY 4.0") >= 3


def _packed(file: Path, header: bytes) -> FitFile:
    """Write a file with one array of this header and no data."""
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("a.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    return FitFile(file)


@pytest.mark.filterwarnings("ignore")
def test_that_no_flipped_byte_raises_anything(tmp_path: Path) -> None:
    path, draw = tmp_path / "learned.npz", random.Random(1)
    file = FitFile(path)
    file.save({"a": np.random.default_rng(0).random((200, 50)), "b": np.arange(100)})
    whole = path.read_bytes()
    read = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(draw.choice([1, 3, 20])):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        path.write_bytes(damaged)
        read += file.load() is not None
    assert read < 300


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "shape", [b"(%s1,)" % (b"-" * 9_000), b"(10**9", b"(%s,)" % (b"9" * 15), b"(%s,)" % (b"9" * 25)]
)
def test_that_no_shape_that_a_file_claims_raises_anything(tmp_path: Path, shape: bytes) -> None:
    header = b"{'descr':'<f8','fortran_order':False,'shape':" + shape + b"}\n"
    assert _packed(tmp_path / "learned.npz", header).load() is None


def test_that_a_small_file_that_unpacks_to_too_much_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = FitFile(tmp_path / "learned.npz")
    file.save({"a": np.zeros(10_000)})
    assert file.load() is not None
    monkeypatch.setattr(learned_files, "MOST_BYTES", 50_000)
    assert file.load() is None


SOUND = np.array(astuple(Weights(1.0, 1.0, 1.0, 1.0, energy=-1.0)))
LABELS = json.dumps({"version": VERSION, "labels": ["a", "b"], "encoder": ""}).encode()


def _arrays(about: object = None, **model: NDArray[Any]) -> dict[str, NDArray[Any]]:
    told = json.dumps(about or {"format": FORMAT, "encoder": "x", "library": 1, "texts": []}).encode()
    none = np.zeros((0, 7), np.float16)
    whole: dict[str, NDArray[Any]] = {
        "centre": np.zeros(7, np.float32),
        "coefficients": np.zeros((3, 7 + PLACES), np.float32),
        "intercepts": np.zeros(3, np.float32),
        "weights": SOUND,
        "counts": np.array([1, 1, 1]),
        "cases": np.array([1]),
        "apart": SOUND[None],
        "known": np.array([1]),
        "outcomes": np.array([[0.5, RIGHT]], np.float32),
        "facts": np.frombuffer(LABELS, np.uint8),
    }
    whole.update(model)
    own = {f"memories.{name}": array for name, array in whole.items()}
    shared: dict[str, NDArray[Any]] = {"about": np.frombuffer(told, np.uint8), "background": none, "meanings": none}
    return shared | own


def test_that_arrays_that_do_not_belong_together_are_no_fit() -> None:
    assert Fit.of_arrays(_arrays()) is not None
    told = {"format": FORMAT, "encoder": "x", "library": 1, "texts": ["one"]}
    odd = np.frombuffer(LABELS.replace(b'"b"', b"{}"), np.uint8)
    nested = np.frombuffer(b"[" * 100_000, np.uint8)
    for arrays in (
        _arrays(told),
        _arrays(told | {"texts": [], "library": float("inf")}),
        _arrays(coefficients=np.zeros((3, 6 + PLACES), np.float32)),
        _arrays(centre=np.zeros(6, np.float32), coefficients=np.zeros((3, 6 + PLACES), np.float32)),
        _arrays(centre=np.full(7, np.nan, np.float32)),
        _arrays(weights=SOUND[1:]),
        _arrays(weights=np.full_like(SOUND, np.nan)),
        _arrays(counts=np.array([np.inf, 1.0, 1.0])),
        _arrays(outcomes=np.zeros((1, 3), np.float32)),
        _arrays(facts=odd),
        _arrays(facts=nested),
        _arrays() | {"about": nested},
    ):
        assert Fit.of_arrays(arrays) is None


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
    some(cache.load(HERE)).arrays["vectors"][:] = 7
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


@pytest.mark.parametrize("kept", [0, 10, len(VECTOR_CACHE_FORMAT), 200, 70_000, -40_000])
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
