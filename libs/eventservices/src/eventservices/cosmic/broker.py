"""The broker: assigns etags to subjects, and numbers to nodes. A bus has one, as node 127."""

import logging
from collections.abc import Mapping

from eventservices.cosmic.binding import EtagTable, supply
from eventservices.cosmic.ccp import UID_BYTES, NodeTable
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import BROKER_NODE, Etag
from eventservices.cosmic.medium import Medium
from eventservices.cosmic.subject import show_uid, subject_uid
from eventservices.errors import EventServiceError

_log = logging.getLogger(__name__)


class Broker:
    """Answers the queries of a bus's nodes; it leaves with `close`, and forgets nothing before.

    Args:
        bus: The bus, open.
        etags: Etags of subjects that are known beforehand, by name.
        numbers: Node numbers that are configured by hand, and so assigned to no other node.

    Attributes:
        etags: The table of subjects.
        nodes: The table of nodes.
        refused: Queries that were not answered, because nothing is free or the name is empty.

    Raises:
        RefusedError: The bus has a broker in this process already.
        MalformedError: An etag is reserved, out of range, or listed twice.
    """

    number = BROKER_NODE

    def __init__(
        self,
        bus: Medium,
        etags: Mapping[str, int] | None = None,
        numbers: frozenset[int] = frozenset(),
    ) -> None:
        self.etags = EtagTable({subject_uid(name): etag for name, etag in (etags or {}).items()})
        self.nodes = NodeTable(reserved=numbers)
        self.refused = 0
        self._bus = bus
        bus.join(self)

    def close(self) -> None:
        """Answer no more; harmless where that was done."""
        self._bus.leave(self)

    def take(self, frame: Frame) -> None:
        """Accept a frame of a node; the bus calls it."""
        if not frame.extended:
            return
        etag = frame.identifier.etag
        try:
            if etag == Etag.GET_ETAG and len(frame.data) == UID_BYTES:
                self._bind(frame)
            elif etag == Etag.CCP_RSI:
                self._configure(frame)
        except EventServiceError as error:
            self.refused += 1
            _log.warning("question_refused", extra={"reason": str(error)})

    def _bind(self, frame: Frame) -> None:
        uid = frame.data
        etag = self.etags.bind(uid)
        _log.debug("subject_bound", extra={"subject": show_uid(uid), "etag": etag})
        for answer in supply(frame.identifier.node, uid, etag):
            self._bus.send(answer, self.number)

    def _configure(self, frame: Frame) -> None:
        answer = self.nodes.take(frame, self._bus.now_us())
        if answer is not None:
            self._bus.send(answer, self.number)
