"""Server with Qdrant's REST interface over its own client in memory.

It has the functions that the store uses.
"""

import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from tests.store_servers import needed

ELSEWHERE = "https://elsewhere.example/"
"""Address that answers with a status of a redirect lead to."""


@contextmanager
def qdrant_server() -> Iterator[str]:
    needed("qdrant_client")
    from qdrant_client import QdrantClient

    client = QdrantClient(":memory:")
    with served(lambda method, path, body, _: answered(client, method, path, body)) as address:
        yield address
    client.close()


Answer = Callable[[str, tuple[str, ...], Any, Mapping[str, str]], tuple[int, Any]]
"""Function that answers a request with a status and JSON (or bytes).

Its arguments are the method, the parts of the path, the JSON sent, and the headers.
"""


@contextmanager
def served(answer: Answer, certificate: Path | None = None) -> Iterator[str]:
    """Run a server with these answers, one at a time, over TLS with a certificate; yields its address."""

    class OneRequest(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers["content-length"] or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            parts = tuple(urlsplit(self.path).path.strip("/").split("/"))
            status, told = answer(self.command, parts, body, dict(self.headers))
            said = told if isinstance(told, bytes) else json.dumps(told).encode()
            with suppress(ConnectionError):
                self.send_response(status)
                if status // 100 == 3:
                    self.send_header("location", ELSEWHERE)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

        do_GET = do_PUT = do_POST = _answer  # noqa: N815  called by these names

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), OneRequest)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http{'s' if certificate else ''}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answered(client: Any, method: str, path: tuple[str, ...], body: Any) -> tuple[int, Any]:
    """Return a server's answer with its status."""
    name, rest = (path[1], path[2:]) if path[1:] else ("", ())
    try:
        result = CALLS[method, *rest](client, name, body) if name else client.get_collections().model_dump()
    except ValueError as error:
        return 404 if "not found" in str(error) else 400, {"status": {"error": str(error)}, "time": 0.0}
    return 200, {"result": result, "status": "ok", "time": 0.0}


def models() -> Any:
    from qdrant_client import models

    return models


def _create(client: Any, name: str, body: Any) -> Any:
    asked = models().CreateCollection.model_validate(body)
    return client.create_collection(name, vectors_config=asked.vectors)


def _index(client: Any, name: str, body: Any) -> Any:
    models().CreateFieldIndex.model_validate(body)
    return {"operation_id": 0, "status": "completed"}


def _upsert(client: Any, name: str, body: Any) -> Any:
    asked = models().PointsList.model_validate(body)
    return client.upsert(name, asked.points).model_dump()


def _retrieve(client: Any, name: str, body: Any) -> Any:
    asked = models().PointRequest.model_validate(body)
    return [each.model_dump() for each in client.retrieve(name, asked.ids, with_payload=asked.with_payload)]


def _scroll(client: Any, name: str, body: Any) -> Any:
    asked = models().ScrollRequest.model_validate(body)
    points, at = client.scroll(
        name, asked.filter, limit=asked.limit, offset=asked.offset, with_payload=asked.with_payload
    )
    return {"points": [each.model_dump() for each in points], "next_page_offset": at}


def _count(client: Any, name: str, body: Any) -> Any:
    asked = models().CountRequest.model_validate(body)
    return client.count(name, asked.filter, exact=asked.exact).model_dump()


def _query(client: Any, name: str, body: Any) -> Any:
    asked = models().QueryGroupsRequest.model_validate(body)
    return client.query_points_groups(
        name, asked.group_by, asked.query, query_filter=asked.filter, limit=asked.limit, group_size=asked.group_size,
        with_payload=asked.with_payload,
    ).model_dump()  # fmt: skip


def _look(client: Any, name: str, _: Any) -> Any:
    return json.loads(client.get_collection(name).model_dump_json())


def _nearest(client: Any, name: str, body: Any) -> Any:
    asked = models().QueryRequest.model_validate(body)
    return client.query_points(
        name, asked.query, using=asked.using, query_filter=asked.filter, limit=asked.limit,
        with_payload=asked.with_payload,
    ).model_dump()  # fmt: skip


CALLS: dict[tuple[str, ...], Callable[[Any, str, Any], Any]] = {
    ("GET",): _look,
    ("GET", "exists"): lambda client, name, _: {"exists": client.collection_exists(name)},
    ("PUT",): _create,
    ("PUT", "index"): _index,
    ("PUT", "points"): _upsert,
    ("POST", "points"): _retrieve,
    ("POST", "points", "scroll"): _scroll,
    ("POST", "points", "count"): _count,
    ("POST", "points", "delete"): lambda client, name, body: client.delete(name, body["points"]).model_dump(),
    ("POST", "points", "query"): _nearest,
    ("POST", "points", "query", "groups"): _query,
}
