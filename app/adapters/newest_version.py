"""One question to an address of a person's choice: which version is the newest?"""

from __future__ import annotations

import json
import logging

import httpx

SECONDS, MOST_BYTES, LONGEST = 10.0, 65_536, 40

log = logging.getLogger(__name__)


async def newest_version(url: str) -> str:
    """What the address answers to one GET with `{"version": "..."}`; "" if it does not, which the log says.

    Redirections are not followed, and no more than 64 KB are read.
    """
    try:
        async with (
            httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client,
            client.stream("GET", url, headers={"Accept": "application/json"}) as reply,
        ):
            reply.raise_for_status()
            found = json.loads(await _body(reply))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as error:
        log.info("No newer version could be asked for: %s", type(error).__name__)
        return ""
    version = found.get("version") if isinstance(found, dict) else None
    return version if isinstance(version, str) and len(version) <= LONGEST else ""


async def _body(reply: httpx.Response) -> bytes:
    body = bytearray()
    async for part in reply.aiter_bytes():
        body += part
        if len(body) > MOST_BYTES:
            raise ValueError("too much to say which version is the newest")
    return bytes(body)
