"""The HTTP server of a process, in the event loop of its gateways."""

import socket
from collections.abc import Iterable
from typing import Final

from serving.guard import BodyGuard
from serving.origin import OriginGuard
from serving.server import HttpServer

from fes_gateway.http.app import make_app
from fes_gateway.http.dispatch import Dispatch
from fes_gateway.pack import Pack

BODY_BYTES: Final = 256 * 1024


def server_of(pack: Pack, host: str, port: int, names: Iterable[str] = ()) -> HttpServer:
    """Return a server of the REST interface of a pack.

    Args:
        pack: The gateways.
        host: Address to listen on.
        port: Port; with 0 the system chooses one.
        names: Further names under which clients reach it, beside loopback, `host`, the machine's
            name and the gateways' own.
    """
    dispatch = Dispatch(make_app(), pack.hosts, pack.meter)
    own = (host, socket.gethostname(), *pack.hosts, *names)
    guarded = OriginGuard(dispatch, own, dispatch.count_refusal)
    return HttpServer(BodyGuard(guarded, BODY_BYTES, dispatch.count_refusal), host, port)
