"""Checks messages of adapters in other processes before the gateway accepts them."""

from fes.errors import EventError, LimitError, LinkError
from fes.link.end import Message, Receiver
from fes.link.messages import Confirmed, Counted, Done, Heard, HeardControl
from fes.model import check_stamp
from fes.model.limits import Limits

from fes_gateway.host import GatewayHost

MAX_VIA = 64
"""Most event services that an event may have passed."""

_NAME = Limits().name_length
_SAID = (Heard, HeardControl, Done, Confirmed, Counted)


class LinkGuard:
    """Passes valid messages to the gateway; others are refused with the reason, or end the link.

    Bodies are not checked: gateways forward them unchanged.

    Args:
        host: The gateway.
        service: Event service of the adapter.
    """

    def __init__(self, host: GatewayHost, service: str) -> None:
        self._host = host
        self._service = service
        self._receive: Receiver = host.receiver(service)

    def __call__(self, message: Message) -> None:
        """Accept a message.

        Raises:
            LinkError: It is not one that adapters send.
        """
        if not isinstance(message, _SAID):
            raise LinkError(f"an adapter does not send {type(message).__name__}")
        try:
            _check(message)
        except EventError as error:
            token = message.token if isinstance(message, Heard) else 0
            self._host.refuse(self._service, str(error), token)
            return
        self._receive(message)


def _check(message: Message) -> None:
    if isinstance(message, Heard):
        check_stamp(message.stamp)
        if not 0 < len(message.subject) <= _NAME:
            raise LimitError(f"subject has {len(message.subject)} characters, not 1 to {_NAME}")
        if len(message.via) > MAX_VIA or any(len(name) > _NAME for name in message.via):
            raise LimitError("the event has too long a path")
    elif isinstance(message, HeardControl) and message.stamp is not None:
        check_stamp(message.stamp)
