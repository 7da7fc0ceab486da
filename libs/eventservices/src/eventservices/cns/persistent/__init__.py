"""Persistent events: a stream of JetStream keeps them until every consumer has had them.

Each channel has one stream (`streams`), with interest retention: an event is stored while there are
consumers for it, and goes when the last has acknowledged it. A connection has one `Keeper`, with a
NATS connection of its own that never reconnects: when anything is in doubt it is thrown away, and
a new one begins with what is not acknowledged, in order. That is what keeps the order over a broker
that dies (`window`, `publisher`), together with `recovery` on the side of consumers (`durable`).
"""
