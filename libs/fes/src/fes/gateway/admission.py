"""Admission: requests and events in control events are checked before they have an effect."""

from fes.control import ControlEvent, RequestType
from fes.errors import ControlEventError, EventError
from fes.gateway.delivery import Delivery
from fes.gateway.requests.outcomes import Step, of_request
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.requests.validation import check_entry, patterns_of, rows_of
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.model import attributes


class Admission:
    """Accepts requests that are valid, and refuses the others with a reason.

    Args:
        settings: Of the gateway.
        registry: Accepts the requests that are valid.
        delivery: Accepts publications.
    """

    def __init__(
        self, settings: GatewaySettings, registry: RequestRegistry, delivery: Delivery
    ) -> None:
        self._settings = settings
        self._registry = registry
        self._delivery = delivery

    def take(self, control: ControlEvent, arrived: str, turn: Turn) -> None:
        """Accept a request.

        Args:
            control: The request.
            arrived: Event service that it was received at; "" where it came over the API.
            turn: Collects the mutations and outputs that follow.
        """
        try:
            check_entry(control, self._settings, arrived)
            patterns = patterns_of(control, self._settings)
            if control.type is RequestType.PUBLICATION:
                self._publication(control, patterns, arrived, turn)
            else:
                self._registry.take(control, patterns, arrived, turn)
        except (ControlEventError, EventError) as error:
            self._refuse(control, arrived, str(error), turn)
            if control.row and control.giver and control.system == self._settings.system:
                self._delivery.never(control, arrived, str(error), turn)

    def is_sound(self, control: ControlEvent, arrived: str, turn: Turn) -> bool:
        """Return whether a request may enter; refuse it where not. See `take`."""
        try:
            check_entry(control, self._settings, arrived)
            patterns = patterns_of(control, self._settings)
            if control.type is not RequestType.PUBLICATION:
                rows_of(control, patterns, turn, 0)
        except (ControlEventError, EventError) as error:
            self._refuse(control, arrived, str(error), turn)
            return False
        return True

    @staticmethod
    def is_shared(control: ControlEvent) -> bool:
        """Return whether any replica, not only the leader, may accept a request.

        Any may accept a best-effort event, since nobody has custody of it.

        Raises:
            EventError: The event's attributes are not valid.
        """
        if control.type is not RequestType.PUBLICATION or control.row:
            return False
        return control.event is None or not attributes.is_persistent(control.event)

    def _publication(
        self, control: ControlEvent, patterns: tuple[str, ...], arrived: str, turn: Turn
    ) -> None:
        # Noted before it is routed, so that decisions about its route are noted after it.
        step = Step("accepted", arrived, control.dist_list, turn.now.wall_us)
        self._registry.outcomes.add(control.id, step)
        self._delivery.publication(control, patterns, arrived, turn)

    def _refuse(self, control: ControlEvent, arrived: str, reason: str, turn: Turn) -> None:
        step = Step("refused", arrived, reason, turn.now.wall_us)
        self._registry.outcomes.add(control.id, step)
        turn.decide(of_request("refused", control, arrived, reason=reason))
