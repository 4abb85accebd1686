"""Hostile data stores: servers of four protocols with endless or invalid answers.

    with hostile("redis", "huge") as port:
        ...

As a program it serves until it is killed: `python -m tests.servers.hostile_stores PORT PROTOCOL MODE`.
"""

import re
import socket
import struct
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, repeat
from random import Random
from threading import Event, Thread
from typing import BinaryIO

BLOCK = 1 << 20
DRIP_SECONDS = 0.05
"""Delay in seconds before each byte of a dripping server."""
SEED = 1
SERIES = count()
"""Numbers that make each key and parameter a new one."""

Speech = Iterator[bytes]
"""Bytes that a server sends after a request; b"" is a short pause."""


def drip(beginning: bytes, byte: bytes = b" ") -> Speech:
    yield beginning
    for each in repeat(byte):
        yield b""
        yield each


def flood(beginning: bytes, block: bytes) -> Speech:
    yield beginning
    yield from repeat(block)


def garbage(length: int) -> bytes:
    return Random(SEED).randbytes(length)


def silence() -> Speech:
    yield from repeat(b"")


# ---- Redis, and FalkorDB


def page_of_keys() -> bytes:
    keys = (b"intentscope:route:%s:%064x" % (b"d" * 16, next(SERIES)) for _ in range(1_000))
    return b"*2\r\n$1\r\n7\r\n*1000\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(key), key) for key in keys)


REDIS: dict[str, Callable[[], Speech]] = {
    "huge": lambda: flood(b"$8000000000\r\n", b"x" * BLOCK),
    "length": lambda: iter([b"$99999999999999999999999\r\n"]),
    "negative": lambda: iter([b"$-5\r\n"]),
    "deep": lambda: iter([b"*1\r\n" * 200_000]),
    "array": lambda: flood(b"*1000000000\r\n", b":1\r\n" * (BLOCK // 4)),
    "arrays": lambda: flood(b"*1000000000\r\n", b"*0\r\n" * (BLOCK // 4)),
    "many": lambda: iter([b"*99999999999999999999999\r\n"]),
    "line": lambda: flood(b"+", b"y" * BLOCK),
    "error": lambda: flood(b"-ERR ", b"y" * BLOCK),
    "drip": lambda: drip(b"$100000\r\n", b"x"),
    "garbage": lambda: iter([garbage(1_000) + b"\r\n"]),
    "scan": lambda: iter([page_of_keys()]),
    "silent": silence,
}


def redis(wire: BinaryIO, say: Callable[[Speech], None], mode: str) -> None:
    while head := wire.readline():
        words = [wire.read(int(wire.readline()[1:]) + 2)[:-2] for _ in range(int(head[1:]))]
        name = words[0].upper()
        if name == b"PING":
            say(iter([b"+PONG\r\n"]))
        elif name in (b"HELLO", b"CLIENT", b"SELECT", b"AUTH"):
            say(iter([b"+OK\r\n"]))
        elif name == b"UNLINK":
            say(iter([b":1\r\n"]))
        else:
            say(REDIS[mode]())


# ---- Qdrant, or any server with JSON over HTTP

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


def packed() -> Speech:
    """Return a body that expands a thousandfold when decompressed."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    yield OK + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    while True:
        yield chunk(pack.compress(b" " * (1 << 26)) + pack.flush(zlib.Z_SYNC_FLUSH))


def body(content: bytes) -> bytes:
    return OK + b"Content-Length: %d\r\n\r\n%s" % (len(content), content)


def points() -> bytes:
    """Return a page of points that is never the last one."""
    told = b",".join(b'{"id": %d, "payload": {"id": "%d", "state": "s"}}' % (each, each) for each in range(5_000))
    return b'{"result": {"points": [%s], "next_page_offset": 7}, "status": "ok", "time": 0}' % told


HTTP: dict[str, Callable[[], Speech]] = {
    "endless": lambda: flood(CHUNKED, chunk(b" " * BLOCK)),
    "long": lambda: flood(OK + b"Content-Length: 99999999999999\r\n\r\n", b" " * BLOCK),
    "lists": lambda: flood(CHUNKED + chunk(b"["), chunk(b"[]," * (BLOCK // 3))),
    "gzip": packed,
    "deep": lambda: iter([body(b"[" * 2_000_000)]),
    "objects": lambda: iter([body(b'{"result":' * 200_000)]),
    "drip": lambda: drip(OK + b"Content-Length: 100000\r\n\r\n"),
    "head": lambda: drip(OK + b"X-Slow: ", b"x"),
    "heads": lambda: flood(OK, b"X-More: yes\r\n" * 10_000),
    "garbage": lambda: iter([b"\0\xff" * 1_000]),
    "redirect": lambda: iter([b"HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:1/stolen\r\nContent-Length: 0\r\n\r\n"]),
    "kinds": lambda: iter([body(b'{"result": {"collections": 5, "points": "x", "exists": []}, "status": 1}')]),
    "number": lambda: iter([body(b'{"result": {"count": %s}}' % (b"9" * 100_000))]),
    "pages": lambda: iter([body(points())]),
    "silent": silence,
}


def http(wire: BinaryIO, say: Callable[[Speech], None], mode: str) -> None:
    while line := wire.readline():
        length = 0
        path = line.split(b" ")[1]
        while (line := wire.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line[15:])
        wire.read(length)
        if mode == "pages" and path == b"/collections":
            say(iter([body(b'{"result": {"collections": [{"name": "intentscope"}]}, "status": "ok", "time": 0}')]))
        else:
            say(HTTP[mode]())


# ---- Neo4j's Bolt


def text(content: str) -> bytes:
    data = content.encode()
    return b"\xd1" + struct.pack(">H", len(data)) + data


def mapping(**content: bytes) -> bytes:
    return bytes([0xA0 + len(content)]) + b"".join(text(key) + value for key, value in content.items())


def message(tag: int, content: bytes) -> bytes:
    """Return a message of one field, in chunks."""
    data = bytes([0xB1, tag]) + content
    parts = [data[start : start + 65_535] for start in range(0, len(data), 65_535)]
    return b"".join(struct.pack(">H", len(part)) + part for part in parts) + b"\0\0"


def part(content: bytes) -> bytes:
    return struct.pack(">H", len(content)) + content


SUCCESS, RECORD = 0x70, 0x71
LIST, LONG_LIST, LONG_TEXT, EMPTY = b"\x91", b"\xd6\xff\xff\xff\xff", b"\xd2\xff\xff\xff\xff", b"\x90"
ROW = bytes([0xB1, RECORD])
BOLT: dict[str, Callable[[], Speech]] = {
    "endless": lambda: flood(part(ROW + LIST + LONG_TEXT), part(b"x" * 65_535) * 16),
    "lists": lambda: flood(part(ROW + LIST + LONG_LIST), part(EMPTY * 65_535) * 16),
    "whole": lambda: iter([message(RECORD, b"\x91\xd6" + struct.pack(">I", 4_000_000) + EMPTY * 4_000_000)]),
    "below": lambda: iter([message(RECORD, b"\x91\xd6" + struct.pack(">I", 900_000) + EMPTY * 900_000)]),
    "length": lambda: iter([message(RECORD, LIST + LONG_TEXT + b"x")]),
    "many": lambda: iter([message(RECORD, LONG_LIST)]),
    "deep": lambda: iter([message(RECORD, LIST * 200_000)]),
    "records": lambda: flood(b"", message(RECORD, LIST + text("x" * 100)) * 10_000),
    "empty": lambda: flood(b"", message(RECORD, EMPTY) * 10_000),
    "noops": lambda: flood(b"", b"\0\0" * (BLOCK // 2)),
    "kinds": lambda: iter([message(RECORD, b"\x92\x01\xc0"), message(SUCCESS, mapping())]),
    "drip": lambda: drip(struct.pack(">H", 60_000) + ROW, b"x"),
    "garbage": lambda: iter([garbage(4_000)]),
    "silent": silence,
}


def bolt(wire: BinaryIO, say: Callable[[Speech], None], mode: str) -> None:
    if mode == "handshake":
        say(flood(b"\0\0\1\xff", b"\xff" * BLOCK))
    wire.read(20)
    say(iter([b"\0\0\4\5"]))  # version 5.4
    while True:
        said = b""
        while (size := struct.unpack(">H", wire.read(2))[0]) or not said:
            said += wire.read(size)
        tag = said[1]
        if tag == 0x01:
            say(iter([message(SUCCESS, mapping(server=text("Neo4j/5.26.0"), connection_id=text("bolt-1")))]))
        elif tag == 0x10:
            say(iter([message(SUCCESS, mapping(fields=LIST + text("id"), t_first=b"\0"))]))
        elif tag == 0x3F:
            say(BOLT[mode]())
        else:
            say(iter([message(SUCCESS, mapping())]))


# ---- PostgreSQL


def sent(kind: bytes, content: bytes = b"") -> bytes:
    return kind + struct.pack(">I", len(content) + 4) + content


def columns(*names: str) -> bytes:
    """Return the description of text columns."""
    each = (name.encode() + b"\0" + struct.pack(">IHIhih", 0, 0, 25, -1, -1, 0) for name in names)
    return sent(b"T", struct.pack(">H", len(names)) + b"".join(each))


READY = sent(b"Z", b"I")
GREETING = (
    sent(b"R", struct.pack(">I", 0))
    + b"".join(
        sent(b"S", f"{name}\0{value}\0".encode())
        for name, value in (
            ("server_version", "17.2"),
            ("client_encoding", "UTF8"),
            ("standard_conforming_strings", "on"),
        )
    )
    + sent(b"K", struct.pack(">II", 1, 2))
    + READY
)
NULLS = sent(b"D", struct.pack(">hi", 1, -1))


def parameters() -> Speech:
    """Yield parameters with new names each time, which a client remembers."""
    while True:
        yield b"".join(sent(b"S", f"p{next(SERIES)}\0{'x' * 200}\0".encode()) for _ in range(5_000))


POSTGRES: dict[str, Callable[[], Speech]] = {
    "huge": lambda: flood(columns("a") + b"D" + struct.pack(">IHI", 0x3FFFFFFF, 1, 0x3FFFFFF9), b"x" * BLOCK),
    "hugest": lambda: flood(columns("a") + b"D" + struct.pack(">IHI", 0x7FFFFFFF, 1, 0x7FFFFFF9), b"x" * BLOCK),
    "rows": lambda: flood(columns("a"), NULLS * (BLOCK // len(NULLS))),
    "empty": lambda: flood(columns(), sent(b"D", b"\0\0") * 100_000),
    "columns": lambda: flood(b"", columns(*["x" * 60] * 60_000)),
    "notices": lambda: flood(b"", sent(b"N", b"SNOTICE\0VNOTICE\0C00000\0M" + b"x" * 1_000 + b"\0\0") * 1_000),
    "notifications": lambda: flood(b"", sent(b"A", struct.pack(">I", 1) + b"a\0" + b"x" * 200 + b"\0") * 5_000),
    "parameters": parameters,
    "ready": lambda: iter([READY]),
    "echo": lambda: iter([sent(b"E", b"SERROR\0CXX000\0Mno postgresql://u:s3cret@h/db\0\0") + READY]),
    "results": lambda: flood(b"", sent(b"C", b"SELECT 1\0") * 50_000),
    "length": lambda: iter([b"D" + struct.pack(">I", 0xFFFFFFFF)]),
    "drip": lambda: drip(columns("a") + b"D" + struct.pack(">I", 60_000), b"x"),
    "kinds": lambda: iter([columns("a") + NULLS * 3 + sent(b"C", b"SELECT 3\0") + READY]),
    "signs": lambda: iter([b"\x18" + b"0" * 4_000]),
    "garbage": lambda: iter([garbage(4_000)]),
    "silent": silence,
}
EARLY = ("greeting", "slow greeting", "cleartext")
"""Modes in which no connection is established."""
ORDINARY = re.compile(rb"\s*(BEGIN|COMMIT|ROLLBACK|SET)\b")


def postgres(wire: BinaryIO, say: Callable[[Speech], None], mode: str) -> None:
    while True:
        size, code = struct.unpack(">II", wire.read(8))
        wire.read(size - 8)
        if code not in (80877103, 80877104):
            break
        say(iter([b"N"]))  # neither TLS nor GSS
    beginning = sent(b"R", struct.pack(">I", 0))
    if mode == "cleartext":
        say(iter([sent(b"R", struct.pack(">I", 3))]))
    elif mode in EARLY:
        slow = drip(beginning + b"N" + struct.pack(">I", 20_000))
        say(slow if "slow" in mode else flood(beginning, next(parameters())))
    say(iter([GREETING]))
    while kind := wire.read(1):
        content = wire.read(struct.unpack(">I", wire.read(4))[0] - 4)
        if kind == b"Q" and (found := ORDINARY.match(content)) is not None:
            say(iter([sent(b"C", found[1] + b"\0") + READY]))
        elif kind in (b"Q", b"P"):
            say(POSTGRES[mode]())


PROTOCOLS: dict[str, Callable[[BinaryIO, Callable[[Speech], None], str], None]] = {
    "redis": redis,
    "http": http,
    "bolt": bolt,
    "postgres": postgres,
}


class HostileServer:
    """Server of one protocol on a port of this machine, in one mode; its threads end with it."""

    def __init__(self, protocol: str, mode: str, port: int = 0) -> None:
        self._protocol, self._mode = PROTOCOLS[protocol], mode
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._is_over = Event()
        self._threads = [Thread(target=self._listen, daemon=True)]
        self._threads[0].start()

    def _listen(self) -> None:
        with suppress(OSError):
            while not self._is_over.is_set():
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                self._threads.append(Thread(target=self._converse, args=(connection,), daemon=True))
                self._threads[-1].start()

    def _converse(self, connection: socket.socket) -> None:
        def say(speech: Speech) -> None:
            for block in speech:
                if self._is_over.is_set():
                    raise ConnectionError
                if block:
                    connection.sendall(block)
                else:
                    self._is_over.wait(DRIP_SECONDS)

        with connection, connection.makefile("rb") as wire, suppress(OSError, ValueError, struct.error, IndexError):
            self._protocol(wire, say, self._mode)

    def close(self) -> None:
        self._is_over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread
        self._listener.close()
        for each in self._connections:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()


@contextmanager
def hostile(protocol: str, mode: str) -> Iterator[int]:
    """Run such a server; yields its port."""
    server = HostileServer(protocol, mode)
    try:
        yield server.port
    finally:
        server.close()


if __name__ == "__main__":
    HostileServer(sys.argv[2], sys.argv[3], int(sys.argv[1]))
    while True:
        time.sleep(60)
