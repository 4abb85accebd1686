"""Contract of every encoder; those of one model agree (S2.15)."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from app.adapters.encoders.minilm import MiniLm
from app.adapters.encoders.table import ENCODERS
from app.domain.errors import EncoderError
from app.ports.encoder import Closable, Embedder, LayeredEncoder
from app.settings.sections import EncoderSettings
from tests.general_minilm import general_minilm
from tests.servers.embedding import serving

SEED = Path(__file__).parents[2] / "resources" / "seed"

Make = Callable[[str], Embedder]


@pytest.fixture(scope="module")
def make(loaded_once: Callable[[], MiniLm]) -> Iterator[Make]:
    """Return a function that makes encoders by name, once each.

    Ollama's endpoint is scripted and answers with MiniLm's vectors.
    """
    made: dict[str, Embedder] = {"intentscope-minilm": loaded_once()}
    models = {"sentence-transformers": str(general_minilm())}
    with serving(made["intentscope-minilm"].encode) as server:

        def one(name: str) -> Embedder:
            if name not in made:
                wanted = {"name": name, "url": server.url, "model": models.get(name, "")}
                made[name] = ENCODERS[name].load(EncoderSettings.model_validate(wanted))
            return made[name]

        yield one
        for encoder in made.values():
            if isinstance(encoder, Closable):
                encoder.close()


@pytest.fixture(params=sorted(ENCODERS))
def encoder(request: pytest.FixtureRequest, make: Make) -> Embedder:
    return make(request.param)


def seed_texts() -> list[str]:
    lines = [json.loads(line) for file in sorted(SEED.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    return list(dict.fromkeys([text for line in lines for text in line.get("triggers", line.get("examples", []))]))


def test_that_vectors_have_the_promised_shape_and_length(encoder: Embedder) -> None:
    vectors = encoder.encode(["how do I rotate a page", "check my database", "日本語の質問", "x" * 5000])
    assert vectors.shape == (4, encoder.provenance.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-4)


def test_that_nothing_to_encode_is_no_fault(encoder: Embedder) -> None:
    assert encoder.encode([]).shape == (0, encoder.provenance.dimension)
    (empty,) = encoder.encode([""])
    assert np.isfinite(empty).all()


def test_that_neither_company_nor_order_changes_a_vector(encoder: Embedder) -> None:
    texts = ["a", "a much longer question about the weather in spring " * 3, "delete it", *map(str, range(40))]
    together = encoder.encode(texts)
    assert np.allclose(encoder.encode(texts[::-1])[::-1], together, atol=0.02)
    for place in (0, 1, 2):
        assert encoder.encode([texts[place]])[0] @ together[place] > 0.998


def test_that_a_provenance_tells_encoder_and_content(encoder: Embedder, make: Make) -> None:
    own = encoder.provenance
    assert own.encoder
    assert len(own.revision) == 12
    assert own == encoder.provenance
    assert len({make(name).provenance for name in ENCODERS}) == len(ENCODERS)


def test_that_what_has_more_to_tell_keeps_its_promises_there_too(encoder: Embedder) -> None:
    if not isinstance(encoder, LayeredEncoder):
        return
    texts = ["how do I rotate a page", "check my database", "日本語の質問", "x" * 5000, ""]
    vectors, layered = encoder.encode_layers(texts)
    assert np.array_equal(vectors, encoder.encode(texts))
    assert layered.shape == (5, encoder.layers.dimension)
    assert layered.dtype == np.float32
    assert np.linalg.norm(layered, axis=1) == pytest.approx(np.ones(5), abs=1e-4)
    assert encoder.layers != encoder.provenance
    assert encoder.encode_layers([])[1].shape == (0, encoder.layers.dimension)


def test_that_a_server_gives_the_vectors_of_its_model(make: Make) -> None:
    texts = seed_texts()
    assert len(texts) > 100
    cosines = (make("intentscope-minilm").encode(texts) * make("ollama").encode(texts)).sum(axis=1)
    assert cosines.min() > 0.9999


def test_that_training_kept_most_of_what_the_general_model_knows(make: Make) -> None:
    own, general = (make(name).encode(seed_texts()) for name in ("intentscope-minilm", "sentence-transformers"))
    assert (own * general).sum(axis=1).mean() > 0.7
    nearest = [(vectors @ vectors.T - 2.0 * np.eye(len(vectors))).argmax(axis=1) for vectors in (own, general)]
    assert 0.5 < (nearest[0] == nearest[1]).mean() < 1.0, "most nearest neighbours are the same, some are not"


def test_that_a_description_that_cannot_be_read_is_a_fault_of_the_model(tmp_path: Path) -> None:
    # Beside the encoders, because torch takes seconds to import.
    mine = tmp_path / "mine"
    shutil.copytree(general_minilm(), mine)
    (mine / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(EncoderError, match="The model mine cannot be loaded"):
        ENCODERS["sentence-transformers"].load(EncoderSettings(name="sentence-transformers", model=str(mine)))
