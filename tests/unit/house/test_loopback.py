"""Our own parts are never asked through a proxy: one module makes the clients."""

import ast
from pathlib import Path

import pytest
from serving.loopback import async_client, client

ROOT = Path(__file__).parents[3]
SOURCES = [
    path
    for folder in ("libs", "services", "scenarios")
    for path in sorted((ROOT / folder).glob("*/src/**/*.py"))
]
MAKES = {"Client", "AsyncClient", "request", "get", "post", "put", "delete", "patch", "stream"}
OTHERS = {"urllib.request", "requests", "aiohttp", "http.client"}


def made_in(path: Path) -> list[str]:
    """Return where a module makes a client of its own, or imports another library for it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            if isinstance(of, ast.Name) and of.id == "httpx" and node.func.attr in MAKES:
                found.append(f"{path.name}:{node.lineno} httpx.{node.func.attr}")
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "httpx":
                names += [f"httpx.{each.name}" for each in node.names if each.name in MAKES]
        wrong = [name for name in names if name in OTHERS or "httpx." in name]
        found += [f"{path.name}:{getattr(node, 'lineno', 0)} {name}" for name in wrong]
    return found


def test_clients_of_http_are_made_in_one_module() -> None:
    assert len(SOURCES) > 300
    made = [place for path in SOURCES if path.name != "loopback.py" for place in made_in(path)]
    assert made == []


def test_this_test_would_find_one(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text("import httpx\nfrom httpx import get\nhttpx.AsyncClient()\nimport requests\n")
    assert len(made_in(module)) == 3


def test_a_link_names_no_proxy() -> None:
    """`websockets` asks the environment for one unless it is told."""
    dialled = [
        node
        for path in SOURCES
        if "websockets" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "connect"
    ]
    assert dialled
    for node in dialled:
        told = {word.arg: word.value for word in node.keywords}
        assert isinstance(told.get("proxy"), ast.Constant)
        assert ast.literal_eval(told["proxy"]) is None


async def test_the_clients_obey_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with client(1.0) as one:
        assert one.trust_env is False
        assert not one._mounts
    async with async_client(1.0) as other:
        assert other.trust_env is False
        assert not other._mounts
