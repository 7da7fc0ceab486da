"""An application whose documentation works without the internet: it serves its own scripts."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from fastapi_offline import FastAPIOffline

from serving.allowed import add_allowed

DOCS = "/docs"
"""Path of the documentation."""


def documented_app(
    *,
    title: str,
    description: str,
    version: str = "1",
    responses: dict[int | str, dict[str, Any]] | None = None,
    home: bool = True,
) -> FastAPI:
    """Return an application that documents itself at `/docs`.

    Args:
        title: Title of its documentation.
        description: One sentence under the title.
        version: Version of its interface.
        responses: Responses of every path.
        home: Whether `/` redirects to the documentation; False where it is a page of its own.
    """
    app = FastAPIOffline(
        docs_url=DOCS,
        redoc_url=None,
        static_url=f"{DOCS}-files",
        title=title,
        version=version,
        description=description,
        responses=responses,
    )
    add_allowed(app)
    if home:

        @app.get("/", include_in_schema=False)
        async def documentation(request: Request) -> RedirectResponse:
            """Redirect to the documentation."""
            return RedirectResponse(f"{request.scope.get('root_path', '')}{DOCS}")

    return app
