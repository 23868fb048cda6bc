"""The idempotency key of an event whose caller gave none."""

import hashlib
import re
from datetime import datetime, timedelta
from typing import Any, Mapping

PREFIX = "content-v1-"
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)


def content_key(event_type: str, event: Mapping[str, Any]) -> str:
    """A digest of what makes an event one business fact: the same in every client and process."""
    user = event.get("newUser")
    values = [
        event_type,
        user.get("id") if isinstance(user, Mapping) else None,
        _moment(event.get("occurredAt")),
        event.get("invoiceId"),
        event.get("currency"),
        event.get("amount"),
    ]
    return PREFIX + hashlib.sha256("".join(f"{_text(v)}\0" for v in values).encode()).hexdigest()


def _text(value: Any) -> str:
    is_plain = isinstance(value, (str, int)) and not isinstance(value, bool)
    return str(value) if is_plain else ""


def _moment(occurred_at: Any) -> Any:
    """One text for all spellings of a moment. What is no timestamp is the service's to refuse."""
    match = _TIMESTAMP.fullmatch(occurred_at) if isinstance(occurred_at, str) else None
    if match is None:
        return occurred_at
    date, minute, second, fraction, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        local = datetime.strptime(f"{date}T{minute}", "%Y-%m-%dT%H:%M")
        utc = local + offset if sign == "-" else local - offset
    except (ValueError, OverflowError):
        return occurred_at
    digits = (fraction or "").rstrip("0")
    # An offset has whole minutes, so the second stays as it is, a leap second too.
    return f"{utc.isoformat()[:16]}:{second}{'.' + digits if digits else ''}Z"
