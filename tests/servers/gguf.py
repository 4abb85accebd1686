"""Reader of the header of a model file in the GGUF format."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TEXT, ARRAY = 8, 9
QUANTIZATIONS = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 14: "Q4_K_S", 15: "Q4_K_M", 17: "Q5_K_M"}

Header = Mapping[str, str | int | float | bool | None]


def read_header(path: Path) -> Header:
    """Return the key-value pairs of the header; None for an array, as in Ollama's answers.

    Raises ValueError for a file that is no GGUF file.
    """
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError(f"{path.name} is no GGUF file.")
        _version, _tensors, pairs = struct.unpack("<IQQ", file.read(20))
        header: dict[str, str | int | float | bool | None] = {}
        for _ in range(pairs):
            key = _text(file)
            header[key] = _value(file, _number(file, "<I"))
    return header


def details(header: Header) -> dict[str, object]:
    """Return the `details` of Ollama's answers about a model."""
    family = str(header.get("general.architecture", ""))
    kind = header.get("general.file_type")
    return {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family],
        "parameter_size": str(header.get("general.size_label", "")),
        "quantization_level": QUANTIZATIONS.get(kind, "unknown") if isinstance(kind, int) else "unknown",
    }


def _number(file: BinaryIO, form: str) -> int:
    return int(struct.unpack(form, file.read(struct.calcsize(form)))[0])


def _text(file: BinaryIO) -> str:
    return file.read(_number(file, "<Q")).decode(errors="replace")


def _value(file: BinaryIO, kind: int) -> str | int | float | bool | None:
    if kind == TEXT:
        return _text(file)
    if kind != ARRAY:
        form = NUMBERS[kind]
        value: int | float | bool = struct.unpack(form, file.read(struct.calcsize(form)))[0]
        return value
    inner, length = _number(file, "<I"), _number(file, "<Q")
    if inner == TEXT:
        for _ in range(length):
            file.seek(_number(file, "<Q"), 1)
    else:
        file.seek(length * struct.calcsize(NUMBERS[inner]), 1)
    return None
