"""Clients of the loopback servers that stall, flood, or forge their identity."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial

from app.adapters.metrics import serve_metrics
from app.services.engine.metrics import EngineMetrics
from tests.torture.attempts import Attempt, Round, expect
from tests.torture.kill import Say, said
from tests.torture.places import NOBODY
from tests.unit.surfaces.http_servers import TOKEN, Served, served, status_of
from tests.unit.surfaces.test_http_attacks import ACCEPT, ATTACKS, BODY, GOOD, JSON, request

SLOW = 200


@contextmanager
def held_open(port: int, count: int, begun: bytes) -> Iterator[list[socket.socket]]:
    """Open many connections that send a little and then stall; rejected ones are left out."""
    with ExitStack() as closed:
        lines = []
        for _ in range(count):
            line = closed.enter_context(socket.socket())
            line.settimeout(2.0)
            if line.connect_ex(("127.0.0.1", port)) == 0:
                try:
                    line.sendall(begun)
                except OSError:
                    continue
                lines.append(line)
        yield lines


def honest(server: Served) -> None:
    """Check that an honest request is answered immediately."""
    heard = server.answer(request(*GOOD).replace(b"{host}", server.host.encode()))
    expect(status_of(heard) == 200, f"an honest request got {heard[:200]!r}")


def refused(server: Served, attack: bytes, statuses: set[int | None]) -> str:
    filled = attack.replace(b"{host}", server.host.encode()).replace(b"{port}", str(server.port).encode())
    heard = server.answer(filled)
    status = status_of(heard)
    expect(status in statuses, f"status {status} for {attack[:300]!r}: {heard[:200]!r}")
    expect(TOKEN.encode() not in heard, "the answer contains the token")
    expect(b"Traceback" not in heard, "the answer contains a traceback")
    return str(status or "hung up")


def many_attacks(round_: Round) -> str:
    """Known attacks in any order, followed by an honest request."""
    with served(round_.folder / "profile") as server:
        for name in round_.chance.sample(sorted(ATTACKS), 12):
            attack, status = ATTACKS[name]
            refused(server, attack, {status})
        honest(server)
    return "refused"


WRONG = (
    "",
    "Bearer",
    "Bearer ",
    "bearer wrong",
    f"Bearer {TOKEN}x",
    f"Bearer {TOKEN[:-1]}",
    f"Basic {TOKEN}",
    "Bearer \xe9",
)


def wrong_tokens(round_: Round) -> str:
    """A wrong token in its place, or the right one in every other place."""
    chance = round_.chance
    places = (
        *((f"Authorization: {wrong}",) for wrong in WRONG),
        *(
            (f"{name}: {TOKEN}",)
            for name in ("Cookie", "X-Token", "X-Api-Key", "Proxy-Authorization", "Mcp-Session-Id")
        ),
        (f"Cookie: token={TOKEN}; Authorization=Bearer {TOKEN}",),
        (f"Referer: http://127.0.0.1/?token={TOKEN}",),
    )
    with served(round_.folder / "profile") as server:
        for headers in chance.sample(places, 8):
            refused(server, request(JSON, ACCEPT, *headers), {400, 401, 404})
        for word in ("token", "access_token", "key"):
            line = f"POST /mcp?{word}={TOKEN} HTTP/1.1"
            refused(server, request(JSON, ACCEPT, line=line), {400, 401})
        refused(server, request(JSON, ACCEPT, body=BODY[:-1] + f', "token": "{TOKEN}"}}'.encode()), {401})
        honest(server)
    return "refused"


def rebinding(round_: Round) -> str:
    """Invented host and origin names similar to ours."""
    chance = round_.chance
    ours = "127.0.0.1:{port}"
    changes = ("x" + ours, ours + "x", ours.upper() + ".", "127.0.0.1.nip.io:{port}", "[::1]:{port}0", "0.0.0.0:{port}",
               "127.1:{port}", "0x7f000001:{port}", "localhost.evil.example:{port}", "a@" + ours, ours + "/",
               "evil.example", "127.0.0.2:{port}", "127.0.0.1:0{port}", "")  # fmt: skip
    with served(round_.folder / "profile") as server:
        for host in chance.sample(changes, 6):
            refused(server, request(*GOOD, host=host), {400, 421})
            if host:
                refused(server, request(*GOOD, f"Origin: http://{host}"), {400, 403})
        honest(server)
    return "refused"


def noise(round_: Round) -> str:
    """Requests with random changes: no traceback, and the server survives."""
    chance = round_.chance
    with served(round_.folder / "profile") as server:
        for _ in range(20):
            raw = bytearray(request(*GOOD).replace(b"{host}", server.host.encode()))
            for _ in range(chance.randint(1, 6)):
                raw[chance.randrange(len(raw))] = chance.randrange(256)
            raw += b"\r\n\r\n" if chance.random() < 0.2 else b""
            with closing(socket.create_connection(("127.0.0.1", server.port), 5)) as line:
                line.sendall(raw)
                line.shutdown(socket.SHUT_WR)
                heard = line.recv(65_536)
            expect(b"Traceback" not in heard, "the answer contains a traceback")
            expect(TOKEN.encode() not in heard, "the answer contains the token")
        honest(server)
    return "answered"


STALLS: dict[str, bytes] = {
    "that say nothing": b"",
    "with half a header": b"POST /mcp HTTP/1.1\r\nHost: 127",
    "with half a body": request(*GOOD, length="Content-Length: 1000"),
    "without the token": request(JSON, length="Content-Length: 1000"),
}


def slow(begun: bytes, round_: Round) -> str:
    """Two hundred stalled connections, with an honest client among them."""
    with served(round_.folder / "profile") as server:
        filled = begun.replace(b"{host}", server.host.encode())
        with held_open(server.port, SLOW, filled) as lines:
            expect(len(lines) > 0, "no connection was accepted")
            honest(server)
        honest(server)
    return "honest ones served"


def slow_metrics(round_: Round) -> str:
    """The same on the port of the metrics; threads and descriptors stay few."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    stop = serve_metrics(EngineMetrics(), port)
    before = len(os.listdir("/proc/self/task"))
    try:
        with held_open(port, SLOW, round_.chance.choice((b"", b"GET /metrics HTTP/1.1\r\nHo"))):
            threads = len(os.listdir("/proc/self/task")) - before
            expect(threads < SLOW // 2, f"{threads} threads for {SLOW} silent connections")
    finally:
        stop()
    return "capped"


def windows_door(round_: Round) -> str:
    """The profile with the window's socket and the library, accessed by another user."""
    from app.adapters.store.library import SqlLibrary

    if os.geteuid() != 0:
        return "not root"
    profile = round_.folder / "profile"
    profile.mkdir(mode=round_.chance.choice((0o755, 0o777, 0o700)))
    SqlLibrary.open(profile).close()
    for above in (round_.folder, round_.folder.parent):
        above.chmod(0o755)
    endpoint = profile / "window.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(endpoint))
        listening.listen()

        def work(say: Say) -> None:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with socket.socket(socket.AF_UNIX) as line:
                say(f"socket {line.connect_ex(str(endpoint))}" if os.access(profile, os.X_OK) else "socket 13")
            say(f"library {os.access(profile / 'library.db', os.R_OK | os.W_OK)}")

        lines = said(work)
    expect(lines == ["socket 13", "library False"], f"another user got in: {lines}")
    return "kept out"


ATTEMPTS = [
    Attempt("wire", "known attacks in any order", many_attacks, 4),
    Attempt("wire", "the token wrong, or in a wrong place", wrong_tokens, 4),
    Attempt("wire", "names of hosts and origins near to ours", rebinding, 4),
    Attempt("wire", "requests with accidents", noise, 4),
    *(Attempt("wire", f"{SLOW} connections {name}", partial(slow, begun), 10) for name, begun in STALLS.items()),
    Attempt("wire", f"{SLOW} silent connections at the metrics", slow_metrics, 10),
    Attempt("wire", "the profile, by another user", windows_door, 4),
]

if sys.platform == "win32":
    ATTEMPTS = []
