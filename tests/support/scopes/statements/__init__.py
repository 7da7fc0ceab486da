"""What the paper states, and what we decided where it is silent; each a check of one router."""

from collections.abc import Callable

from support.scopes.statements import copies, interfaces, membership, policies, sessions, visibility
from support.scopes.town import RouterOf

Statement = Callable[[RouterOf], None]

STATEMENTS: dict[str, Statement] = {
    name: each
    for module in (copies, interfaces, membership, policies, sessions, visibility)
    for name, each in vars(module).items()
    if callable(each)
    and getattr(each, "__module__", "") == module.__name__
    and each.__annotations__ == {"router": RouterOf, "return": None}
}
