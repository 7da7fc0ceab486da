"""A multicast bus that stays on this host, and works where there is no network at all.

python-can's own joins its group on the interface that the default route names, so it needs one,
and frames may leave the host. This one joins on the loopback interface; datagrams have the form of
python-can's, so that its tools receive them and are received.
"""

import select
import socket
import time
from typing import Final

import can
from can.interfaces.udp_multicast.utils import pack_message, unpack_message

LOOPBACK: Final = "127.0.0.1"
DATAGRAM_BYTES: Final = 4096


class LoopbackBus(can.BusABC):
    """Sends and receives frames on a multicast group of this host.

    Args:
        channel: IPv4 multicast address.
        port: UDP port.

    Raises:
        OSError: The group cannot be joined.
    """

    def __init__(self, channel: str, port: int) -> None:
        self._to = (channel, port)
        self._socket = _joined(channel, port)
        self._can_protocol = can.CanProtocol.CAN_FD
        super().__init__(channel)

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """Send a frame; the system accepts it at once, or not at all."""
        del timeout
        try:
            self._socket.sendto(pack_message(msg), self._to)
        except OSError as error:
            raise can.CanOperationError(f"cannot send: {error}") from error

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._socket.fileno()

    def shutdown(self) -> None:
        """Leave the group."""
        super().shutdown()
        self._socket.close()

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        ready, _, _ = select.select([self._socket], [], [], timeout)
        if not ready:
            return None, False
        data = self._socket.recv(DATAGRAM_BYTES)
        try:
            message = unpack_message(data, replace={"timestamp": time.time()}, check=True)
        except Exception as error:  # any, as python-can documents
            raise can.CanOperationError(f"not a frame: {data[:20].hex()}") from error
        return message, False


def _joined(group: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind((group, port))  # what is sent to this host alone is not for the bus
        own = socket.inet_aton(LOOPBACK)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
        membership = socket.inet_aton(group) + own
        made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
    except OSError:
        made.close()
        raise
    return made
