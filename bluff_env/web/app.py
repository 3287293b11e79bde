"""The addresses of the server: the page and its parts, requests in JSON, and a WebSocket for each place at a table."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bluff_env import drawing
from bluff_env.drawing.page import page
from bluff_env.utils.errors import InputError, one_line, quoted
from bluff_env.utils.files import parse_json
from bluff_env.web import choices, review
from bluff_env.web.guard import Guard
from bluff_env.web.guests import Bucket, Guest
from bluff_env.web.limits import Limits
from bluff_env.web.live import WebTable
from bluff_env.web.tables import Full, Tables

Answer = Callable[[Request], Awaitable[Response]]

PAGE = Path(__file__).parent / "page"
FOLDERS = (PAGE, Path(drawing.__file__).parent / "html")  # of the page's parts
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}
NO_TABLE = "There is no such table, or it has ended."
NO_PLACE = "This link opens no place at the table."
NOT_OVER = "The game is not over."
TOO_MANY = "Too many connections: wait until some have ended."
TOO_FAST = "You send too much at once: wait a moment."
FLOOD = 500  # messages too many after which a connection is cut


class NotHere(InputError):
    """There is no such table, place or file."""


class NotYours(InputError):
    """A token that opens no place."""


class TooLong(InputError):
    """A body with more than is read."""


_STATUS: dict[type[ValueError], int] = {NotHere: 404, NotYours: 403, TooLong: 413, Full: 429}


def make_app(limits: Limits | None = None, host: str = "127.0.0.1", key: str | None = None) -> Starlette:
    """The server as an ASGI application.

    Args:
        limits: what it allows; the usual limits by default.
        host: the address at which it listens, which says by which names it may be asked for.
        key: what requests that make or read something must bring; None: nothing.
    """
    limits = limits or Limits()
    tables = Tables(limits)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(tables.watch_over())
        yield
        watching.cancel()
        tables.stop()

    app = Starlette(
        routes=[
            Route("/", _file_named("index.html")),
            Route("/page/{name}", _part),
            Route("/cards.svg", _cards),
            Route("/api/games", _answering(_games)),
            Route("/api/describe", _answering(_describe), methods=["POST"]),
            Route("/api/tables", _answering(_open_table), methods=["POST"]),
            Route("/api/tables/{table}/record", _answering(_record)),
            Route("/api/tables/{table}/replay", _answering(_replay)),
            Route("/api/open", _answering(_open_record), methods=["POST"]),
            WebSocketRoute("/ws/{table}", _connect),
        ],
        middleware=[Middleware(Guard, limits=limits, host=host, key=key)],
        lifespan=running,
    )
    app.state.tables = tables
    return app


def _tables(request: Request | WebSocket) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


# --- the page --------------------------------------------------------------------------------------------------------


def _file_named(name: str) -> Answer:
    async def answer(_: Request) -> Response:
        return _file(name)

    return answer


async def _part(request: Request) -> Response:
    return _file(request.path_params["name"])


def _file(name: str) -> Response:
    """A part of the page: a file with a plain name in one of two folders."""
    kind = KINDS.get(Path(name).suffix)
    if kind and re.fullmatch(r"[a-z0-9_]+\.[a-z]+", name):
        for folder in FOLDERS:
            with suppress(OSError):
                return Response((folder / name).read_bytes(), media_type=kind)
    return JSONResponse({"error": "There is no such page."}, 404)


async def _cards(_: Request) -> Response:
    from bluff_env.drawing.cards import sheet

    # every card refers to the sheet: a browser that may not keep it asks for it whenever a hand is drawn anew
    return Response(sheet(), media_type=KINDS[".svg"], headers={"cache-control": "max-age=3600"})


# --- requests in JSON ------------------------------------------------------------------------------------------------


def _answering(answer: Answer) -> Answer:
    """Answers what cannot be done with a sentence."""

    async def safely(request: Request) -> Response:
        try:
            return await answer(request)
        except ClientDisconnect:
            return Response(status_code=400)  # which nobody reads
        except ValueError as error:  # InputError, and the errors of rules, records and policies
            return JSONResponse({"error": one_line(error)}, _STATUS.get(type(error), 400))

    return safely


async def _body(request: Request, most: int) -> bytes:
    """The body of a request. Raises TooLong."""

    async def read() -> bytes:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise TooLong(f"This is more than {most // 1024} KiB, the most that is read here.")
        return body

    try:
        return await asyncio.wait_for(read(), _tables(request).limits.to_send)
    except asyncio.TimeoutError:
        raise InputError("The request does not come to its end.") from None


async def _asked(request: Request) -> dict[str, Any]:
    """The JSON object in the body of a request. Raises InputError."""
    body = await _body(request, _tables(request).limits.body)
    try:
        value = parse_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError("The request is not UTF-8.") from None
    except ValueError as error:
        raise InputError(f"The request {error}.") from None
    if not isinstance(value, dict):
        raise InputError("The request must be a JSON object.")
    return value


async def _games(request: Request) -> Response:
    tables = _tables(request)
    return JSONResponse(await tables.quickly(choices.games))


async def _describe(request: Request) -> Response:
    asked = await _asked(request)
    return JSONResponse(await _tables(request).quickly(lambda: choices.described(choices.asked_game(asked))))


async def _open_table(request: Request) -> Response:
    return JSONResponse(await _tables(request).open(await _asked(request)))


def _finished(request: Request) -> WebTable:
    """The table of a request that has a token of it, if its game is over. Raises InputError."""
    table = _tables(request).find(request.path_params["table"])
    if table is None:
        raise NotHere(NO_TABLE)
    if table.place_of(request.query_params.get("token")) is None:
        raise NotYours(NO_PLACE)
    if not table.is_over:
        raise InputError(NOT_OVER)
    return table


def _download(content: str, kind: str, name: str) -> Response:
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


async def _record(request: Request) -> Response:
    table = _finished(request)
    return _download(table.session.recorded().to_text(), "application/jsonl", "game.jsonl")


async def _replay(request: Request) -> Response:
    table = _finished(request)
    found = await _tables(request).slowly(review.reviewed, table.session.recorded(), table.game)
    return _download(page(found["replay"]), "text/html", "game.html")


async def _open_record(request: Request) -> Response:
    limits = _tables(request).limits
    body = await _body(request, limits.record)
    return JSONResponse(await _tables(request).slowly(review.opened, body, limits.steps))


# --- connections -----------------------------------------------------------------------------------------------------


async def _connect(socket: WebSocket) -> None:
    """One connection, from its first message to its end."""
    tables, guest = _tables(socket), Guest()
    await socket.accept()
    if len(tables.guests) >= tables.limits.connections:
        guest.end(TOO_MANY)
        await _write(socket, guest)
        return
    tables.guests.add(guest)
    writer = asyncio.create_task(_write(socket, guest))
    try:
        table = await _seated(socket, guest)
        if table is not None:
            await _listen(socket, guest, table)
    except (WebSocketDisconnect, RuntimeError):  # Starlette's error for a connection that is closed already
        pass
    finally:
        tables.guests.discard(guest)
        if guest.table is not None:
            guest.table.leave(guest)
        guest.outbox.put_nowait(None)
        await writer


async def _write(socket: WebSocket, guest: Guest) -> None:
    """Sends what is in the outbox of a guest, until its end."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while (text := await guest.outbox.get()) is not None:
            await socket.send_text(text)
        await socket.close()


async def _seated(socket: WebSocket, guest: Guest) -> WebTable | None:
    """The table at which a guest has sat down; None, and the connection ends, if they have not."""
    tables = _tables(socket)
    try:
        text = await asyncio.wait_for(_text(socket), tables.limits.to_sit)
        message = _message(text, tables.limits.message)
    except asyncio.TimeoutError:
        guest.end("Nobody has sat down here.")
        return None
    except ValueError as error:
        guest.end(one_line(error))
        return None
    table = tables.find(socket.path_params["table"])
    if table is None:
        guest.end(NO_TABLE)
    elif message.get("type") != "sit":
        guest.end("The first message has to be of the type sit.")
    elif not table.sit(guest, message):
        guest.end(NO_PLACE)
    else:
        return table
    return None


async def _listen(socket: WebSocket, guest: Guest, table: WebTable) -> None:
    """Hands on the messages of a guest, as fast as they may come."""
    limits, extra = table.limits, 0
    bucket, warned = Bucket(limits.rate, limits.burst), Bucket(1, 1)
    while not guest.ended:
        text = await _text(socket)
        await asyncio.sleep(0)  # so that answers are sent between messages that came at once
        if not bucket.take():
            extra += 1
            if extra > FLOOD:
                guest.end("You sent far too much.")
            elif warned.take():
                guest.refuse(TOO_FAST)
            continue
        try:
            message = _message(text, limits.message)
            if message["type"] == "ping":  # whether anybody hears: a line can be dead without being closed
                guest.tell("pong")
            else:
                table.order(guest, message)
        except ValueError as error:
            guest.refuse(one_line(error))


async def _text(socket: WebSocket) -> str:
    """The next message. Bytes read as an empty text. Raises WebSocketDisconnect at the end."""
    received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1000))
    text: str | None = received.get("text")
    return "" if text is None else text


def _message(text: str, most: int) -> dict[str, Any]:
    """A message as a JSON object with a type. Raises ValueError."""
    if len(text) > most:
        raise InputError(f"A message may have {most} characters at most.")
    try:
        message = parse_json(text)
    except ValueError as error:
        raise InputError(f"The message {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise InputError(f"A message is a JSON object with a type, not {quoted(text)}.")
    return message
