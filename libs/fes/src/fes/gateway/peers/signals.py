"""Signals to other gateways: sent where a gateway may receive them."""

from collections.abc import Callable, Container

from fes.control import Signal, signal_event
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.link.messages import PublishControl
from fes.model import binary


class Signals:
    """Sends signals on event services.

    Args:
        settings: Of the gateway.
        links: Event services whose link is up.
        has_company: Returns whether other gateways may receive what is sent at an event service.
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
        """Send a signal at an event service; return False where no gateway would receive it."""
        adapter = self._settings.adapters[service]
        if not adapter.relay or service not in self._links or not self._has_company(service):
            return False
        self.answer(signal, service, turn)
        return True

    def say_elsewhere(self, signal: Signal, service: str, turn: Turn) -> None:
        """Send a signal at every event service but one.

        On a medium it goes back to that one too.
        """
        for name, adapter in self._settings.adapters.items():
            if name != service or adapter.on_medium:
                self.say(signal, name, turn)

    def answer(self, signal: Signal, service: str, turn: Turn) -> None:
        """Send a signal where one was received, whether or not requests are forwarded there."""
        event = signal_event(signal, self._settings.system, service)
        turn.order(service, PublishControl(binary.encode(event)))
