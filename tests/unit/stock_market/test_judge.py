"""The judge names each leak that is planted in what the clients wrote down."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from stock_market.judge.verdict import judged
from stock_market.ticks import Tick

TICKS = [Tick("SAP", 10.0, 5), Tick("IBM", 20.0, 7)]
Records = list[dict[str, Any]]


def line(what: str, client: str, subject: str, s: float, **data: Any) -> dict[str, Any]:
    return {
        "what": what,
        "client": client,
        "subject": subject,
        "data": data,
        "session": "",
        "s": s,
    }


def good() -> Records:
    """Return what the clients of a good run wrote down."""
    records: Records = []
    for at, tick in enumerate(TICKS):
        engine = ("siena-me1", "siena-me2")[at]
        for side, customer in (("sell", "siena-c1"), ("buy", "siena-c2")):
            name = f"t{at}.{side}"
            records += [line("received", each, "Order", at, id=name) for each in (engine, "cns-db")]
            records += [
                line("received", each, "Accept", at, id=name) for each in (customer, "cns-db")
            ]
        quote = {"id": f"t{at}", "price": tick.price, "currency": "EUR"}
        records.append(line("published", engine, "Quote", at, **quote))
        records += [line("received", each, "Quote", at, **quote) for each in ("cns-c3", "cns-db")]
        dollars = {"id": f"t{at}", "price": tick.price * 1.25, "currency": "USD"}
        records += [
            line("received", each, "Quote", at + 3.0, **dollars)
            for each in ("siena-c1", "siena-c2")
        ]
        records.append(line("received", "cns-db", "OrderBook", at, share=tick.share))
    records += [
        line("received", each, "Quote", 0.0, id="other0", price=1.0)
        for each in ("cns-c3", "siena-c4")
    ]
    return records


def of(records: Records, client: str, subject: str) -> dict[str, Any]:
    return next(
        each
        for each in records
        if each["what"] == "received" and (each["client"], each["subject"]) == (client, subject)
    )


def also(client: str, subject: str, **data: Any) -> Callable[[Records], None]:
    return lambda records: records.append(line("received", client, subject, 9.0, **data))


def early(records: Records) -> None:
    of(records, "siena-c1", "Quote")["s"] = 1.0


def euros(records: Records) -> None:
    of(records, "siena-c2", "Quote")["data"]["currency"] = "EUR"


def lost(records: Records) -> None:
    records.remove(of(records, "siena-c1", "Accept"))


def other_engine(records: Records) -> None:
    of(records, "siena-me2", "Order")["client"] = "siena-me1"


LEAKS: dict[str, tuple[Callable[[Records], None], str]] = {
    "an order at both engines": (also("siena-me2", "Order", id="t0.sell"), "reached 2 engines"),
    "an order of one share at another engine": (other_engine, "t1.buy of IBM reached"),
    "an order at a customer": (also("siena-c2", "Order", id="t0.sell"), "siena-c2 received Order"),
    "an acceptance at the other customer": (
        also("siena-c2", "Accept", id="t0.sell"),
        "siena-c2 received Accept t0.sell",
    ),
    "an acceptance that is lost": (lost, "siena-c1 did not receive Accept t0.sell"),
    "a quote too early": (early, "siena-c1 read t0 after 1.00 s"),
    "a quote in euros": (euros, "siena-c2 read"),
    "a quote at the other market": (
        also("siena-c4", "Quote", id="t0", price=10.0),
        "siena-c4 received Quote t0",
    ),
    "a quote twice": (
        also("cns-c3", "Quote", id="t1", price=20.0),
        "cns-c3 received Quote t1 2 times",
    ),
    "an order book at a customer": (
        also("siena-c1", "OrderBook", share="SAP"),
        "siena-c1 received the order book",
    ),
    "the other market's quote at a private customer": (
        also("siena-c1", "Quote", id="other0", price=1.0),
        "siena-c1 received Quote other0",
    ),
}


def test_a_good_run_passes() -> None:
    verdict = judged(TICKS, good())
    assert verdict.passed, verdict.findings


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_named(leak: str) -> None:
    plant, expected = LEAKS[leak]
    records = copy.deepcopy(good())
    plant(records)
    verdict = judged(TICKS, records)
    assert not verdict.passed
    told = [each for findings in verdict.findings.values() for each in findings]
    assert any(expected in each for each in told), told


def test_nothing_received_is_no_success() -> None:
    assert not judged(TICKS, []).passed
    assert not judged([], []).passed
