"""A matching engine: orders by price, then by time; sans-IO."""

from dataclasses import dataclass
from typing import Any

from stock_market.story import ACCEPT, BOOK, INDEX, QUOTE

MAX_OPEN = 10_000
"""Most open orders; one above it is refused."""

Notice = tuple[dict[str, Any], str]
"""A notification, and the session that it belongs to; empty for none."""


@dataclass(frozen=True, slots=True)
class Open:
    """An order that rests.

    Attributes:
        id: Of the order.
        share: What is traded.
        price: Limit, euros.
        number: How many.
        session: Session that it came in.
    """

    id: str
    share: str
    price: float
    number: int
    session: str


class Engine:
    """Matches a buy order with the cheapest sell order that was there first."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], list[Open]] = {}
        self._count = 0
        self.refused = 0

    def order(self, data: dict[str, Any], session: str) -> list[Notice]:
        """Accept an order; return the notices that follow.

        Args:
            data: id, share, side (`sell` or `buy`), number and price.
            session: Session that it came in.
        """
        if self._count >= MAX_OPEN:
            self.refused += 1
            return []
        order = Open(
            str(data["id"]),
            str(data["share"]),
            float(data["price"]),
            int(data["number"]),
            session,
        )
        side, other = ("buy", "sell") if data["side"] == "buy" else ("sell", "buy")
        match = self._match(order, other, sells=side == "buy")
        if match is None:
            self._open.setdefault((order.share, side), []).append(order)
            self._count += 1
            return [(self._book(order.share), "")]
        self._open[order.share, other].remove(match)
        self._count -= 1
        quote = {
            INDEX: QUOTE,
            "share": order.share,
            "price": match.price,
            "number": order.number,
            "currency": "EUR",
            "id": order.id.partition(".")[0],
        }
        return [
            (_accept(match), match.session),
            (_accept(order), order.session),
            (quote, order.session),
            (self._book(order.share), ""),
        ]

    def _match(self, order: Open, other: str, *, sells: bool) -> Open | None:
        found = [
            each
            for each in self._open.get((order.share, other), [])
            if each.number == order.number
            and (each.price <= order.price if sells else each.price >= order.price)
        ]
        best = min if sells else max
        return best(found, key=lambda each: each.price) if found else None

    def _book(self, share: str) -> dict[str, Any]:
        sides = {side: len(self._open.get((share, side), [])) for side in ("sell", "buy")}
        return {INDEX: BOOK, "share": share, **sides}


def _accept(order: Open) -> dict[str, Any]:
    return {INDEX: ACCEPT, "id": order.id, "share": order.share}
