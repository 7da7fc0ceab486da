"""The endpoints of a run's gateways, in `endpoints.json`."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import Meta
from serving.files import write_whole
from serving.text import read_bytes

from fes.errors import FesError
from fes.federation.model import Federation, adapter_id
from fes.running.process import Child

FILE = "endpoints.json"
MOST_BYTES = 64 * 1024 * 1024

Pid = Annotated[int, Meta(ge=1)] | None


class Listening(msgspec.Struct, frozen=True):
    """Where a gateway listens, and the id of its process; None where it has none here now."""

    url: str = ""
    pid: Pid = None


class Listed(msgspec.Struct, frozen=True):
    """Content of the file."""

    gateways: dict[str, Listening] = {}
    processes: dict[str, Pid] = {}


def read_endpoints(run: Path) -> Listed:
    """Return what the file of a run lists.

    Args:
        run: Folder of the run.

    Raises:
        FesError: There is no such file, or `fes run` did not write it.
    """
    path = run / FILE
    try:
        return msgspec.json.decode(read_bytes(path, MOST_BYTES), type=Listed)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        why = "it is not what `fes run` writes"
        if isinstance(error, OSError):
            why = error.strerror or str(error)
        raise FesError(f"no federation runs there ({path}: {why})") from error


class Endpoints:
    """Keeps where each gateway listens, and writes it into a file.

    Args:
        run: Folder of the run.

    Attributes:
        gateways: By gateway: `url`, `process`, `pid`, `link`, and the same of each replica.
        http: Address of the run's one interface for all gateways; "" before there is one.
    """

    def __init__(self, run: Path) -> None:
        self.gateways: dict[str, dict[str, Any]] = {}
        self.http = ""
        self._path = run / FILE

    def publish(self, child: Child, children: Mapping[str, Child]) -> None:
        """Write where a process of gateways listens, and which processes there are."""
        for name in child.part.gateways if child.is_announced else ():
            point = {
                "url": f"{child.started['http']}/gateways/{quote(name, safe='')}",
                "process": child.part.name,
                "pid": child.pid,
                "link": child.started["link"],
            }
            replicas = self.gateways.get(name, {}).get("replicas", {})
            if child.part.replica:
                point["replicas"] = {**replicas, child.part.replica: dict(point)}
            self.gateways[name] = point
        content = {
            "http": self.http,
            "gateways": self.gateways,
            "processes": {name: each.pid for name, each in children.items()},
        }
        write_whole(self._path, json.dumps(content, indent=1) + "\n")

    def services(
        self, federation: Federation, meant: Callable[[str, str], bool]
    ) -> dict[str, set[str]]:
        """Return the event services of some adapters, by the address of their gateway.

        Args:
            federation: The file.
            meant: Returns whether an adapter, by its id and event service, is one of them.
        """
        found: dict[str, set[str]] = {}
        for name, gateway in federation.gateways.items():
            for service in gateway.adapters if name in self.gateways else ():
                if meant(adapter_id(name, service), service):
                    found.setdefault(str(self.gateways[name]["url"]), set()).add(service)
        return found


def links_of(children: Iterable[Child]) -> dict[str, str]:
    """Return the addresses that adapters dial, by gateway: of every replica, once all listen."""
    found: dict[str, list[str]] = {}
    silent: set[str] = set()
    for child in children:
        for name in child.part.gateways:
            if child.is_announced:
                found.setdefault(name, []).append(str(child.started["link"]))
            else:
                silent.add(name)
    return {name: ",".join(links) for name, links in found.items() if name not in silent}
