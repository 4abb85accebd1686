"""What can be the address of a server, as a person writes it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit


def address(url: str) -> str:
    """An address without the spaces around it, or nothing; ValueError if it can be no server's."""
    url = url.strip()
    if url and not _is_address(url):
        raise ValueError("it is no address of a server, such as 127.0.0.1:11434 or http://127.0.0.1:11434")
    return url


def _is_address(text: str) -> bool:
    """Whether a text is a URL of HTTP, host:port or a host that shows that it is one, with a port that can be."""
    scheme, mark, _ = text.partition("://")
    if re.search(r"[\s\x00-\x1f\x7f\ud800-\udfff]", text) or (mark and scheme not in ("http", "https")):
        return False
    try:
        parts = urlsplit(text if mark else f"http://{text}")
        port = parts.port
    except ValueError:
        return False
    if not mark and port is None and parts.hostname and not re.search(r"^localhost$|[.:]", parts.hostname):
        return False  # one bare word, as a slip of the hand leaves it
    return port != 0 and not parts.netloc.endswith(":") and (bool(parts.hostname) or port is not None)
