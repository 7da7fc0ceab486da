"""CAN buses for tests: each of its own."""

import itertools
import os
import socket

from eventservices.cosmic import BusSettings, Interface
from eventservices.cosmic.driver import GROUP
from eventservices.ports import free_port

_numbers = itertools.count()


def virtual(bit_rate: int = 0) -> BusSettings:
    """Return the settings of a bus within this process, on which frames take no time."""
    interface = Interface("virtual", f"test {os.getpid()} {next(_numbers)}")
    return BusSettings(interface, bit_rate, ask_s=0.1)


def multicast(bit_rate: int = 0) -> BusSettings:
    """Return the settings of a bus between processes, on a port that is free."""
    return BusSettings(
        Interface("udp_multicast", GROUP, free_port(socket.SOCK_DGRAM)), bit_rate, ask_s=0.1
    )
