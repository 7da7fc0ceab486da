"""The methods that the author of an adapter writes.

Source:
    FES thesis, section 5.10; design, section 7.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import msgspec
from eventservices.errors import EventServiceError
from eventservices.stamp import Stamp as NativeStamp

from fes.adapter.context import Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.adapter.settings import NoSettings
from fes.errors import AdapterError
from fes.federation.capabilities import Capabilities, Notes
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import NameRule, Native
from fes.model import Event


@runtime_checkable
class HasNotes(Protocol):
    """Settings that know what their payloads lose."""

    def notes(self, base: Path) -> Notes:
        """Return what is to be reported of payloads."""


MessageT = TypeVar("MessageT")


class AdapterContract(ABC, Generic[MessageT]):
    """Declares the underscored methods that `fes.adapter.base.Adapter` calls.

    Attributes:
        kind: Name of its kind of event service, as in the federation file.
        settings_type: Struct of its settings.
        automatic: Whether events that no rule names are mapped automatically.
        name_rule: Which names the service accepts; None where it accepts any.
        stamp_setting: Name of a setting that is true where all events are stamped; "" where there
            is no such setting.
        one_may_stamp: Whether adapters with that setting leave events without a stamp to the one
            adapter that is without it.
        away_errors: Errors of the native client, besides the retryable ones, that mean that the
            event service is away.
        prepares: Whether it begins subscriptions that are to be made soon, since its event service
            makes many as fast as one.
    """

    kind: ClassVar[str]
    settings_type: ClassVar[type[msgspec.Struct]] = NoSettings
    automatic: ClassVar[bool] = True
    name_rule: ClassVar[NameRule | None] = None
    stamp_setting: ClassVar[str] = ""
    one_may_stamp: ClassVar[bool] = False
    away_errors: ClassVar[tuple[type[EventServiceError], ...]] = ()
    prepares: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def capabilities_for(cls, settings: Any) -> Capabilities:
        """Return what the event service can do, with settings of `settings_type`."""

    @classmethod
    def payload_notes(cls, settings: Any, base: Path) -> Notes:
        """Return what is to be reported of payloads.

        Args:
            settings: Of `settings_type`.
            base: Folder that relative paths in settings start from.
        """
        return settings.notes(base) if isinstance(settings, HasNotes) else Notes()

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm | None:
        """Return the native form of a filter at the event service, for people to read.

        Args:
            filter_: In the filter language.
            mapping: The adapter's mapping.
            given: The settings, as in the file.

        Returns:
            None where the service applies no filter.

        Raises:
            AdapterError: Raised when the service cannot express the filter at all.
        """
        del filter_, mapping, given
        return None

    @abstractmethod
    async def _open(self) -> None:
        """Connect.

        Append what is to be closed to `_closing`, in the order in which it is opened.
        """

    @abstractmethod
    def _read(self, message: MessageT) -> Received | ReceivedControl | None:
        """Return the event in a native message; None where it is not for the gateway.

        Raises:
            FesError, EventServiceError: It cannot be read; the message states what is wrong.
        """

    @abstractmethod
    def _raw(self, message: MessageT) -> bytes:
        """Return the bytes of a native message, which are kept where it cannot be read."""

    def _named(self, message: MessageT) -> str:
        """Return the name of a native message in reasons; "" for none."""
        del message
        return ""

    def _counted(self) -> dict[str, int]:
        """Return counters of the native client, by name."""
        return {}

    async def _observe(self) -> None:
        """Report to the sink what native clients declare, but not what adapters of the gateway did.

        Adapters of event services that do not show it need not override this. Closing ends it.
        """
        raise AdapterError(f"kind {self.kind!r} shows nobody what native clients declare")

    async def _announce(self, native: Native) -> None:
        """Announce an event; not overridden for event services without announcements."""
        del native

    async def _unannounce(self, native: Native) -> None:
        """Withdraw an announcement; not overridden for event services without announcements."""
        del native

    def _prepare(self, filter_: Filter) -> None:
        """Begin to subscribe to what a filter accepts, where the adapter `prepares`.

        `_subscribe` with an equal filter completes it, or `_end_prepared` ends it.
        """
        del filter_

    def _end_prepared(self) -> None:
        """End what was begun and not completed."""

    @abstractmethod
    async def _publish(self, native: Native, stamp: NativeStamp) -> None: ...

    @abstractmethod
    async def _publish_control(self, event: Event, stamp: NativeStamp) -> None: ...

    @abstractmethod
    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]: ...

    @abstractmethod
    async def _unsubscribe(self, subscription: Subscription) -> None: ...

    @abstractmethod
    async def _probe(self) -> None: ...
