"""Requests of gateways the subscriptions that connections to other event services are."""

from typing import Final

import httpx
from eventservices.cns.domains.moving.gateways import EVERYTHING, Subscription
from eventservices.errors import NotConnectedError
from serving.loopback import async_client

ANSWER_S: Final = 10.0


class GatewayClient:
    """Makes subscriptions by the gateways' REST interface.

    Args:
        http: Sends requests; a client of this machine's parts by default.
    """

    def __init__(self, http: httpx.AsyncClient | None = None) -> None:
        self._http = http or async_client(ANSWER_S)

    async def subscribe(self, subscription: Subscription) -> None:
        """Make a subscription; idempotent.

        Raises:
            NotConnectedError: The gateway does not answer, or refuses.
        """
        await self._request("subscription", subscription)

    async def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription; idempotent, errors as of the other."""
        await self._request("unsubscription", subscription)

    async def close(self) -> None:
        """Send no more requests."""
        await self._http.aclose()

    async def _request(self, kind: str, subscription: Subscription) -> None:
        body = {
            "type": kind,
            "source": subscription.source,
            "dist_list": subscription.dist_list,
            "filter": EVERYTHING,
            "requester": subscription.requester,
        }
        url = f"{subscription.gateway.rstrip('/')}/v1/requests"
        try:
            answer = await self._http.post(url, json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise NotConnectedError(f"no gateway answers at {url}: {reason}") from error
        if answer.is_error:
            raise NotConnectedError(f"{url} refuses: {' '.join(answer.text.split())[:300]}")
