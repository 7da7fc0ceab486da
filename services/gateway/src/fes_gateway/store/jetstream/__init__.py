"""A journal in a JetStream stream, for replicas on several hosts."""

from fes_gateway.store.jetstream.journal import JetStreamJournal
from fes_gateway.store.jetstream.settings import StreamSettings, stream_name

__all__ = ["JetStreamJournal", "StreamSettings", "stream_name"]
