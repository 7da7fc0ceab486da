"""The story's names and numbers, which its federation, its clients and its judge have in common."""

from typing import Final

CUSTOMERS: Final = ("siena-c1", "siena-c2")
"""Private customers of the first market: one sells, the other buys."""

PROFESSIONAL: Final = "cns-c3"
STRANGER: Final = "siena-c4"
"""Customers of both markets, and of the second market alone."""

ENGINES: Final = ("siena-me1", "siena-me2")
DATABASE: Final = "cns-db"
OTHER_FLOOR: Final = "siena-f2"

SIENA: Final = (*CUSTOMERS, STRANGER, *ENGINES, OTHER_FLOOR)
CNS: Final = (PROFESSIONAL, DATABASE)

ORDER, ACCEPT, QUOTE, BOOK = "Order", "Accept", "Quote", "OrderBook"
INDEX: Final = "FES_Subject"
SESSION: Final = "FES_Session"
SIENA_SESSION: Final = "FES_A.FES_Session"
"""Where events carry their session: in CNS, and in SIENA."""

DOLLARS: Final = 1.25
"""Of one euro: the floor counts in euros, private customers read dollars."""

DELAY_S: Final = 900.0
"""How long private customers wait for a quote, federation clock."""

SPEED: Final = 300.0
"""Seconds of the federation clock in a second."""

SHARES: Final = ("AIG", "BAC", "IBM", "SAP")

TICKS: Final = "ticks.csv"
RECORDS: Final = "records.jsonl"
VERDICT: Final = "verdict.json"
