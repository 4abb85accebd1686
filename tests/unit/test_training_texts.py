"""Tests of the encoder's training texts: no evaluation data, and reproducible batches."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.scripts import script

texts = script("training/texts")


def written(file: Path, rows: Iterable[object]) -> Path:
    """Write a file with one record per line, compressed if its name ends in .gz."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
    file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)
    return file


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Make prepared data: 24 labels of six requests, 50 pairs of 45 powers, other texts."""
    folder = tmp_path / "data"
    requests = [{"set": "s", "label": f"l{at % 24}", "text": f"Please do thing {at}"} for at in range(144)]
    few = [{"set": "s", "label": "few", "text": f"Seldom said {at}"} for at in range(3)]
    pairs = [
        {"set": "p", "q": f"ask {at}", "d": f"Power {at % 45}", "did": f"power{at % 45}", "neg": [f"Other {at}"]}
        for at in range(50)
    ]
    written(folder / "intents.jsonl.gz", [*requests, *few])
    written(folder / "pairs.jsonl", pairs)
    (folder / "texts.txt").write_text("First text\n\nSecond text\n", "utf-8")
    return folder


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Play some Jazz!", "play   some jazz"),
        ("What's up?", "what s up"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER A}BC", "abc"),  # another form of the same letter
        ("Stra\N{LATIN SMALL LETTER SHARP S}e", "STRASSE"),
    ],
)
def test_that_texts_are_compared_without_case_signs_and_spaces(one: str, other: str) -> None:
    assert texts.normalised(one) == texts.normalised(other)
    assert texts.normalised(f"{one} now") != texts.normalised(other)


@pytest.mark.parametrize("name", ["sets/deep/queries.jsonl", "sets/queries.jsonl.gz"])
def test_that_texts_are_found_in_every_field_of_an_evaluation_set(tmp_path: Path, name: str) -> None:
    written(tmp_path / name, [{"text": "One, two", "tools": [{"description": "Three"}], "rank": 4}, ["Five"]])
    assert texts.measured([tmp_path / "sets"]) == {"one two", "three", "five"}
    assert texts.measured([tmp_path / name]) == {"one two", "three", "five"}


def test_that_a_path_without_texts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"")
    for path in (tmp_path, tmp_path / "picture.png"):
        with pytest.raises(SystemExit, match="Give a folder or a file"):
            texts.measured([path])


def test_that_what_is_measured_on_is_dropped_and_counted(data: Path) -> None:
    forbidden = {"please do thing 7", "ask 3", "power 4", "other 5", "second text"}
    found = texts.read(data, forbidden, seed=1)
    told = {
        *(text for labels in found.requests.values() for of in labels.values() for text in of),
        *(text for pair in found.pairs["p"] for text in (pair.request, pair.description, *pair.others)),
        *found.others,
    }
    assert not forbidden & set(map(texts.normalised, told))
    assert {"Please do thing 8", "ask 5", "Power 5", "First text"} <= told
    # "power 4" is in two pairs
    assert found.dropped == {"intents": 1, "pairs": 3, "negatives": 1, "texts": 1}


def test_that_a_label_with_few_requests_is_left_out_and_one_with_many_is_cut(data: Path) -> None:
    rows = [{"set": "thing", "label": "many", "text": f"Often said {at}"} for at in range(60)]
    written(
        data / "intents.jsonl.gz", [*rows, *rows[:3], *({"set": "s", "label": "few", "text": str(at)} for at in "ab")]
    )
    found = texts.read(data, set(), seed=1)
    assert {name: {label: len(of) for label, of in labels.items()} for name, labels in found.requests.items()} == {
        "thing": {"many": 40},
        "s": {},
    }


def test_that_missing_data_are_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no intents\.jsonl"):
        texts.read(tmp_path, set(), seed=1)


def test_that_batches_repeat_by_their_seed(data: Path) -> None:
    def drawn(seed: str) -> list[object]:
        draws = texts.Draws(texts.read(data, set(), seed=1), seed)
        return [drawn for _ in range(3) for drawn in (draws.requests(), draws.pairs())]

    assert drawn("1 A") == drawn("1 A")
    assert drawn("1 A") != drawn("1 B")


def test_that_a_batch_has_two_requests_a_label_and_each_power_once(data: Path) -> None:
    draws = texts.Draws(texts.read(data, set(), seed=1), "1")
    for _ in range(4):
        asked, labels = draws.requests()
        assert len(set(asked)) == len(asked) == 48
        assert all(labels.count(label) == 2 for label in range(24))
        pairs, wrong = draws.pairs()
        assert len({pair.power for pair in pairs}) == len(pairs) == texts.PAIRS
        assert 0 < len(wrong) <= texts.PAIRS // 2
        assert not set(wrong) & {pair.description for pair in pairs}
