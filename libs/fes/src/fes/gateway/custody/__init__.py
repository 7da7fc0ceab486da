"""Custody of persistent events: kept until the next hop has confirmed them."""
