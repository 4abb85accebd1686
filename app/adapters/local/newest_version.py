"""One question to an address of a person's choice: which version is the newest?"""

from __future__ import annotations

import asyncio
import json
import logging

import httpx

from app.adapters.local.bounded_http import AS_IT_IS, Bound, keep_within

SECONDS, MOST_BYTES, LONGEST = 10.0, 65_536, 40

log = logging.getLogger(__name__)


async def newest_version(url: str) -> str:
    """What the address answers to one GET with `{"version": "..."}`; "" if it does not, which the log says.

    Redirections are not followed, and no more than 64 KB are read, within 10 s in all.
    """
    until = asyncio.get_running_loop().time() + SECONDS
    try:
        async with (
            asyncio.timeout_at(until),
            httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client,
            client.stream("GET", url, headers={"Accept": "application/json", **AS_IT_IS}) as reply,
        ):
            reply.raise_for_status()
            keep_within(reply, Bound(MOST_BYTES), until)
            found = json.loads(await reply.aread())
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError, RecursionError) as error:
        log.info("No newer version could be asked for: %s", type(error).__name__)
        return ""
    version = found.get("version") if isinstance(found, dict) else None
    return version if isinstance(version, str) and len(version) <= LONGEST else ""
