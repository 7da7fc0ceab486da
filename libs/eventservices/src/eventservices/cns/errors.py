"""The errors of the CORBA Notification Service's client API, named as in its IDL.

EventServiceError
├── MalformedError
│   ├── InvalidChannelNameError            a channel's name cannot be used
│   └── InvalidEventTypeError              an event type cannot be offered or subscribed to
├── AlreadyConnectedError (RuntimeError)    a proxy has its client already
├── DisconnectedError     (ConnectionError) a proxy has no client, or has lost it
│   └── ProxyNotConnectedError             a proxy has no client that could be suspended
├── ConnectionAlreadyActiveError   (RuntimeError)  what is to be resumed is not suspended
├── ConnectionAlreadyInactiveError (RuntimeError)  what is to be suspended is suspended
├── InterfaceError        (TypeError)       a client lacks what its proxy calls
├── AdminLimitExceededError (RuntimeError)  a limit of the channel is reached
├── ImplLimitError        (RuntimeError)    the channel has as many events as it may
├── PropertiesError       (ValueError)      properties cannot be had; see `qos.errors`
└── NotFoundError         (LookupError)
    ├── AdminNotFoundError                 there is no admin of that id
    ├── ChannelNotFoundError               there is no channel of that id
    ├── FilterNotFoundError                there is no filter of that id
    └── ProxyNotFoundError                 there is no proxy of that id
"""

from eventservices.errors import EventServiceError, MalformedError


class InvalidChannelNameError(MalformedError):
    """Raised when a channel's name is empty, too long or not Unicode text."""


class InvalidEventTypeError(MalformedError):
    """Raised when an event type in an offer or subscription is not valid."""


class AlreadyConnectedError(EventServiceError, RuntimeError):
    """Raised when a client is connected to this proxy already."""


class DisconnectedError(EventServiceError, ConnectionError):
    """Raised when no client is connected to this proxy, or it was destroyed."""


class ProxyNotConnectedError(DisconnectedError):
    """Raised when no client is connected whose connection could be suspended or resumed."""


class ConnectionAlreadyActiveError(EventServiceError, RuntimeError):
    """Raised when a connection that is to be resumed is not suspended."""


class ConnectionAlreadyInactiveError(EventServiceError, RuntimeError):
    """Raised when a connection that is to be suspended is suspended already."""


class InterfaceError(EventServiceError, TypeError):
    """Raised when a client lacks the operation that its proxy must call."""


class AdminLimitExceededError(EventServiceError, RuntimeError):
    """Raised when a limit of the channel is reached; nothing was changed.

    Args:
        name: The limit, e.g. `MaxConsumers`.
        value: Its value.
    """

    def __init__(self, name: str, value: int) -> None:
        super().__init__(f"{name} is {value}, and reached")
        self.name = name
        self.value = value


class ImplLimitError(EventServiceError, RuntimeError):
    """Raised when the channel contains as many events as it may; the event was not accepted.

    Trying again helps when consumers have had some of them. CORBA calls it `IMPL_LIMIT`.
    """

    retryable = True


class NotFoundError(EventServiceError, LookupError):
    """Raised when there is nothing of an id."""


class AdminNotFoundError(NotFoundError):
    """Raised when the channel has no admin of that id."""


class ProxyNotFoundError(NotFoundError):
    """Raised when the admin has no proxy of that id."""


class ChannelNotFoundError(NotFoundError):
    """Raised when the connection has no channel of that id."""


class FilterNotFoundError(NotFoundError):
    """Raised when an admin or proxy has no filter of that id."""
