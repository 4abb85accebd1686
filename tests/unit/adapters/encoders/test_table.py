"""Tests of encoder faults: missing, truncated, too large, invalid answers, and installations."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters import llm
from app.adapters.encoders import minilm, model_folders, table
from app.adapters.encoders import ollama as ollama_encoder
from app.adapters.encoders.minilm import MiniLm
from app.adapters.encoders.model_folders import ProgramInstaller, encoder_error
from app.adapters.encoders.ollama import EmbeddingServer as OllamaEmbeddingServer
from app.adapters.encoders.ollama import OllamaEncoder
from app.adapters.encoders.table import ENCODERS
from app.adapters.machine import resident_bytes
from app.domain.errors import EncoderError, KnownError
from app.settings.sections import EncoderSettings
from tests.build import some
from tests.general_minilm import general_minilm
from tests.qdrant_server import served
from tests.servers.embedding import EmbeddingServer, serving

GENERAL = general_minilm()


def torch_of(folder: object) -> EncoderSettings:
    return EncoderSettings(name="sentence-transformers", model=str(folder))


def fault_of(wanted: EncoderSettings) -> str:
    """Return the message of failed loading, which equals the one reported before loading."""
    with pytest.raises(EncoderError) as caught:
        ENCODERS[wanted.name].load(wanted)
    assert ENCODERS[wanted.name].facts(wanted).fault == str(caught.value)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GENERAL, tmp_path / "mine"))


def test_that_a_folder_without_a_model_is_refused(tmp_path: Path, folder: Path) -> None:
    assert "Folder not found" in fault_of(torch_of(tmp_path / "gone"))
    assert "holds no sentence-transformers model" in fault_of(torch_of(tmp_path))
    (folder / "tokenizer.json").unlink()
    for name in ("vocab.txt", "tokenizer_config.json"):
        (folder / name).unlink()
    assert "holds no tokenizer" in fault_of(torch_of(folder))
    (folder / "model.safetensors").unlink()
    assert "holds no weights" in fault_of(torch_of(folder))


def test_that_weights_that_are_cut_short_are_told_by_their_bytes(folder: Path) -> None:
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(1_000_000)
    assert "it has 1,000,000 of 90,868,376 bytes" in fault_of(torch_of(folder))
    (folder / "model.safetensors").write_bytes(b"not a model")
    assert "is damaged" in fault_of(torch_of(folder))


@pytest.mark.parametrize(
    ("name", "fault"),
    [("nobody/has-this-model", "is not on"), ("", "The model all-MiniLM-L6-v2 is not on")],
    ids=["never downloaded", "no name is the general model"],
)
def test_that_a_model_is_not_fetched_unasked(name: str, fault: str) -> None:
    assert f"{fault} this computer" in fault_of(torch_of(name))
    assert ENCODERS["sentence-transformers"].facts(torch_of(name)).remedy == "download"


def test_that_the_library_can_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "LIBRARY", "no_such_library")
    assert "is not installed" in fault_of(torch_of(""))
    assert ENCODERS["sentence-transformers"].facts(torch_of("")).remedy == "install"


def test_that_the_revision_follows_what_decides_the_vectors(folder: Path) -> None:
    before = model_folders.revision_of(folder)
    assert before == model_folders.revision_of(GENERAL)
    (folder / "README.md").write_text("Something else.", encoding="utf-8")
    assert model_folders.revision_of(folder) == before
    (folder / "1_Pooling" / "config.json").write_text("{}", encoding="utf-8")
    assert model_folders.revision_of(folder) != before
    assert (
        model_folders.revision_of(Path("/models/snapshots/c9745ed1d9f207416be6d2e6f8de32d1f16199bf")) == "c9745ed1d9f2"
    )


def test_that_a_lack_of_memory_is_called_that() -> None:
    for error in (MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory"), OSError("bad_alloc")):
        assert "not enough memory" in str(encoder_error("It cannot be loaded", error, "Remedy."))
    assert str(encoder_error("It failed", ValueError("Odd."), "Mend it.")) == "It failed: Odd. Mend it."


def test_that_minilm_without_memory_is_a_sentence(
    loaded_once: Callable[[], MiniLm], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*_: object, **__: object) -> Any:
        raise MemoryError

    monkeypatch.setattr(MiniLm, "load", loaded_once)
    monkeypatch.setattr("onnxruntime.InferenceSession", too_large)
    with pytest.raises(EncoderError, match="not enough memory"):
        ENCODERS["intentscope-minilm"].load(EncoderSettings())


def test_that_minilm_with_vectors_of_another_length_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = MiniLm.load()

    class Longer:
        def run(self, _: object, inputs: dict[str, Any]) -> list[Any]:
            return [np.ones((*inputs["input_ids"].shape, 768), np.float32)]

    monkeypatch.setattr(encoder, "_session", Longer())
    with pytest.raises(EncoderError, match="768 numbers where 384 belong"):
        encoder.encode(["a text that no other test encodes"])


def test_that_a_file_of_minilm_that_is_missing_or_altered_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MODEL", ("gone.onnx", minilm.MODEL[1]))
    assert "cannot be read" in fault_of(EncoderSettings())
    monkeypatch.setattr(minilm, "MODEL", ("model.onnx", "0" * 64))
    assert "not the one that was shipped" in fault_of(EncoderSettings())


# ---- a server


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    def ones(texts: list[str]) -> Any:
        return np.ones((len(texts), 5), np.float32)

    with serving(ones) as found:  # type: ignore[arg-type]
        yield found


@pytest.fixture
def encoder(server: EmbeddingServer) -> Iterator[OllamaEncoder]:
    made = OllamaEncoder(server.url, "")
    yield made
    made.close()


def test_that_a_server_is_asked_in_batches_and_not_about_nothing(
    server: EmbeddingServer, encoder: OllamaEncoder
) -> None:
    vectors = encoder.encode(["", *("x" * (number + 1) for number in range(100))])
    assert not vectors[0].any()
    assert np.allclose(np.linalg.norm(vectors[1:], axis=1), 1.0)
    assert [len(body["input"]) for body in server.asked] == [1, 64, 36]
    assert {body["model"] for body in server.asked} == {"all-minilm"}


def test_that_no_address_no_server_and_no_model_are_told_apart(server: EmbeddingServer) -> None:
    def ollama(url: str, model: str = "") -> EncoderSettings:
        return EncoderSettings(name="ollama", url=url, model=model)

    assert "No address" in fault_of(ollama(""))
    assert "is not on the server" in fault_of(ollama(server.url, "nomic-embed-text"))
    assert "No Ollama server answers" in fault_of(ollama("http://127.0.0.1:9"))


def test_that_what_a_server_refuses_is_a_sentence(server: EmbeddingServer, encoder: OllamaEncoder) -> None:
    server.fault = (500, {"error": "model requires more system memory"})
    with pytest.raises(EncoderError, match="answered 500: model requires more system memory"):
        encoder.encode(["a"])
    server.fault = (200, {"model": "all-minilm", "embeddings": []})
    with pytest.raises(EncoderError, match="not an embedding model"):
        encoder.encode(["a"])
    server.fault = (200, ["odd"])
    with pytest.raises(EncoderError, match="not what an Ollama server sends"):
        encoder.encode(["a"])


def test_that_a_model_that_was_replaced_is_noticed(
    server: EmbeddingServer, encoder: OllamaEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.encode = lambda texts: np.ones((len(texts), 7), np.float32)
    with pytest.raises(EncoderError, match="vectors of 7 numbers, not of 5 as before"):
        encoder.encode(["a"])
    monkeypatch.setattr(ollama_encoder, "LOOKED_AFTER_SECONDS", 0.0)
    server.digest = "f" * 64
    with pytest.raises(EncoderError, match="was replaced on the server"):
        encoder.encode(["a"])


def test_that_a_silent_server_is_not_waited_for_longer_than_its_time(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm, "READ_SECONDS", {llm.EMBED: 0.2})
    server.silent.set()
    with pytest.raises(EncoderError, match="did not answer within"):
        OllamaEncoder(server.url, "")


def deep() -> bytes:
    return b"[" * 400_000


def refusal(status: int, answer: Any, end: str = "") -> str:
    with served(lambda *_: (status, answer)) as url, closing(OllamaEmbeddingServer(f"{url}{end}", "tiny")) as server:
        with pytest.raises(EncoderError) as refused:
            server.embed(["text"])
        return str(refused.value).replace(url, "URL")


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (401, {"error": "unauthorized"}, "The server wants a key (401): put it into the variable OLLAMA_API_KEY."),
        (403, "forbidden", "The server wants a key (403): put it into the variable OLLAMA_API_KEY."),
        (200, {"error": "CUDA error."}, "The server at URL answered: CUDA error."),
        (500, ["no", "object"], 'The server at URL answered 500: ["no", "object"].'),
        (500, {"error": {"message": "no model"}}, "The server at URL answered 500: no model."),
        (500, {"error": "no  room"}, "The server at URL answered 500: no room."),
        (500, {"error": "too long: my TEXT"}, "The server at URL answered 500: too long: my (hidden)."),
    ],
)
def test_that_a_refusal_is_told_in_the_servers_words(status: int, answer: Any, said: str) -> None:
    assert "OLLAMA_API_KEY" not in os.environ
    assert refusal(status, answer) == said


def test_that_a_deep_refusal_is_no_crash() -> None:
    assert refusal(500, deep()).startswith("The server at URL answered 500: [[")


def test_that_deep_json_is_told_as_no_answer_of_ollama() -> None:
    assert "is not what an Ollama server sends" in refusal(200, deep())


def test_that_the_extra_is_held_to_the_tested_files() -> None:
    wanted = ProgramInstaller()._wanted()
    assert wanted[:2] == ["--no-deps", "--require-hashes"]
    assert wanted[-2:] == ["--requirement", str(model_folders.LOCK)]
    assert "\nsentence-transformers==" in model_folders.LOCK.read_text("utf-8")


def test_that_without_the_lists_the_extra_is_what_the_package_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_folders, "LOCK", tmp_path / "none")
    wanted = ProgramInstaller()._wanted()
    assert [re.split("[><=]", word)[0] for word in wanted] == ["sentence-transformers", "torch"]


def test_that_where_nothing_can_be_installed_there_is_a_sentence_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = "run --with sentence-transformers"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert command in ProgramInstaller().hindrance()
    monkeypatch.delattr(sys, "frozen")
    assert ProgramInstaller().hindrance() == ""
    monkeypatch.setattr(model_folders, "find_spec", lambda name: None)
    assert "no pip" in ProgramInstaller().hindrance()
    monkeypatch.undo()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "cannot be written to" in ProgramInstaller().hindrance()

    async def work() -> None:
        with pytest.raises(KnownError, match=command):
            await anext(ProgramInstaller().install())

    asyncio.run(work())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only told there")
def test_that_the_memory_held_is_told_in_bytes() -> None:
    assert 10_000_000 < some(resident_bytes()) < 100_000_000_000
