"""The processes of a run: gateways packed into few, applications, separate adapters."""

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET, UnsetType

from fes.errors import FederationError
from fes.federation.address import public_address
from fes.federation.model import Application, Federation, Http, adapter_id


@dataclass(frozen=True, slots=True)
class Part:
    """One process of a run.

    Attributes:
        name: Its name, also of its log.
        command: Program and arguments.
        gateways: Gateways that it hosts; empty for applications and adapters.
        adapters: Adapters that it hosts.
        ready: URL that answers 200 once it is ready; "" where starting is enough.
        after: Names of parts that must be ready before.
        ends_run: Whether the run ends when it ends.
        ends_last: Whether it is stopped after the gateways.
        environment: Variables for it alone.
        restarts: Whether it is started again when it dies.
        replica: Its name among the replicas of its gateway; "" where there are none.
    """

    name: str
    command: tuple[str, ...]
    gateways: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    ready: str = ""
    after: tuple[str, ...] = ()
    ends_run: bool = False
    ends_last: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    restarts: bool = True
    replica: str = ""


@dataclass(frozen=True, slots=True)
class Apart:
    """The parts that do not share a process with others.

    Attributes:
        own: Gateways and adapters with a process of their own.
        replicas: Number of processes by gateway, where there are several.
    """

    own: frozenset[str] = frozenset()
    replicas: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def of(federation: Federation, own: Collection[str], replicas: Mapping[str, int]) -> "Apart":
        """Return the separate parts; the adapters of a gateway with replicas are among them.

        Raises:
            FederationError: A name is neither a gateway's nor an adapter's.
        """
        _check_own(federation, own)
        for name in replicas:
            if name not in federation.gateways:
                raise FederationError(f"--replicas {name}: no such gateway")
        adapters = [
            adapter_id(name, service)
            for name in replicas
            for service in federation.gateways[name].adapters
        ]
        return Apart(frozenset((*own, *replicas, *adapters)), replicas)


def packs(federation: Federation, own: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the gateways that each process hosts, by its name.

    Gateways that connect the same kinds of event services share a process, and so connections; one
    with an interface of its own (`http`) does not.

    Args:
        federation: The file.
        own: Gateways that have a process of their own.
    """
    groups: dict[str, list[str]] = {}
    for name, gateway in federation.gateways.items():
        kinds = sorted({federation.event_services[service].kind for service in gateway.adapters})
        alone = name in own or gateway.http is not UNSET
        groups.setdefault(name if alone else "gateways-" + "-".join(kinds), []).append(name)
    return {process: tuple(names) for process, names in groups.items()}


def gateway_parts(
    federation: Federation, apart: Apart, file: Path, base: Path, run: Path, clock: Path
) -> list[Part]:
    """Return the processes that host the gateways.

    Args:
        federation: The file.
        apart: The parts that do not share a process with others.
        file: The resolved file.
        base: Folder to which paths in it are relative.
        run: Folder of the run.
        clock: File that states when the federation clock begins.
    """
    adapters = [
        adapter_id(name, service)
        for name, gateway in federation.gateways.items()
        for service in gateway.adapters
        if adapter_id(name, service) in apart.own
    ]
    where = _where(file, base, run, clock)
    found = []
    for process, names in packs(federation, apart.own).items():
        command = (
            *(
                sys.executable,
                "-m",
                "fes_gateway",
                *where,
                *option("--process", process.replace("/", "%2F")),
            ),
            *option("--gateways", ",".join(names)),
            *option("--remote", ",".join(adapters)),
        )
        count = apart.replicas.get(process, 0)
        if len(names) == 1:
            command += _listening(names[0], federation.gateways[names[0]].http, count)
        found += [_replica(process, number, command) for number in range(1, count + 1)] or [
            Part(process, command, gateways=names)
        ]
    return found


def _where(file: Path, base: Path, run: Path, clock: Path) -> tuple[str, ...]:
    return (
        *("--federation", str(file), "--base", str(base), "--run", str(run)),
        *("--clock", str(clock)),
    )


def option(name: str, value: str) -> tuple[str, ...]:
    """Return an option as separate arguments, or as one where the value looks like an option."""
    return (f"{name}={value}",) if value.startswith("-") else (name, value)


def _listening(gateway: str, http: Http | UnsetType, replicas: int) -> tuple[str, ...]:
    """Return the options that specify where a gateway's own interface listens.

    Raises:
        FederationError: Several replicas would listen at one port.
    """
    if http is UNSET:
        return ()
    if replicas > 1 and http.port:
        raise FederationError(
            f"{replicas} replicas cannot listen at one port; write 0 for free ones",
            key=f"gateways.{gateway}.http.port",
        )
    return ("--http-host", http.host, "--http-port", str(http.port))


def _replica(gateway: str, number: int, command: tuple[str, ...]) -> Part:
    name = f"r{number}"
    told = (*command, "--replica", name)
    return Part(f"{gateway}-{name}", told, gateways=(gateway,), replica=name)


def adapter_parts(
    federation: Federation,
    apart: Apart,
    links: Mapping[str, str],
    file: Path,
    base: Path,
    run: Path,
    clock: Path,
) -> list[Part]:
    """Return the processes of the separate adapters.

    Args:
        federation: The file.
        apart: The parts that do not share a process with others.
        links: Addresses that its adapters dial, by gateway, separated by commas; adapters of other
            gateways are left out.
        file: The resolved file.
        base: Folder to which paths in it are relative.
        run: Folder of the run.
        clock: File that states when the federation clock begins.
    """
    return [
        Part(
            adapter_id(name, service),
            (
                *(sys.executable, "-m", "fes.adapter", *_where(file, base, run, clock)),
                *option("--gateway", name),
                *option("--event-service", service),
                *("--link", links[name]),
            ),
            adapters=(adapter_id(name, service),),
        )
        for name, gateway in federation.gateways.items()
        for service in gateway.adapters
        if name in links and adapter_id(name, service) in apart.own
    ]


def application_parts(federation: Federation, values: Mapping[str, str]) -> list[Part]:
    """Return the processes of the native applications.

    Args:
        federation: The file, resolved.
        values: Values of `{name}` in commands.

    Raises:
        FederationError: A command contains an unknown name.
    """
    return [
        _application(name, application, values)
        for name, application in federation.applications.items()
    ]


def application_part(federation: Federation, name: str, values: Mapping[str, str]) -> Part:
    """Return the process of one application; see `application_parts`."""
    return _application(name, federation.applications[name], values)


def plays(federation: Federation, name: str) -> bool:
    """Return whether an application plays the trace.

    Its command uses the beginning of the trace.
    """
    return any("{wall_start_us}" in word for word in federation.applications[name].command)


def placeholders(federation: Federation, run: Path, base: Path) -> dict[str, str]:
    """Return the values of `{name}` in applications' commands."""
    clock = federation.clock
    urls = {
        f"url:{name}": public_address(broker.url, broker)
        for name, broker in federation.brokers.items()
        if broker.url is not UNSET
    }
    return {
        **urls,
        "run": str(run),
        "base": str(base),
        "speed": repr(clock.speed),
        "wall_start_us": "0" if clock.wall_start_us is UNSET else str(clock.wall_start_us),
    }


def _application(name: str, application: Application, values: Mapping[str, str]) -> Part:
    command = tuple(_fill(word, values, name) for word in application.command)
    ready = "" if application.ready is UNSET else _fill(application.ready, values, name)
    beside = Path(sys.executable).with_name(command[0])
    program = str(beside) if beside.exists() else command[0]
    return Part(
        name,
        (program, *command[1:]),
        ready=ready,
        after=application.after,
        ends_run=application.ends_run,
        ends_last=application.ends_last,
        environment=dict(application.environment),
        restarts=not application.ends_run,
    )


def _fill(word: str, values: Mapping[str, str], application: str) -> str:
    for name, value in values.items():
        word = word.replace("{" + name + "}", value)
    if "{" in word and "}" in word and not word.startswith("{"):
        inside = word[word.index("{") + 1 : word.index("}")]
        if inside.startswith("url:"):
            raise FederationError(
                f"no broker {inside[4:]!r}", key=f"applications.{application}.command"
            )
    return word


def _check_own(federation: Federation, own: Collection[str]) -> None:
    known = set(federation.gateways) | {
        adapter_id(name, service)
        for name, gateway in federation.gateways.items()
        for service in gateway.adapters
    }
    for name in own:
        if name not in known:
            raise FederationError(f"--own-process {name}: no such gateway or adapter")
