"""A gateway between two CNS instances that keep their events, on one broker."""

FEDERATION = """
version: 1
system: kept
brokers: {nats: {kind: nats, url: "%s"}}
event_services:
  north: {kind: cns, brokers: [nats], settings: {persistent: true}}
  south: {kind: cns, brokers: [nats], settings: {persistent: true}}
gateways:
  g: {adapters: {north: {}, south: {}}}
requests:
  - {gateway: g, type: subscription, source: south, dist_list: north, filter: "subject = 'Trip'"}
"""
"""The federation's file; `%s` stands for the broker's address."""
