"""From a constraint's text to its syntax tree. The grammar itself is `grammar.lark`."""

import functools
from importlib import resources
from typing import cast

from lark import Lark, UnexpectedInput

from eventservices.cns.etcl.build import Builder, NumberError
from eventservices.cns.etcl.errors import InvalidConstraintError
from eventservices.cns.etcl.explain import explain
from eventservices.cns.etcl.scan import DEFAULT_LIMITS, EtclLimits, scan
from eventservices.cns.etcl.tree import Constant, Expression

_BLANK = " \t\r\n\f"


def parse_tree(text: str, limits: EtclLimits = DEFAULT_LIMITS) -> Expression:
    """Return the syntax tree of a constraint.

    Args:
        text: In ETCL; a blank one is TRUE.
        limits: What is refused before the text is parsed.

    Raises:
        InvalidConstraintError: The text exceeds a limit or is not in the language; the message
            states what was found, what was expected, and where.
    """
    scan(text, limits)
    if not text.strip(_BLANK):
        return Constant(value=True)
    try:
        return cast("Expression", _parser().parse(text))
    except UnexpectedInput as error:
        raise explain(error, text) from error
    except NumberError as error:
        raise InvalidConstraintError(error.reason, text, error.offset) from error


def prepare() -> None:
    """Build the parser now; else the first constraint does, which keeps a loop for a long turn."""
    _parser()


@functools.cache
def _parser() -> Lark:
    grammar = resources.files("eventservices.cns.etcl").joinpath("grammar.lark")
    return Lark(
        grammar.read_text("utf-8"), parser="lalr", lexer="contextual", transformer=Builder()
    )
