"""Options of a run."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

READY_S = 60.0
QUIET_S = 3.0


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run.

    Attributes:
        base: Folder to which paths in the file are relative.
        run: Folder of the run.
        own: Gateways and adapters with a process of their own.
        replicas: Number of replicas by gateway, where it has several.
        quiet_s: How long events may be in transit after the application that ends the run.
        require_all: Whether the run fails where not every part gets ready in time.
        ready_s: How long parts may need to get ready without any progress.
    """

    base: Path
    run: Path
    own: Collection[str] = ()
    replicas: Mapping[str, int] = field(default_factory=dict)
    quiet_s: float = QUIET_S
    require_all: bool = False
    ready_s: float = READY_S
