"""One request and its whole answer, by the standard library."""

import http.client
import json
import urllib.error
import urllib.request
from email.message import Message
from email.utils import parsedate_to_datetime
from datetime import datetime, timezone
from typing import Any, Dict, Mapping, NamedTuple, Optional

from .errors import AnswerError, NetworkError, Problem, TributaryError


class Answer(NamedTuple):
    status: int
    headers: Message
    body: Optional[Dict[str, Any]]
    """The JSON object of the answer; None for anything else."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could lead a key pair or a token to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def send(
    operation: str,
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: Optional[bytes],
    timeout_s: float,
) -> Answer:
    request = urllib.request.Request(url, body, dict(headers), method=method)
    try:
        with _opener.open(request, timeout=timeout_s) as response:
            return Answer(response.status, response.headers, _object(response.read()))
    except urllib.error.HTTPError as error:
        with error:
            try:
                return Answer(error.code, error.headers, _object(error.read()))
            except (OSError, http.client.HTTPException) as cause:
                raise NetworkError(operation, cause) from cause
    except urllib.error.URLError as error:
        raise NetworkError(operation, error.reason) from error
    except (OSError, http.client.HTTPException) as error:
        raise NetworkError(operation, error) from error


def refusal(operation: str, answer: Answer) -> TributaryError:
    retry_after_s = _retry_after(answer.headers)
    body = answer.body or {}
    texts = all(isinstance(body.get(name), str) for name in ("type", "title", "detail", "code"))
    errors = body.get("errors", [])
    has_errors = isinstance(errors, list) and all(isinstance(error, dict) for error in errors)
    if texts and has_errors and isinstance(body.get("status"), int):
        return Problem(operation, body, retry_after_s)
    return AnswerError(operation, answer.status, retry_after_s)


def _object(content: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _retry_after(headers: Message) -> Optional[float]:
    """Seconds, or a date by the clock of the answer itself (RFC 9110 10.2.3)."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    until, now = _date(text), _date(headers.get("Date") or "")
    if until is None:
        return None
    return max(0.0, (until - (now or datetime.now(timezone.utc))).total_seconds())


def _date(text: str) -> Optional[datetime]:
    try:
        parsed = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)
