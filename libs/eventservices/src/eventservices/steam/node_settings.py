"""Settings of a node."""

from dataclasses import dataclass

from eventservices.errors import MalformedError
from eventservices.steam.beacon import MAX_LABEL, Sender
from eventservices.steam.event import MAX_RANGE_M, check_name
from eventservices.text import check_text


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """What a node is.

    Attributes:
        name: Unique on the air; the origin of the events that it stamps.
        range_m: Radio range; metres.
        home: Event service that stamps name as the event's home; the node's name where empty.
        label: What kind of application uses the node; observers see it.
        epoch: Of the stamps; the wall clock where None.
        suppress_window: Sequence numbers remembered for each origin.
        suppress_origins: Origins remembered.
    """

    name: str
    range_m: float
    home: str = ""
    label: str = ""
    epoch: int | None = None
    suppress_window: int = 4096
    suppress_origins: int = 10_000

    def __post_init__(self) -> None:
        """Check what goes on the air.

        Raises:
            MalformedError: The name, label or radio range is not valid.
        """
        check_name(self.name, "node")
        check_text(self.label, f"label of node {self.name!r}", MAX_LABEL, least=0)
        if not 0 <= self.range_m <= MAX_RANGE_M:
            raise MalformedError(f"node {self.name!r} has a radio range out of range")

    @property
    def sender(self) -> Sender:
        """How the node signs what it sends."""
        return Sender(self.name, self.label, self.range_m)
