"""Announcements of an adapter: several of one subject are one on the air."""

from eventservices.steam import Proximity


class Announcements:
    """Keeps the areas in which each subject is announced, the latest last.

    There is one entry for each announcement that the gateway orders, so the gateway's limits apply.
    """

    def __init__(self) -> None:
        self._areas: dict[str, list[Proximity]] = {}

    def add(self, subject: str, area: Proximity) -> None:
        """Note an announcement."""
        self._areas.setdefault(subject, []).append(area)

    def remove(self, subject: str, area: Proximity) -> Proximity | None:
        """Remove one announcement; nothing happens where there is none.

        Returns:
            The area of the latest one that is left; None where the subject is no longer announced.
        """
        areas = self._areas.get(subject, [])
        if area in areas:
            areas.reverse()
            areas.remove(area)
            areas.reverse()
        if not areas:
            self._areas.pop(subject, None)
            return None
        return areas[-1]

    def clear(self) -> None:
        """Remove all announcements."""
        self._areas.clear()
