"""Advertisements of what is about to be published, for services where nothing goes without.

Under advertisement-based semantics a notification with an attribute that its publisher did not
advertise goes to nobody. An announcement of the federation contains one event of a subject, and
others may have other fields; so each shape is advertised before the first of it is published.
"""

from collections import OrderedDict
from typing import Final

from eventservices.siena import Notification

from adapter_siena.advertisements import Advertisements
from adapter_siena.codec import SUBJECT
from adapter_siena.mapping import advertisement

SHAPES_MAX: Final = 1000
"""Most shapes that are advertised at a time; the one unused longest is withdrawn first."""

_Shape = tuple[object, frozenset[str]]


class Shapes:
    """Keeps the shapes of published notifications advertised.

    Args:
        advertisements: Advertisements of the adapter's client.
    """

    def __init__(self, advertisements: Advertisements) -> None:
        self._advertisements = advertisements
        self._shapes: OrderedDict[_Shape, Notification] = OrderedDict()

    def __len__(self) -> int:
        """Return how many shapes are advertised."""
        return len(self._shapes)

    async def before(self, notification: Notification) -> None:
        """Advertise a notification's shape, unless it is advertised.

        Raises:
            EventServiceError: As for the native client.
        """
        values = notification.attributes
        shape = (values.get(SUBJECT), frozenset(values))
        if shape in self._shapes:
            self._shapes.move_to_end(shape)
            return
        await self._advertisements.hold(advertisement(notification))
        self._shapes[shape] = notification
        if len(self._shapes) > SHAPES_MAX:
            _, oldest = self._shapes.popitem(last=False)
            await self._advertisements.release(advertisement(oldest))
