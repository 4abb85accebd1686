"""Tests of attacks from a page, the network or this machine, and of their rejection."""

import http.client
import json
from collections.abc import Iterator

import pytest

from app.surfaces.http_guard import MOST_BYTES, MOST_DEPTH, MOST_HEADER_BYTES, MOST_HEADERS, _is_deep
from tests.unit.surfaces.http_servers import TOKEN, Served, served, status_of
from tests.waiting import PATIENCE

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
BODY = json.dumps(HELLO).encode()
ACCEPT = "Accept: application/json, text/event-stream"
OPEN = f"Authorization: Bearer {TOKEN}"
JSON = "Content-Type: application/json"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("attacked")) as running:
        yield running


def request(
    *headers: str,
    line: str = "POST /mcp HTTP/1.1",
    host: str | None = "{host}",
    body: bytes = BODY,
    length: str | None = "Content-Length: {length}",
) -> bytes:
    """Format a request; `{host}` and `{length}` are filled in later."""
    shown = [line, *([] if host is None else [f"Host: {host}"]), *headers, *([] if length is None else [length])]
    return "\r\n".join([*shown, "", ""]).replace("{length}", str(len(body))).encode("latin-1") + body


GOOD = (JSON, ACCEPT, OPEN)
LONG = b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * MOST_BYTES + b'"}'
CHUNKED = f"{len(LONG):x}\r\n".encode() + LONG + b"\r\n0\r\n\r\n"
SMUGGLED = b"0\r\n\r\nPOST /mcp HTTP/1.1\r\nHost: {host}\r\nX: "
DEEP = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
UPGRADE = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA==")

ATTACKS: dict[str, tuple[bytes, int]] = {
    # ---- under another name: a page whose own name resolves to this machine
    "a foreign host": (request(*GOOD, host="evil.example"), 421),
    "a rebound name with our port": (request(*GOOD, host="evil.example:{port}"), 421),
    "a name that begins like ours": (request(*GOOD, host="127.0.0.1.evil.example:{port}"), 421),
    "our name with another port": (request(*GOOD, host="127.0.0.1:1"), 421),
    "a name with a user before it": (request(*GOOD, host="evil.example@127.0.0.1:{port}"), 421),
    "another spelling of loopback": (request(*GOOD, host="2130706433:{port}"), 421),
    "no host": (request(*GOOD, host=None), 400),
    "two hosts": (request("Host: evil.example", *GOOD), 400),
    "an absolute address of another host": (request(*GOOD, line="POST http://evil.example/mcp HTTP/1.1"), 404),
    # ---- from a page
    "a foreign origin": (request(*GOOD, "Origin: https://evil.example"), 403),
    "a null origin": (request(*GOOD, "Origin: null"), 403),
    "an origin of another local port": (request(*GOOD, "Origin: http://127.0.0.1:1"), 403),
    "an origin that begins like ours": (request(*GOOD, "Origin: http://127.0.0.1:{port}.evil.example"), 403),
    "a browser from another site": (request(*GOOD, "Sec-Fetch-Site: cross-site"), 403),
    "a browser from another port": (request(*GOOD, "Sec-Fetch-Site: same-site"), 403),
    "a preflight": (
        request("Access-Control-Request-Method: POST", line="OPTIONS /mcp HTTP/1.1", body=b"", length=None),
        405,
    ),
    "a simple POST of text": (request("Content-Type: text/plain", ACCEPT, OPEN), 415),
    "a simple POST of a form": (request("Content-Type: application/x-www-form-urlencoded", ACCEPT, OPEN), 415),
    "a simple POST of parts": (request("Content-Type: multipart/form-data; boundary=x", ACCEPT, OPEN), 415),
    "a POST without a type": (request(ACCEPT, OPEN), 415),
    "a type that hides another": (request("Content-Type: text/plain; a=application/json", ACCEPT, OPEN), 415),
    "a WebSocket": (request(*UPGRADE, OPEN, line="GET /mcp HTTP/1.1", body=b"", length=None), 400),
    # ---- without the token
    "no token": (request(JSON, ACCEPT), 401),
    "a wrong token": (request(JSON, ACCEPT, "Authorization: Bearer wrong"), 401),
    "the start of the token": (request(JSON, ACCEPT, f"Authorization: Bearer {TOKEN[:-1]}"), 401),
    "the token as a password": (request(JSON, ACCEPT, f"Authorization: Basic {TOKEN}"), 401),
    "a token that is no ASCII": (request(JSON, ACCEPT, "Authorization: Bearer \xe9"), 401),
    "two tokens": (request(*GOOD, "Authorization: Bearer wrong"), 400),
    "the token in the address": (request(JSON, ACCEPT, line=f"POST /mcp?token={TOKEN} HTTP/1.1"), 400),
    "the token in the address too": (request(*GOOD, line=f"POST /mcp?access_token={TOKEN} HTTP/1.1"), 400),
    "a cookie": (request(JSON, ACCEPT, f"Cookie: token={TOKEN}"), 401),
    # ---- too large
    "a huge body": (request(*GOOD, body=LONG), 413),
    "a huge body that is only announced": (request(*GOOD, body=b"", length="Content-Length: 99999999999999999"), 413),
    "a huge body in chunks": (request(*GOOD, "Transfer-Encoding: chunked", body=CHUNKED, length=None), 413),
    "deep JSON": (request(*GOOD, body=DEEP), 400),
    "a flood of headers": (request(*GOOD, *(f"X-{number}: 1" for number in range(MOST_HEADERS))), 431),
    "a flood in one header": (request(*GOOD, "X: " + "x" * MOST_HEADER_BYTES), 431),
    "headers without an end": (request(*GOOD, length=None, body=b"")[:-4] + b"x" * 8 * MOST_HEADER_BYTES, 400),
    "a packed body": (request(*GOOD, "Content-Encoding: gzip"), 415),
    # ---- ambiguous
    "a length and chunks": (request(*GOOD, "Transfer-Encoding: chunked", body=SMUGGLED), 400),
    "two lengths": (request(*GOOD, "Content-Length: 1"), 400),
    "a negative length": (request(*GOOD, length="Content-Length: -1"), 400),
    "an encoding that nobody knows": (request(*GOOD, "Transfer-Encoding: xchunked", length=None), 400),
    "chunks behind another encoding": (request(*GOOD, "Transfer-Encoding: gzip, chunked", length=None), 400),
    "a space before the colon": (request(*GOOD, "Transfer-Encoding : chunked"), 400),
    "a folded header": (request(*GOOD, "X: a\r\n b: c", "Content-Length: 1"), 400),
    "a bare line feed in a header": (request(*GOOD, "X: a\nTransfer-Encoding: chunked"), 400),
    "a header with a NUL": (request(*GOOD, "X: a\0b"), 400),
    # ---- other paths
    "a path upwards": (request(*GOOD, line="POST /mcp/../health HTTP/1.1"), 404),
    "a path upwards in disguise": (request(*GOOD, line="POST /%2e%2e/%2e%2e/etc/passwd HTTP/1.1"), 404),
    "our path in disguise": (request(*GOOD, line="POST /%6dcp HTTP/1.1"), 404),
    "another path": (request(*GOOD, line="POST /sse HTTP/1.1"), 404),
    "a GET that says it is a POST": (
        request(OPEN, ACCEPT, "X-HTTP-Method-Override: POST", line="GET /mcp HTTP/1.1"),
        400,
    ),
    "a method that nobody serves": (request(*GOOD, line="PUT /mcp HTTP/1.1"), 405),
    "a tunnel": (request(*GOOD, line="CONNECT evil.example:443 HTTP/1.1", body=b"", length=None), 404),
    "TRACE": (request(*GOOD, line="TRACE /mcp HTTP/1.1", body=b"", length=None), 405),
    # ---- as another client
    "a session of somebody else": (request(*GOOD, "Mcp-Session-Id: 0123456789abcdef0123456789abcdef"), 404),
    "two sessions": (request(*GOOD, "Mcp-Session-Id: a", "Mcp-Session-Id: b"), 400),
    "a protocol that nobody speaks": (request(*GOOD, "MCP-Protocol-Version: 1999-01-01"), 400),
    "no JSON": (request(*GOOD, body=b"{"), 400),
    "a list of requests": (request(*GOOD, body=b"[" + BODY + b"]"), 400),
    "a request whose id is a truth value": (request(*GOOD, body=BODY.replace(b'"id": 1', b'"id": true')), 400),
    "a request whose id is a fraction": (request(*GOOD, body=BODY.replace(b'"id": 1', b'"id": 1.5')), 400),
    "no protocol at all": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64 + b"\r\n\r\n", 400),
}
"""Requests, with the status of their rejection."""


@pytest.mark.parametrize("name", ATTACKS)
def test_that_an_attack_is_refused(server: Served, name: str) -> None:
    attack, status = ATTACKS[name]
    filled = attack.replace(b"{host}", server.host.encode()).replace(b"{port}", str(server.port).encode())
    heard = server.answer(filled)
    assert status_of(heard) == status, heard[:500]
    head, _, body = heard.lower().partition(b"\r\n\r\n")
    assert b"access-control-" not in head
    assert b"\r\nserver:" not in head
    assert TOKEN.encode() not in heard
    assert b"traceback" not in body
    assert b"mcp-session-id" not in head


def test_that_the_honest_request_which_attacks_are_made_of_is_answered(server: Served) -> None:
    honest = request(*GOOD).replace(b"{host}", server.host.encode())
    heard = server.answer(honest)
    assert status_of(heard) == 200, heard[:500]
    assert b"access-control-" not in heard.lower()
    assert b"cache-control: no-store" in heard.lower()


def test_that_host_and_type_are_read_in_any_case(server: Served) -> None:
    shouted = request(JSON.replace("application", "APPLICATION"), *GOOD[1:], host=f"LOCALHOST:{server.port}")
    assert status_of(server.answer(shouted)) == 200


def test_that_nothing_smuggled_behind_a_refused_request_is_answered(server: Served) -> None:
    attack = request(*GOOD, "Transfer-Encoding: chunked", body=SMUGGLED + b"x" * 50 + b"\r\n" + BODY)
    heard = server.answer(attack.replace(b"{host}", server.host.encode()) + request(line="GET /health HTTP/1.1"))
    assert heard.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in heard.lower()


def test_that_health_says_nothing_but_that_it_is_there(server: Served) -> None:
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    line.request("GET", "/health")
    answer = line.getresponse()
    assert (answer.status, answer.read()) == (200, b"ok\n")
    assert {name.lower() for name, _ in answer.getheaders()} <= {
        *("content-length", "content-type", "cache-control", "x-content-type-options", "date")
    }
    line.close()


@pytest.mark.parametrize("depth", [MOST_DEPTH, MOST_DEPTH + 1])
def test_that_brackets_in_texts_count_for_nothing(server: Served, depth: int) -> None:
    nested = json.loads("[" * (depth - 2) + "]" * (depth - 2))
    hello = json.loads(BODY)
    hello["params"]["capabilities"] = {"experimental": {"a": {"b": "[{" * 500 + '"\\'}}}
    assert status_of(server.answer(_filled(server, json.dumps(hello).encode()))) == 200
    hello["params"]["_meta"] = {"x": nested[0]}
    deep = json.dumps(hello).encode()
    refused = b"levels deep" in server.answer(_filled(server, deep))
    assert refused == (depth > MOST_DEPTH)


@pytest.mark.parametrize("end", [b"", b"\\"])
def test_that_a_text_without_end_is_looked_at_once(end: bytes) -> None:
    assert not _is_deep(b"{" * MOST_DEPTH + b'"' + b'\\"[' * 300_000 + end)  # scanning repeatedly would take hours
    assert _is_deep(b"{" * (MOST_DEPTH + 1) + b'"' + b'\\"' * 300_000 + end)


def _filled(server: Served, body: bytes) -> bytes:
    return request(*GOOD, body=body).replace(b"{host}", server.host.encode())


def test_that_a_refusal_leaves_the_server_as_it_was(server: Served) -> None:
    assert status_of(server.answer(_filled(server, b"\0" * 100))) == 400
    assert status_of(server.answer(_filled(server, BODY))) == 200
