"""``bluff-env table``: the table in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

LOCAL = "127.0.0.1"
PORT = 8765


def table(
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 admits everybody in the network who has the link.")
    ] = LOCAL,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = PORT,
) -> None:
    """Serve a page to play at, watch policies, and look at games: open the link that is printed."""
    from bluff_env.web.serve import link, listen, make_server, new_key

    found, key = listen(host, port), new_key(host)
    typer.echo(f"The table is at {link(host, found.getsockname()[1], key)} (Ctrl-C ends)")
    make_server(host, key).run(sockets=[found])
