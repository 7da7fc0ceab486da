"""The journals of a world's gateways."""

from collections import defaultdict
from collections.abc import MutableMapping

from fes.gateway.outputs import DropRow, Mutation, PutRow


class Journals:
    """The journals of all gateways, in memory."""

    def __init__(self) -> None:
        self._states: dict[str, dict[str, bytes]] = defaultdict(dict)

    def state(self, gateway: str) -> MutableMapping[str, bytes]:
        """What a gateway's journal adds up to."""
        return self._states[gateway]

    def append(self, gateway: str, mutations: list[Mutation]) -> None:
        """Commit what a gateway changed."""
        state = self._states[gateway]
        for mutation in mutations:
            match mutation:
                case PutRow(key, value):
                    state[key] = value
                case DropRow(key):
                    state.pop(key, None)
