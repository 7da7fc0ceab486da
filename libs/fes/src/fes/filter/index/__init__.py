"""The match index: finds the destinations of an event among very many filters."""

from fes.filter.index.match import MatchIndex

__all__ = ["MatchIndex"]
