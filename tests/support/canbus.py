"""CAN buses for tests: each of its own."""

import itertools
import os
import socket

from eventservices.cosmic import BusSettings, Interface
from eventservices.cosmic.driver import GROUP

_numbers = itertools.count()


def virtual(bit_rate: int = 0) -> BusSettings:
    """Return the settings of a bus within this process, on which frames take no time."""
    interface = Interface("virtual", f"test {os.getpid()} {next(_numbers)}")
    return BusSettings(interface, bit_rate, ask_s=0.1)


def multicast(bit_rate: int = 0) -> BusSettings:
    """Return the settings of a bus between processes, on a port that is free."""
    return BusSettings(Interface("udp_multicast", GROUP, free_port()), bit_rate, ask_s=0.1)


def free_port() -> int:
    """Return a UDP port that nobody uses now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("", 0))
        port: int = one.getsockname()[1]
        return port
