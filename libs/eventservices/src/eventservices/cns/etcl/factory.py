"""Where filters come from: by the name of their language."""

from eventservices.cns.etcl.constraint import Clock
from eventservices.cns.etcl.errors import InvalidGrammarError
from eventservices.cns.etcl.expressions import GRAMMAR
from eventservices.cns.etcl.filter import Filter
from eventservices.cns.etcl.mapping import MappingFilter
from eventservices.cns.etcl.scan import DEFAULT_LIMITS, EtclLimits
from eventservices.cns.etcl.utc import ticks_now
from eventservices.cns.value import Value


class FilterFactory:
    """Makes filters; a channel's `default_filter_factory` is one.

    Args:
        limits: What a constraint may be.
        clock: What `$curtime` is read from: ticks of 100 ns since 1582-10-15 UTC.
    """

    def __init__(self, limits: EtclLimits = DEFAULT_LIMITS, clock: Clock = ticks_now) -> None:
        self._limits = limits
        self._clock = clock

    def create_filter(self, constraint_grammar: str = GRAMMAR) -> Filter:
        """Return a filter without constraints.

        Raises:
            InvalidGrammarError: The grammar is not `EXTENDED_TCL`, spelt so.
        """
        _check_grammar(constraint_grammar)
        return Filter(self._limits, self._clock)

    def create_mapping_filter(self, constraint_grammar: str, default_value: Value) -> MappingFilter:
        """Return a mapping filter without constraints.

        Raises:
            InvalidGrammarError: The grammar is not `EXTENDED_TCL`, spelt so.
            MalformedError: No Any carries such a default value.
        """
        _check_grammar(constraint_grammar)
        return MappingFilter(default_value, self._limits, self._clock)


def _check_grammar(name: str) -> None:
    if name != GRAMMAR:
        raise InvalidGrammarError(f"there are no filters for {name!r}, only for {GRAMMAR}")
