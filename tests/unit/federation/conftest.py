from pathlib import Path

import pytest

SMALL = """\
version: 1
system: town
media: {air: {}}
brokers:
  nats: {kind: nats}
  mqtt: {kind: mqtt}
event_services:
  bus: {kind: cns, brokers: [nats]}
  car: {kind: steam, brokers: [mqtt], medium: air}
  post: {kind: steam, brokers: [mqtt], medium: air}
  city: {kind: siena, brokers: [nats]}
gateways:
  g1:
    adapters:
      bus: {mappings: [speed]}
      car: {control: {accept: [], relay: false}}
  g2:
    adapters:
      post: {control: {accept: [], relay: false}}
      city: {}
mappings:
  speed: [{subject: Speed}]
requests:
  - {gateway: g1, type: subscription, source: car, dist_list: bus, filter: "subject = 'Speed'"}
"""


@pytest.fixture
def small() -> str:
    """A federation without findings: two gateways, one on board, one at the road."""
    return SMALL


@pytest.fixture
def root() -> Path:
    return Path(__file__).parents[3]
