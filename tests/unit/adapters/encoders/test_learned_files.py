"""Tests of files of fitted values: damaged and hostile content counts as missing."""

from __future__ import annotations

import json
import random
import zipfile
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.encoders import learned_files
from app.adapters.encoders.learned_files import FitFile
from app.scoring.learned.library import FORMAT, Fit
from app.scoring.learned.logit import RIGHT
from app.scoring.learned.model import VERSION, Weights
from app.scoring.learned.regression import PLACES


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
