"""Signals in transit to other gateways: said where somebody may receive them."""

from collections.abc import Callable, Container

from fes.control import Signal, signal_event
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.link.messages import PublishControl
from fes.model import binary


class Signals:
    """Says signals on event services.

    Args:
        settings: Of the gateway.
        links: Event services whose link is up.
        has_company: States whether other gateways may receive what is said at an event service.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        links: Container[str],
        has_company: Callable[[str], bool],
    ) -> None:
        self._settings = settings
        self._links = links
        self._has_company = has_company

    def say(self, signal: Signal, service: str, turn: Turn) -> bool:
        """Say a signal at an event service; False where nobody is to receive it."""
        adapter = self._settings.adapters[service]
        if not adapter.relay or service not in self._links or not self._has_company(service):
            return False
        self.answer(signal, service, turn)
        return True

    def say_elsewhere(self, signal: Signal, service: str, turn: Turn) -> None:
        """Say a signal at every event service but one; on a medium it goes back too."""
        for name, adapter in self._settings.adapters.items():
            if name != service or adapter.on_medium:
                self.say(signal, name, turn)

    def answer(self, signal: Signal, service: str, turn: Turn) -> None:
        """Say a signal where one was received, whether or not requests are passed on there."""
        event = signal_event(signal, self._settings.system, service)
        turn.order(service, PublishControl(binary.encode(event)))
