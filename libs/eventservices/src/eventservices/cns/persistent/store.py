"""One channel's store of persistent events."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from eventservices.cns.options import ChannelOptions
from eventservices.cns.persistent.durable import Durable, Read, StoredReceiver
from eventservices.cns.persistent.keeper import Keeper
from eventservices.cns.persistent.names import consumer_name, stream_name
from eventservices.cns.persistent.publisher import Publisher, Storing
from eventservices.cns.persistent.session import TROUBLE, Session
from eventservices.cns.persistent.streams import StreamSpec, delete_stream, ensure_stream
from eventservices.cns.qos.admin_holder import AdminProperties
from eventservices.cns.subjects import KEEP_PREFIX
from eventservices.errors import NotConnectedError, TooLargeError
from eventservices.natslink import NatsLink
from eventservices.stamp import Stamp, pack

_MESSAGE_ID = "Nats-Msg-Id"
_HEADER_OVERHEAD_BYTES = 64


@dataclass(frozen=True, slots=True)
class Storage:
    """What the stores of a connection share: a connection to JetStream, and who publishes on it."""

    keeper: Keeper
    publisher: Publisher


class Store:
    """Keeps a channel's persistent events at the broker.

    Args:
        storage: What the stores of the connection share.
        link: The connection, for the size that the server accepts.
        token: The channel's name as a subject's token.
        options: The client's choices.
        admin: The channel's administrative properties.
        read: Decodes messages.
    """

    def __init__(
        self,
        storage: Storage,
        link: NatsLink,
        token: str,
        options: ChannelOptions,
        admin: AdminProperties,
        read: Read,
    ) -> None:
        self._storage = storage
        self._link = link
        self._subject = KEEP_PREFIX + token
        self._stream = stream_name(token)
        self._options = options
        self._admin = admin
        self._read = read
        self._publishes = False
        self._update = False

    async def send(self, payload: bytes, headers: Mapping[str, str], stamp: Stamp) -> Storing:
        """Accept an event to be stored.

        Returns:
            What `publisher.stored` waits for.

        Raises:
            TooLargeError: Header and payload exceed what the server accepts; nothing was sent.
            NotConnectedError: The connection is closed.
        """
        whole = {**headers, _MESSAGE_ID: _identity(stamp)}
        size = len(payload) + _HEADER_OVERHEAD_BYTES
        size += sum(len(key) + len(value) + 4 for key, value in whole.items())
        if size > self._link.max_payload_bytes:
            raise TooLargeError(size, self._link.max_payload_bytes)
        if not self._publishes:
            await self._begin_to_publish()
        return await self._storage.publisher.send(self._subject, payload, whole)

    async def consume(self, receiver: StoredReceiver, durable: str) -> Durable:
        """Begin to read for a consumer; when this returns, events are kept for it.

        Args:
            receiver: Accepts the events.
            durable: Name that outlives the client; empty for none.

        Raises:
            NotConnectedError: The broker did not confirm in time.
            MalformedError: The name cannot be used.
        """
        name = consumer_name(durable) if durable else f"once-{secrets.token_hex(8)}"
        made = Durable(
            self._stream, name, receiver, self._read, self.prepare, lasting=bool(durable)
        )
        made.on_close = self._end
        session = await self._storage.keeper.session()
        try:
            await made.open(session)
        except TROUBLE as error:
            raise NotConnectedError(f"the broker keeps no events: {error!r}") from error
        self._storage.keeper.add(made)
        return made

    async def prepare(self, session: Session) -> datetime | None:
        """Make sure that there is the stream, with the limits that the channel has now.

        Returns:
            When it was made.
        """
        admin, options = self._admin, self._options
        spec = StreamSpec(
            name=self._stream,
            subject=self._subject,
            max_events=admin.max_queue_length,
            reject_new=admin.reject_new_events,
            max_bytes=options.store_bytes,
            max_age_s=options.store_age_s,
            replicas=options.replicas,
        )
        update, self._update = self._update, False
        try:
            return await ensure_stream(session, spec, update=update)
        except BaseException:
            self._update = update
            raise

    def limits_changed(self) -> None:
        """Request a change of the stream before its next use."""
        self._update = True
        self._stop_publishing()

    async def delete(self) -> None:
        """Delete all persistent events of the channel, and all durable names.

        Raises:
            NotConnectedError: The broker did not confirm in time.
        """
        session = await self._storage.keeper.session()
        try:
            await delete_stream(session, self._stream)
        except TROUBLE as error:
            raise NotConnectedError(f"the store was not deleted: {error!r}") from error

    def close(self) -> None:
        """Be used no more."""
        self._stop_publishing()

    async def _begin_to_publish(self) -> None:
        session = await self._storage.keeper.session()
        try:
            await self.prepare(session)
        except TROUBLE as error:
            raise NotConnectedError(f"the broker keeps no events: {error!r}") from error
        if not self._publishes:
            self._publishes = True
            self._storage.publisher.preparations.append(self.prepare)

    def _stop_publishing(self) -> None:
        if self._publishes:
            self._publishes = False
            self._storage.publisher.preparations.remove(self.prepare)

    async def _end(self, durable: Durable) -> Session | None:
        await self._storage.keeper.remove(durable)
        return self._storage.keeper.present


def _identity(stamp: Stamp) -> str:
    origin, epoch, sequence, _, home, _ = pack(stamp).split(";")
    return f"{origin};{epoch};{sequence};{home}"
