"""The errors of a SIENA service beyond those of every event service."""

from eventservices.errors import RefusedError


class IndexMismatchError(RefusedError):
    """Raised when a connection uses another index attribute than other connections of the service.

    They would publish to subjects that the others do not listen to; so nothing is allowed.

    Args:
        ours: Index attribute of this connection; None for none.
        theirs: Index attribute that another connection announced.
        connection: Identifier of the other one.
    """

    def __init__(self, ours: str | None, theirs: str | None, connection: str) -> None:
        super().__init__(
            f"index is {ours!r} here, but {theirs!r} at connection {connection}; "
            "all clients of a service must use the same"
        )
        self.ours = ours
        self.theirs = theirs
        self.connection = connection


class SemanticsMismatchError(RefusedError):
    """Raised when a connection uses other semantics of delivery than others of the service.

    Args:
        ours: Semantics of this connection.
        theirs: Semantics that another connection announced.
        connection: Identifier of the other one.
    """

    def __init__(self, ours: str, theirs: str, connection: str) -> None:
        super().__init__(
            f"semantics are {ours}-based here, but {theirs!r} at connection {connection}; "
            "all clients of a service must use the same"
        )
        self.ours = ours
        self.theirs = theirs
        self.connection = connection
