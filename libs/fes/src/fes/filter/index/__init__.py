"""The match index: which destinations an event goes to, among very many filters."""

from fes.filter.index.match import MatchIndex

__all__ = ["MatchIndex"]
