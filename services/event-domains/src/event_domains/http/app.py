"""The REST interface: `/v1/domains`."""

from eventservices.cns.domains import EventLogDomainFactory
from fastapi import FastAPI, Response
from serving.documented import documented_app

from event_domains.http.channels import add_channels
from event_domains.http.clients import add_clients
from event_domains.http.connections import add_connections
from event_domains.http.domains import add_domains
from event_domains.http.graph import add_graph
from event_domains.http.metrics import CONTENT_TYPE, metrics_text
from event_domains.http.problems import add_problems
from event_domains.http.schemas import Health
from event_domains.http.views import faults_of


def make_app(factory: EventLogDomainFactory) -> FastAPI:
    """Return the application that serves a factory's domains."""
    app = documented_app(
        title="Event domains",
        description="Connected channels of the CORBA Notification Service as a managed thing.",
    )
    add_problems(app)
    add_domains(app, factory)
    add_channels(app, factory)
    add_connections(app, factory)
    add_graph(app, factory)
    add_clients(app, factory)
    _add_health(app, factory)
    return app


def _add_health(app: FastAPI, factory: EventLogDomainFactory) -> None:
    @app.get("/healthz", tags=["health"])
    async def healthz() -> Health:
        """Return that the process lives."""
        return Health(status="alive", faults={})

    @app.get("/readyz", responses={503: {"model": Health}}, tags=["health"])
    async def readyz(response: Response) -> Health:
        """Return whether all channels are open, and which are not."""
        faults: dict[str, str] = {}
        for domain_id in factory.get_all_domains():
            faults |= faults_of(factory.get_event_domain(domain_id))
        response.status_code = 503 if faults else 200
        return Health(status="not ready" if faults else "ready", faults=faults)

    @app.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {CONTENT_TYPE: {}}}},
        tags=["health"],
    )
    async def metrics() -> Response:
        """Return the metrics in Prometheus's text form."""
        return Response(await metrics_text(factory), media_type=CONTENT_TYPE)
