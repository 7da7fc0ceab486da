"""What all clients of a service must agree on, and which one is refused where they do not."""

from dataclasses import dataclass

from eventservices.siena.advertising import Semantics
from eventservices.siena.counters import Counters
from eventservices.siena.errors import IndexMismatchError, SemanticsMismatchError
from eventservices.siena.presence import Message, Query, State, Who

Conflict = IndexMismatchError | SemanticsMismatchError


@dataclass(slots=True)
class Agreement:
    """Compares others' terms with ours; the connection that came later is refused.

    Attributes:
        index: Index attribute of this connection; None for none.
        semantics: What decides on delivery here.
        counters: Where conflicts are counted.
        conflict: Set when this connection must end.
    """

    index: str | None
    semantics: Semantics
    counters: Counters
    conflict: Conflict | None = None

    def check(self) -> None:
        """Raise the conflict, where there is one.

        Raises:
            IndexMismatchError: Others use another index attribute.
            SemanticsMismatchError: Others use other semantics.
        """
        if self.conflict is not None:
            raise self.conflict

    def hear(self, message: Message, ours: Who, *, joining: bool) -> bool:
        """Compare the terms of another connection.

        Args:
            message: What it sent.
            ours: This connection.
            joining: Whether this connection is still about to open.

        Returns:
            Whether this connection must end because of it.
        """
        found = self._difference(message.who)
        if found is None:
            return False
        self.counters.index_conflicts += 1
        if isinstance(message, Query) and not joining:
            return False  # its query will be refused by the answer
        established = joining and isinstance(message, State)
        theirs = message.who
        earlier = (theirs.started_us, theirs.connection) < (ours.started_us, ours.connection)
        if established or earlier:
            self.conflict = found
        return established or earlier

    def _difference(self, theirs: Who) -> Conflict | None:
        if theirs.index != self.index:
            return IndexMismatchError(self.index, theirs.index, theirs.connection)
        if theirs.semantics != self.semantics:
            return SemanticsMismatchError(self.semantics, theirs.semantics, theirs.connection)
        return None
