"""An answer 405 lists the methods of the path, also where several routes share it."""

import httpx
import pytest
from fastapi import HTTPException
from serving.documented import documented_app

APP = documented_app(title="x", description="y", home=False)


@APP.delete("/things/{name:path}/parts/{part:path}")
async def part(name: str, part: str) -> str:
    return name + part


@APP.put("/things/{name:path}/parts/{part:path}", include_in_schema=False)
async def refused(name: str, part: str) -> None:
    raise HTTPException(405, f"{name} {part}")


@APP.get("/things/{name:path}")
@APP.put("/things/{name:path}")
async def thing(name: str) -> str:
    return name


@APP.get("/things/first")
async def first() -> str:
    return "first"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("OPTIONS", "/things/a", "GET, PUT"),
        ("OPTIONS", "/things/first", "GET"),
        ("PATCH", "/things/a/parts/b", "DELETE"),
        ("PUT", "/things/a/parts/b", "DELETE"),
    ],
)
async def test_all_methods_of_a_path_are_listed(method: str, path: str, allow: str) -> None:
    transport = httpx.ASGITransport(app=APP)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as http:
        answer = await http.request(method, path)

    assert (answer.status_code, answer.headers["allow"]) == (405, allow)
