"""Incremental mirror of memories and powers in a data store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from hashlib import sha256

from app.domain.datastore import ID, KIND, REPLACES, Document
from app.domain.encoder import Provenance
from app.domain.filters import MemoryFilter
from app.domain.library import Dated, Memory, Power
from app.ports.datastore import DataStore
from app.ports.encoder import Embedder, Vectors
from app.ports.store import Library
from app.services.core import Core

CHUNK = 500
"""Batch size of writing, and of progress reports."""

LONGEST_VALUE = 300
"""Maximum length of IDs and field values: PostgreSQL indexes 2,704 bytes of a row."""


def documents_of(library: Library) -> list[Document]:
    """Return a document for each enabled memory and power; raises StoreError."""
    keys = library.find_memories(MemoryFilter(paused=False))
    memories = list(library.memories_by_key(keys))
    ends = _ends(memories)
    return [_of_memory(one, ends) for one in memories] + [
        _of_power(power) for power in library.powers() if not power.paused
    ]


def _ends(memories: Sequence[Dated[Memory]]) -> Mapping[str, str]:
    """Return the end of validity by memory ID: the start of the first replacement."""
    ends: dict[str, str] = {}
    for dated in memories:
        since = dated.item.valid_from or dated.created
        ends |= {each: min(ends.get(each, since), since) for each in dated.item.replaces}
    return ends


def _of_memory(dated: Dated[Memory], ends: Mapping[str, str]) -> Document:
    """Make a memory's document; by default valid from its creation until it is replaced."""
    memory, end = dated.item, ends.get(dated.item.id or "", "")
    until = memory.valid_to or (end if end > memory.valid_from else "")
    since = memory.valid_from or ("" if "" < until <= dated.created else dated.created)
    fields = {
        KIND: (memory.kind.value,),
        "namespace": (memory.namespace,),
        "label": (memory.intent,) if memory.intent else (),
        "tag": memory.tags,
        ID: (memory.id,) if memory.id and end else (),
        REPLACES: memory.replaces,
    }
    own = _short(memory.id or str(memory.key))
    return Document(f"memory:{own}", memory.name, memory.triggers, _filled(fields), memory.response, since, until)


def _of_power(power: Power) -> Document:
    fields = {KIND: (power.kind.value,), "keyword": power.keywords, "tool": tuple(tool.name for tool in power.tools)}
    return Document(f"power:{_short(power.name)}", power.name, power.triggers, _filled(fields), power.steering)


def _filled(fields: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    named = {name: tuple(_short(v) for v in dict.fromkeys(values) if v.strip()) for name, values in fields.items()}
    return {name: values for name, values in named.items() if values}


def _short(value: str) -> str:
    """Shorten a value for a server's index, keeping it unique."""
    if len(value) <= LONGEST_VALUE:
        return value
    return f"{value[:LONGEST_VALUE]}… {sha256(value.encode('utf-8', 'replace')).hexdigest()[:16]}"


async def mirrored(
    core: Core, documents: Sequence[Document], store: DataStore, thread: Executor
) -> AsyncGenerator[tuple[int, int], None]:
    """Sync a store with these documents; yields the number written, of all changed ones.

    Written documents stay if it is closed early, and are not written again. Documents with missing vectors are written
    again the next time. Raises DataStoreError, StoreError.
    """
    loop = asyncio.get_running_loop()
    encoder = core.engine.encoder
    provenance = None if encoder is None else encoder.provenance
    held = await loop.run_in_executor(thread, store.stored_states)
    states = {document.id: state_of(document, provenance) for document in documents}
    if gone := [each for each, state in held.items() if states.get(each) != state]:
        await loop.run_in_executor(thread, store.drop, gone)
    late = [document for document in documents if held.get(document.id) != states[document.id]]
    yield 0, len(late)
    for start in range(0, len(late), CHUNK):
        some = late[start : start + CHUNK]
        vectors = await core.in_store(partial(_vectors, some, provenance))
        told = [(one, states[one.id] if provenance is None or _has_all(one, vectors) else "") for one in some]
        await loop.run_in_executor(thread, store.put, told, vectors)
        yield start + len(some), len(late)


def changes_of(documents: Sequence[Document], held: Mapping[str, str], encoder: Embedder | None) -> int:
    """Return the number of documents that are missing, different or superfluous in a store."""
    provenance = None if encoder is None else encoder.provenance
    states = {document.id: state_of(document, provenance) for document in documents}
    late = sum(held.get(each) != state for each, state in states.items())
    return late + len(held.keys() - states.keys())


def state_of(document: Document, provenance: Provenance | None) -> str:
    """Return a digest of a document's content and the provenance of its vectors."""
    fields = sorted(document.fields.items())
    told = (document.name, document.texts, fields, document.body, document.since, document.until, provenance)
    return sha256(repr(told).encode("utf-8", "replace")).hexdigest()


def _vectors(documents: Sequence[Document], provenance: Provenance | None, library: Library) -> Mapping[str, Vectors]:
    if provenance is None:
        return {}
    return library.embeddings(provenance, [text for document in documents for text in document.texts])


def _has_all(document: Document, vectors: Mapping[str, Vectors]) -> bool:
    return all(text in vectors for text in document.texts)
