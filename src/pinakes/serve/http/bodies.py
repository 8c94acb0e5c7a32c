"""Bodies read strictly: JSON's own types and nothing that only looks like them."""

from __future__ import annotations

from typing import TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.requests import Request

from pinakes.serve.http.questions import Asked

T = TypeVar("T", bound=Asked)


async def body_of(request: Request, kind: type[T], library: str) -> T:
    """What a body asks. The library may be named there or in the address."""
    try:
        asked = kind.model_validate_json(await request.body(), strict=True)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_input=False, include_context=False)) from None
    return asked if asked.library else asked.model_copy(update={"library": library})
