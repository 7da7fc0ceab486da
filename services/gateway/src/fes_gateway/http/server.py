"""The HTTP server of a process, in the loop that its gateways run in."""

from typing import Final

from serving.guard import BodyGuard
from serving.server import HttpServer

from fes_gateway.http.app import make_app
from fes_gateway.http.dispatch import Dispatch
from fes_gateway.pack import Pack

BODY_BYTES: Final = 256 * 1024


def server_of(pack: Pack, host: str, port: int) -> HttpServer:
    """Return a server of the REST interface of a pack.

    Args:
        pack: The gateways.
        host: Address to listen on.
        port: Port; 0 has the system choose one.
    """
    dispatch = Dispatch(make_app(), pack.hosts)
    return HttpServer(BodyGuard(dispatch, BODY_BYTES, dispatch.count_refusal), host, port)
