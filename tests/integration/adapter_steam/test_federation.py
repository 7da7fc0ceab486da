"""Two access points of one air in a federation, hosted as `fes run` hosts them."""

from pathlib import Path

from eventservices.servers import NatsServer
from fes.model import Event
from fes.testing.eventually import eventually
from support.processes.packs import Running, running

FILE = """
version: 1
system: test
media: {air: {}}
brokers: {air: {kind: mqtt, url: "%(url)s"}}
event_services:
  bus: {kind: memory, settings: {bus: "%%(tag)s bus"}}
  steam-v:
    kind: steam
    brokers: [air]
    medium: air
    settings: {range_m: 300, location: {lat: 50.0, lon: 11.0}}
  steam-m:
    kind: steam
    brokers: [air]
    medium: air
    settings: {range_m: 150, location: {lat: 50.001, lon: 11.0}}
  city: {kind: memory, settings: {bus: "%%(tag)s city"}}
gateways:
  g-v:
    adapters:
      bus: {}
      steam-v: {mappings: [air-speed], control: {accept: [], relay: false}}
  g-m:
    adapters:
      steam-m: {control: {accept: [], relay: false}}
      city: {}
mappings:
  air-speed:
    - subject: Speed
      attributes: {Proximity: {constant: "0,1,0,0,300"}}
requests:
  - {gateway: g-v, type: subscription, source: steam-v, dist_list: bus, filter: "Speed"}
"""


def applied(federation: Running, adapter: str) -> list[str]:
    """Return the filters that an adapter has subscribed to natively."""
    (runtime,) = [one for one in federation.pack.runtimes if one.adapter.id == adapter]
    return [one.filter.text for one in runtime.outbound.subscriptions.values()]


async def test_an_event_of_a_vehicle_reaches_the_city_over_the_air(
    server: NatsServer, tmp_path: Path
) -> None:
    text = FILE % {"url": server.mqtt_url}
    async with running(tmp_path, text) as federation:
        vehicle, city = federation.client("bus", "v"), federation.client("city", "c")
        speeding = "subject = 'Speed' AND rate > 70"
        body = {"source": "city", "dist_list": "steam-m", "filter": speeding}
        answer = await federation.post("g-m", type="subscription", **body)
        assert answer.status_code == 202
        await eventually(lambda: federation.bus("bus").subscribed)
        await eventually(lambda: applied(federation, "g-m.steam-m") == [speeding])

        vehicle.publish(Event.of("Speed", license_no="FES0001", rate=50.0))
        fast = vehicle.publish(Event.of("Speed", license_no="FES0001", rate=83.0))

        await eventually(lambda: city.events("Speed"))
        (heard,) = [item for item in city.received if item.event.subject == "Speed"]
        assert heard.event.parameter("rate") == 83.0
        assert heard.event.attribute("Proximity") == "0,1,0,0,300"
        assert heard.stamp is not None
        assert heard.stamp.identity == fast.identity
        assert heard.stamp.via == ("bus", "steam-v", "steam-m")
