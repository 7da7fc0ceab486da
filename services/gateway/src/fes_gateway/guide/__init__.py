"""Queries the naming and policy services for the gateways of a process, and brings them answers."""

from fes_gateway.guide.guide import Guide

__all__ = ["Guide"]
