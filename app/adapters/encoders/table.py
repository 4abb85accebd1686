"""ENCODERS: encoders by the value of the setting `encoder.name`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from app.adapters.encoders.model_folders import bytes_of, check_folder, encoder_error, folder_of, is_here, is_name
from app.domain.encoder import EncoderFacts
from app.domain.errors import EncoderError
from app.ports.encoder import Embedder
from app.services.engine.adapters import Encoder
from app.settings.sections import EncoderSettings

LIBRARY, TORCH_BYTES = "sentence_transformers", 1_200_000_000
NOT_INSTALLED = (
    "sentence-transformers is not installed. Install it on the Settings page, or with “python "
    "packaging/develop.py run --with sentence-transformers”."
)


def _minilm(_: EncoderSettings) -> Embedder:
    try:
        from app.adapters.encoders.minilm import REMEDY, MiniLm
    except ImportError as error:
        raise encoder_error("The encoder cannot be loaded", error, "Run the set-up again to restore it.") from error
    try:
        return MiniLm.load()
    except MemoryError as error:
        raise encoder_error("The encoder cannot be loaded", error, REMEDY) from error


def _minilm_facts(_: EncoderSettings) -> EncoderFacts:
    from app.adapters.encoders.minilm import BASIS, MODEL, TOKENIZER, checked_content

    try:
        return EncoderFacts(sum(len(checked_content(*file)) for file in (MODEL, TOKENIZER, BASIS)))
    except EncoderError as error:
        return EncoderFacts(fault=str(error))


def _torch(wanted: EncoderSettings) -> Embedder:
    if find_spec(LIBRARY) is None:
        raise EncoderError(NOT_INSTALLED)
    folder = folder_of(wanted.model)
    check_folder(folder)
    try:
        from app.adapters.encoders.sentence_transformer import TorchEncoder
    except (ImportError, OSError, RuntimeError, MemoryError) as error:
        raise encoder_error("sentence-transformers cannot be loaded", error, "Install it again.") from error
    return TorchEncoder(folder, wanted.model_name)


def _torch_facts(wanted: EncoderSettings) -> EncoderFacts:
    if find_spec(LIBRARY) is None:
        return EncoderFacts(fault=NOT_INSTALLED, remedy="install", bytes_to_fetch=TORCH_BYTES)
    try:
        folder = folder_of(wanted.model)
        check_folder(folder)
    except EncoderError as error:
        missing = is_name(wanted.model) and not is_here(wanted.model)
        return EncoderFacts(fault=str(error), remedy="download" if missing else "")
    return EncoderFacts(bytes_of(folder))


def _ollama(wanted: EncoderSettings) -> Embedder:
    from app.adapters.encoders.ollama import OllamaEncoder

    return OllamaEncoder(wanted.url, wanted.model)


def _ollama_facts(wanted: EncoderSettings) -> EncoderFacts:
    from app.adapters.encoders.ollama import model_on_server

    try:
        return EncoderFacts(model_on_server(wanted.url, wanted.model)[1], is_offline=False)
    except EncoderError as error:
        return EncoderFacts(is_offline=False, fault=str(error))


def _give_up_ollama(wanted: EncoderSettings) -> None:
    from app.adapters.encoders.ollama import give_up

    give_up(wanted.url, wanted.model)


ENCODERS: Mapping[str, Encoder] = {
    "intentscope-minilm": Encoder(_minilm, _minilm_facts),
    "sentence-transformers": Encoder(_torch, _torch_facts),
    "ollama": Encoder(_ollama, _ollama_facts, _give_up_ollama),
}
"""Functions that load a model, which may take seconds and raise EncoderError."""
