"""Where users are, by the sightings of their badges; a sighting is valid for a while."""

from fes_policy.building import Building


class Whereabouts:
    """Keeps the last sighting of each user.

    Args:
        building: Whose badges and stations count.
    """

    def __init__(self, building: Building) -> None:
        self._age_us = int(building.greatest_age_s * 1e6)
        self._users = {
            badge: name for name, user in building.users.items() for badge in user.badges
        }
        self._places = {
            station: name for name, place in building.places.items() for station in place.stations
        }
        self._seen: dict[str, tuple[str, int]] = {}
        self.unknown = 0

    def sighted(self, station: str, badge: str, at_us: int) -> str | None:
        """Accept a sighting.

        Args:
            station: That sighted.
            badge: Hexadecimal.
            at_us: When; microseconds since 1970 UTC.

        Returns:
            The user whose place has changed; None where nobody's has.
        """
        user, place = self._users.get(badge), self._places.get(station)
        if user is None or place is None:
            self.unknown += 1
            return None
        before = self._seen.get(user)
        if before is not None and before[1] > at_us:
            return None
        self._seen[user] = (place, at_us)
        is_same = before is not None and before[0] == place and at_us - before[1] <= self._age_us
        return None if is_same else user

    def place(self, user: str, now_us: int) -> tuple[str, int] | None:
        """Return where a user is and until when that counts; None where nobody knows."""
        seen = self._seen.get(user)
        if seen is None or seen[1] + self._age_us <= now_us:
            return None
        return seen[0], seen[1] + self._age_us
