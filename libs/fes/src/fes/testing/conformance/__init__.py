"""Behaviour written once and inherited: suites that every adapter and journal passes."""
