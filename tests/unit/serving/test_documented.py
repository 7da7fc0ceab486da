"""Documentation that needs no internet, wherever the application is mounted."""

import re

import httpx
import pytest
from serving.documented import documented_app
from starlette.applications import Starlette
from starlette.routing import Mount

APP = documented_app(title="Something", description="It does something.")
AT = {"the root": "", "a path": "/gateways/g1"}


async def fetch(app: Starlette, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        return await client.get(path)


def mounted(root: str) -> Starlette:
    return Starlette(routes=[Mount(root, APP)])


@pytest.mark.parametrize("where", AT)
async def test_the_page_loads_nothing_from_elsewhere(where: str) -> None:
    page = await fetch(mounted(AT[where]), f"{AT[where]}/docs")
    assert page.status_code == 200
    assert re.findall(r"""(?:src|href)=["']?(?:https?:)?//[^"' >]+""", page.text) == []


@pytest.mark.parametrize("where", AT)
async def test_every_script_and_style_of_the_page_is_served(where: str) -> None:
    here = mounted(AT[where])
    page = await fetch(here, f"{AT[where]}/docs")
    files = re.findall(r"""(?:src|href)="([^"]+)\"""", page.text)
    assert len(files) >= 3
    assert {(await fetch(here, file)).status_code for file in files} == {200}


@pytest.mark.parametrize("where", AT)
async def test_the_root_leads_to_the_page(where: str) -> None:
    answer = await fetch(mounted(AT[where]), f"{AT[where]}/")
    assert answer.headers["location"] == f"{AT[where]}/docs"


async def test_an_application_may_have_a_page_of_its_own() -> None:
    app = documented_app(title="Something", description="It does something.", home=False)
    assert (await fetch(app, "/")).status_code == 404
