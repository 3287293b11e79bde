"""Admission to the server: the page that it serves may ask it for something, and no other page.

A page of another website could reach a server on this machine through the visitor's browser. Browsers say for which
name they ask (Host) and which page asks (Origin), and both have to be the server's own.
"""

from __future__ import annotations

import ipaddress
import json
import secrets
import socket
from collections import OrderedDict
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bluff_env.web.guests import Bucket
from bluff_env.web.limits import Limits

KEY_HEADER = "x-table-key"
MOST_ADDRESSES = 1000  # of which it is remembered how much they have asked for lately
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server at this address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Lets through what the server's own page asks for, and adds what a browser is to keep to.

    Args:
        app: what is guarded.
        limits: how often an address may ask.
        host: where the server listens.
        key: what requests that make something must have in their header :data:`KEY_HEADER`; None: nothing.
    """

    def __init__(self, app: ASGIApp, limits: Limits, host: str, key: str | None) -> None:
        self.app, self.limits, self.key = app, limits, key
        self._names = {"localhost"} if is_loopback(host) else {"localhost", host.lower(), *_own_names()}
        self._asked: OrderedDict[str, Bucket] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refused = self._refusal(scope)
        if scope["type"] == "websocket":
            if refused is None:
                await self.app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": refused[1]})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if refused is None:
            await self.app(scope, receive, send_guarded)
        else:
            status, sentence = refused
            content = [(b"content-type", b"application/json")]
            await send_guarded({"type": "http.response.start", "status": status, "headers": content})
            await send_guarded({"type": "http.response.body", "body": json.dumps({"error": sentence}).encode()})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence for a request that is refused, None for one that may pass."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_own(host):
            return 403, "This server is asked for by a name that is not its own."
        if origin is not None and origin.partition("://")[2] != host:
            return 403, "Another website may not use this server."
        if scope["type"] == "http" and scope["path"].startswith("/api/") and not self._bucket(scope).take():
            return 429, "You ask for too much at once: wait a moment."
        given = headers.get(KEY_HEADER, "").encode("latin-1", "replace")
        posts = scope["type"] == "http" and scope["method"] == "POST"
        if posts and self.key is not None and not secrets.compare_digest(given, self.key.encode()):
            return 403, "The link lacks the key of this server, or has another one: open the link that it printed."
        return None

    def _is_own(self, host: str) -> bool:
        """Return whether a Host header names this server, or an address, which nobody can redirect."""
        name = host.lower()
        if name.startswith("["):
            name = name[1:].partition("]")[0]
        else:
            name = name.partition(":")[0]
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or len(self._names) > 1

    def _bucket(self, scope: Scope) -> Bucket:
        """Return how much the address of a request may still ask for."""
        address = str((scope.get("client") or ("",))[0])
        bucket = self._asked.pop(address, None) or Bucket(self.limits.requests, self.limits.request_burst)
        self._asked[address] = bucket
        while len(self._asked) > MOST_ADDRESSES:
            self._asked.popitem(last=False)
        return bucket


def _own_names() -> set[str]:
    """The names under which others can know this machine."""
    name: Any = socket.gethostname().lower()
    return {name, f"{name}.local", socket.getfqdn().lower()}
