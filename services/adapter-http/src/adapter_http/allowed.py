"""The allow-list of addresses to connect to: names are resolved, and their addresses checked."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from eventservices.errors import NotConnectedError, RefusedError

Network = IPv4Network | IPv6Network


class AllowList:
    """Networks in which targets may be; without any, no connection is permitted.

    Args:
        networks: In CIDR notation, or single addresses.

    Raises:
        ValueError: Raised when one is not a network.
    """

    def __init__(self, networks: Sequence[str]) -> None:
        self._networks: tuple[Network, ...] = tuple(map(ip_network, networks))

    def permits(self, address: str) -> bool:
        """Return whether an address is in one of the networks.

        Raises:
            ValueError: Raised when it is not an address.
        """
        found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
        if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        return any(found in network for network in self._networks)

    async def resolve(self, host: str, port: int) -> str:
        """Return the first permitted address of a host, to which the connection is made.

        Raises:
            NotConnectedError: Raised when the name has no address now.
            RefusedError: Raised when none of its addresses is permitted.
        """
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise NotConnectedError(f"{host}: {error}") from error
        addresses = [str(each[4][0]) for each in found]
        for address in addresses:
            if self.permits(address):
                return address
        shown = ", ".join(dict.fromkeys(addresses))[:200]
        raise RefusedError(f"{host} ({shown}) is not in the allow-list")
