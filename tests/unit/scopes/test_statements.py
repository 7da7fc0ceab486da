import pytest
from support.scopes.statements import STATEMENTS
from support.scopes.town import ROUTERS


@pytest.mark.parametrize("router", ROUTERS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_statement_holds(statement: str, router: str) -> None:
    STATEMENTS[statement](ROUTERS[router])
