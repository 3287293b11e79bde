"""The server as a program."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from contextlib import suppress
from typing import Any

import uvicorn
import websockets  # noqa: F401 - uvicorn needs it, and would only say so when somebody connects

from bluff_env.web.app import make_app
from bluff_env.web.guard import is_loopback
from bluff_env.web.limits import Limits
from bluff_env.web.patience import BACKLOG, Seldom, protocol

TO_END = 2  # seconds for open connections when the server is stopped
TO_SAY = 0.1  # seconds in which they are told so


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises OSError, which names the address."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(BACKLOG)  # who opens the link at once waits until the server has started
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), f"{host} port {port}") from None
    return found


def link(host: str, port: int, key: str | None) -> str:
    """The address of the page; a key stands in its fragment, which no log and no other website gets to see."""
    host = _reached_at() if host in ("0.0.0.0", "::") else host
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"#{key}" if key else "")


def _reached_at() -> str:
    """Return the address at which others in the network reach this machine, or its name if it does not know one."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect(("192.0.2.1", 9))  # sends nothing: it only asks which way a message would take
        return str(way.getsockname()[0])
    return socket.gethostname()


def new_key(host: str) -> str | None:
    """Return the key that opens tables; None where only this machine can reach the server."""
    return None if is_loopback(host) else secrets.token_urlsafe(16)


def make_server(host: str, key: str | None, limits: Limits | None = None) -> Server:
    """A server of tables; its method ``run`` takes the sockets at which it listens.

    Args:
        host: the address at which it listens, which says by which names it may be asked for.
        key: the one that opens tables; None: everybody may.
        limits: what it allows; the usual limits by default.
    """
    limits = limits or Limits()
    config = uvicorn.Config(
        make_app(limits, host, key),
        log_level="error",
        access_log=False,
        server_header=False,
        ws_max_size=16 * limits.message,
        ws_per_message_deflate=False,  # it would take more memory than all else of a connection
        timeout_graceful_shutdown=TO_END,
        limit_concurrency=limits.connections + 100,
        backlog=BACKLOG,
        http=protocol(limits),
        proxy_headers=False,  # the address of a request is that of its connection, whatever its headers say
    )
    logging.getLogger("asyncio").addFilter(Seldom())
    return Server(config)


class Server(uvicorn.Server):
    """One that says why it ends: the tables end before the connections do, which nothing can be sent to after that."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the tables, and then as uvicorn does."""
        app: Any = self.config.app
        app.state.tables.stop()
        await asyncio.sleep(TO_SAY)
        await super().shutdown(sockets)
