"""The policy service of a building: rights and requests, as rules of Cedar that carry filters."""

from fes_policy.building import Building, load_building
from fes_policy.engine import Engine, Explained
from fes_policy.errors import PolicyError
from fes_policy.rules import Rule, Rules, load_rules, parse_rules

__all__ = [
    "Building",
    "Engine",
    "Explained",
    "PolicyError",
    "Rule",
    "Rules",
    "load_building",
    "load_rules",
    "parse_rules",
]
