"""The errors of the CORBA Notification Service's client API, named as in its IDL.

EventServiceError
├── MalformedError
│   ├── InvalidChannelNameError            a channel's name cannot be used
│   └── InvalidEventTypeError              an event type cannot be offered or subscribed to
├── AlreadyConnectedError (RuntimeError)    a proxy has its client already
├── DisconnectedError     (ConnectionError) a proxy has no client, or has lost it
├── InterfaceError        (TypeError)       a client lacks what its proxy calls
├── AdminLimitExceededError (RuntimeError)  a limit of the channel is reached
└── NotFoundError         (LookupError)
    ├── AdminNotFoundError                 there is no admin of that id
    └── ProxyNotFoundError                 there is no proxy of that id
"""

from eventservices.errors import EventServiceError, MalformedError


class InvalidChannelNameError(MalformedError):
    """Tells that a channel's name is empty, too long or not Unicode text."""


class InvalidEventTypeError(MalformedError):
    """Tells that an event type in an offer or subscription is not valid."""


class AlreadyConnectedError(EventServiceError, RuntimeError):
    """Tells that a client is connected to this proxy already."""


class DisconnectedError(EventServiceError, ConnectionError):
    """Tells that no client is connected to this proxy, or that it was destroyed."""


class InterfaceError(EventServiceError, TypeError):
    """Tells that a client lacks the operation that its proxy must call."""


class AdminLimitExceededError(EventServiceError, RuntimeError):
    """Tells that a limit of the channel is reached; nothing was changed.

    Args:
        name: The limit, e.g. `MaxConsumers`.
        value: Its value.
    """

    def __init__(self, name: str, value: int) -> None:
        super().__init__(f"{name} is {value}, and reached")
        self.name = name
        self.value = value


class NotFoundError(EventServiceError, LookupError):
    """Tells that an id names nothing."""


class AdminNotFoundError(NotFoundError):
    """Tells that the channel has no admin of that id."""


class ProxyNotFoundError(NotFoundError):
    """Tells that the admin has no proxy of that id."""
