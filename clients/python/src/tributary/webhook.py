"""The receiving end of the reward webhook, by the receiver rules of the contract (6.1)."""

import base64
import binascii
import hashlib
import hmac
import json
import logging
import math
from decimal import Decimal
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

BODY_LIMIT_BYTES = 65_536
_log = logging.getLogger("tributary.webhook")


class Reward(NamedTuple):
    event_id: str
    reward_id: str
    product_user_id: str
    amount: Union[int, Decimal]


class Answer(NamedTuple):
    """To be sent as it is; `body` as JSON."""

    status: int
    headers: Dict[str, str]
    body: Dict[str, Any]


class RewardReceiver:
    """Answers deliveries. They come at least once, and two of one event may come side by side.

    grant(reward) grants the reward unless its event_id was granted before, and says whether it did
    so now. Only it can note the event_id and give the credits in one transaction. What it raises
    becomes a 500, and the webhook comes again.
    """

    def __init__(
        self,
        username: str,
        password: str,
        grant: Callable[[Reward], bool],
        *,
        also: Iterable[Tuple[str, str]] = (),
    ) -> None:
        """also: further credentials, while they are exchanged."""
        pairs = [(username, password), *also]
        # A variable that was forgotten in the environment must not become a password.
        if not all(name and secret for name, secret in pairs):
            raise ValueError("the username or the password of the webhook is missing")
        self._digests = [_digest(f"{name}:{secret}".encode()) for name, secret in pairs]
        self._grant = grant

    def check(self, authorization: Optional[str]) -> Optional[Answer]:
        """The 401 for a stranger, whose body need not be read; None for the service."""
        scheme, _, encoded = (authorization or "").strip().partition(" ")
        try:
            given = _digest(base64.b64decode(encoded.strip(), validate=True))
        except (binascii.Error, ValueError):
            given = b""
        # Digests have one length: the time it takes says nothing of how much was right.
        matches = [hmac.compare_digest(given, one) for one in self._digests]
        if any(matches) and scheme.lower() == "basic":
            return None
        headers = {"WWW-Authenticate": 'Basic realm="webhook", charset="UTF-8"'}
        return Answer(401, headers, {"message": "credentials are missing or wrong"})

    def receive(self, authorization: Optional[str], body: bytes) -> Answer:
        refused = self.check(authorization)
        if refused is not None:
            return refused
        if len(body) > BODY_LIMIT_BYTES:
            return _bad("the body is too large", 413)
        try:
            # Decimal keeps the digits of an amount such as 0.1; NaN and Infinity are no JSON.
            text = body.decode("utf-8")
            event = json.loads(text, parse_float=Decimal, parse_constant=_refuse)
        except (ValueError, ArithmeticError, RecursionError):
            return _bad("the body is not JSON")
        if not isinstance(event, dict):
            return _bad("the body is no JSON object")
        return self._evaluate(event)

    def wsgi(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> List[bytes]:
        """A WSGI application: mount it at the path of your endpoint (Flask, Django, gunicorn)."""
        answer = self._from_wsgi(environ)
        content = json.dumps(answer.body).encode()
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(content)),
            **answer.headers,
        }
        start_response(f"{answer.status} {_REASONS[answer.status]}", list(headers.items()))
        return [content]

    def _from_wsgi(self, environ: Dict[str, Any]) -> Answer:
        if environ.get("REQUEST_METHOD") != "POST":
            return Answer(405, {"Allow": "POST"}, {"message": "POST only"})
        authorization = environ.get("HTTP_AUTHORIZATION")
        refused = self.check(authorization)
        if refused is not None:
            return refused
        length = environ.get("CONTENT_LENGTH") or ""
        if not (length.isascii() and length.isdigit()):
            return _bad("there is no Content-Length", 411)
        if int(length) > BODY_LIMIT_BYTES:
            return _bad("the body is too large", 413)
        return self.receive(authorization, environ["wsgi.input"].read(int(length)))

    def _evaluate(self, event: Dict[str, Any]) -> Answer:
        # Rule 2. Before the fields: those of other kinds are not known.
        data = _object(event.get("data"))
        if event.get("eventType") != "new-reward" or data.get("rewardType") != "credits":
            return Answer(200, {}, {"ignored": True})
        # Rule 3. In Python, True is a number.
        names: Dict[str, Any] = {
            "eventId": event.get("eventId"),
            "rewardId": data.get("rewardId"),
            "productUserId": data.get("productUserId"),
        }
        for name, value in names.items():
            if not isinstance(value, str) or value == "":
                return _bad(f"{name} is missing")
        amount = _object(data.get("reward")).get("amount")
        is_number = isinstance(amount, (int, Decimal)) and not isinstance(amount, bool)
        # 1e400 is infinite to most programs, so it is refused in every language.
        if not is_number or not math.isfinite(float(str(amount))):
            return _bad("the amount is not a number")
        # Rule 4.
        reward = Reward(names["eventId"], names["rewardId"], names["productUserId"], amount)
        try:
            is_new = self._grant(reward)
        except Exception:
            # Not 2xx: the webhook comes again.
            _log.exception("the reward of event %s could not be granted", reward.event_id)
            return _bad("the reward could not be granted", 500)
        return Answer(200, {}, {"duplicate": not is_new})


_REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    405: "Method Not Allowed",
    411: "Length Required",
    413: "Content Too Large",
    500: "Internal Server Error",
}


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()


def _bad(message: str, status: int = 400) -> Answer:
    return Answer(status, {}, {"message": message})


def _object(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
