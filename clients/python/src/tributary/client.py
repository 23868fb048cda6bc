"""The client. Make one and keep it: it holds the access token, and threads may share it."""

import json
import random
import re
import threading
import time
from concurrent import futures
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar, cast
from urllib.parse import quote, urlsplit

from .content_key import content_key
from .errors import AnswerError, NetworkError, Problem, TributaryError
from .transport import Answer, refusal, send
from .types import (
    Accepted,
    ActiveLink,
    DemoAttended,
    EventWithDecision,
    PurchaseCreated,
    PurchaseRefunded,
    ReferralCode,
    SignupCreated,
)

T = TypeVar("T")
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 10.0
_LONGEST_MARGIN_S = 30.0
_JSON = {"Content-Type": "application/json"}


class Client:
    """Every method raises a TributaryError: Problem, AnswerError or NetworkError.

    timeout_s limits one request, deadline_s a call with its pauses, max_attempts its attempts.
    """

    def __init__(
        self,
        base_url: str,
        access_key_id: str,
        secret_access_key: str,
        *,
        timeout_s: float = 10,
        deadline_s: float = 60,
        max_attempts: int = 5,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
            raise ValueError("base_url must be an http(s) URL without credentials")
        if not access_key_id or not secret_access_key:
            raise ValueError("access_key_id or secret_access_key is missing")
        self._base_url = base_url.rstrip("/")
        self._access_key = {"accessKeyId": access_key_id, "secretAccessKey": secret_access_key}
        self._timeout_s, self._deadline_s = timeout_s, deadline_s
        self._max_attempts = max_attempts
        # Never held during a request.
        self._lock = threading.Lock()
        self._token, self._token_until = "", 0.0
        self._renewal: Optional["futures.Future[Answer]"] = None

    def __repr__(self) -> str:
        return f"<tributary.Client of {self._base_url}>"

    def signup_created(
        self, event: SignupCreated, *, idempotency_key: Optional[str] = None
    ) -> Accepted:
        return self._report("signup-created", event, idempotency_key)

    def demo_attended(
        self, event: DemoAttended, *, idempotency_key: Optional[str] = None
    ) -> Accepted:
        return self._report("demo-attended", event, idempotency_key)

    def purchase_created(
        self, event: PurchaseCreated, *, idempotency_key: Optional[str] = None
    ) -> Accepted:
        return self._report("purchase-created", event, idempotency_key)

    def purchase_refunded(
        self, event: PurchaseRefunded, *, idempotency_key: Optional[str] = None
    ) -> Accepted:
        return self._report("purchase-refunded", event, idempotency_key)

    def lookup(self, code: str) -> Optional[ReferralCode]:
        """What is known of a code; None when there is no such code."""
        path = "/referral-codes/{code}"
        return cast(Optional[ReferralCode], self._find(path, code, "valid"))

    def active_link(self, product_user_id: str) -> Optional[ActiveLink]:
        """A user's valid code and invite link; None when the user has none."""
        path = "/referral-codes/active-link/{productUserId}"
        return cast(Optional[ActiveLink], self._find(path, product_user_id, "activeUcc"))

    def event(self, event_id: str) -> Optional[EventWithDecision]:
        """An event of yours with its decision; None when it is not there (yet)."""
        return self._event(event_id, self._deadline_s)

    def wait_for_decision(
        self, event_id: str, *, deadline_s: Optional[float] = None
    ) -> EventWithDecision:
        """The same once it is decided. `waiting` is a decision: it may wait for days."""
        end = time.monotonic() + (self._deadline_s if deadline_s is None else deadline_s)
        pause_s = 0.1
        while True:
            event = self._event(event_id, end - time.monotonic())
            if event is not None and event["outcome"] not in ("pending", "undecided"):
                return event
            if time.monotonic() + pause_s >= end:
                raise NetworkError("GET /api/events/{eventId}", "the event was not decided in time")
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, 2.0)

    def access_token(self) -> str:
        """The bearer token that the calls use, for an endpoint that is not among them."""
        return self._with_retries(None, self._get_token, self._deadline_s)

    def _event(self, event_id: str, deadline_s: float) -> Optional[EventWithDecision]:
        found = self._find("/api/events/{eventId}", event_id, "outcome", deadline_s)
        return cast(Optional[EventWithDecision], found)

    def _report(self, kind: str, event: Any, key: Optional[str]) -> Accepted:
        _refuse_inexact("amount", event.get("amount"))
        subscription = event.get("subscription")
        if isinstance(subscription, Mapping):
            _refuse_inexact("subscription.seatsUsed", subscription.get("seatsUsed"))
        # Made once: every attempt sends the same bytes.
        body = json.dumps(event, ensure_ascii=False, allow_nan=False).encode()
        # Of what is sent: the text of an enum, say, is another than that of its JSON.
        sent = json.loads(body)
        in_body = sent.get("idempotencyKey")
        if key is None and in_body is None:
            key = content_key(kind, sent)
        headers = dict(_JSON)
        if key is not None:
            # The service reads the header's bytes as UTF-8; http.client writes latin-1.
            headers["Idempotency-Key"] = key.encode().decode("latin-1")
        operation = f"POST /v2/events/{kind}"

        def attempt(end: float) -> Accepted:
            answer = self._ask(operation, "POST", f"/v2/events/{kind}", headers, body, end)
            if answer.status == 202 and answer.body and "eventId" in answer.body:
                return cast(Accepted, answer.body)
            raise refusal(operation, answer)

        used_key = in_body if key is None else key
        return self._with_retries(used_key, attempt, self._deadline_s)

    def _find(
        self, template: str, name: str, member: str, deadline_s: Optional[float] = None
    ) -> Optional[Dict[str, Any]]:
        # Dots alone are a step in the path, encoded or not.
        if name in (".", ".."):
            return None
        try:
            segment = quote(name, safe="")
        except UnicodeEncodeError:  # half a surrogate pair
            return None
        path = re.sub(r"\{.*\}", lambda _: segment, template)
        operation = f"GET {template}"

        def attempt(end: float) -> Optional[Dict[str, Any]]:
            answer = self._ask(operation, "GET", path, {}, None, end)
            body = answer.body or {}
            if answer.status == 404 and body.get("code") == "NOT_FOUND":
                return None
            if answer.status == 200 and body.get(member) is not None:
                return body
            raise refusal(operation, answer)

        limit_s = self._deadline_s if deadline_s is None else deadline_s
        return self._with_retries(None, attempt, limit_s)

    def _ask(
        self,
        operation: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        end: float,
    ) -> Answer:
        for renewed in (False, True):
            token = self._get_token(end)
            all_headers = {**headers, "Authorization": f"Bearer {token}"}
            url = self._base_url + path
            answer = send(operation, method, url, all_headers, body, self._time_for_one(end))
            if answer.status != 401 or renewed:
                break
            # It may have been revoked: once more with a new one.
            with self._lock:
                if self._token == token:
                    self._token_until = 0.0
        return answer

    def _get_token(self, end: float) -> str:
        """One request for a token at a time; who waited for it shares its failure, too."""
        with self._lock:
            if time.monotonic() < self._token_until:
                return self._token
            waits_for = self._renewal
            if waits_for is None:
                renewal = self._renewal = futures.Future()
        if waits_for is None:
            answer = self._renew(renewal, end)
        else:
            answer = _wait_for(waits_for, end)
        issued = _token_in(answer)
        if issued is None:
            raise refusal("POST /token", answer)
        return issued[0]

    def _renew(self, renewal: "futures.Future[Answer]", end: float) -> Answer:
        asked = time.monotonic()
        body = json.dumps(self._access_key).encode()
        try:
            url = f"{self._base_url}/token"
            answer = send("POST /token", "POST", url, _JSON, body, self._time_for_one(end))
            issued = _token_in(answer)
            if issued is not None:
                token, lifetime_s = issued
                margin_s = min(_LONGEST_MARGIN_S, lifetime_s / 10)
                with self._lock:
                    self._token, self._token_until = token, asked + lifetime_s - margin_s
            renewal.set_result(answer)
            return answer
        except NetworkError as error:
            renewal.set_exception(error)
            raise
        finally:
            with self._lock:
                self._renewal = None
            # After an interrupt there is neither; nobody may wait for it any longer.
            renewal.cancel()

    def _time_for_one(self, end: float) -> float:
        return max(0.001, min(self._timeout_s, end - time.monotonic()))

    def _with_retries(
        self, key: Optional[str], attempt: Callable[[float], T], deadline_s: float
    ) -> T:
        end = time.monotonic() + deadline_s
        attempts = 0
        while True:
            attempts += 1
            try:
                return attempt(end)
            except TributaryError as error:
                error.attempts, error.idempotency_key = attempts, key
                bound = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (attempts - 1))
                # Full jitter: callers who failed together do not return together.
                pause_s = random.uniform(0, bound) + _asked_pause(error)
                is_over = time.monotonic() + pause_s >= end
                if not error.retryable or attempts >= self._max_attempts or is_over:
                    raise
            time.sleep(pause_s)


def _wait_for(renewal: "futures.Future[Answer]", end: float) -> Answer:
    try:
        return renewal.result(max(0.0, end - time.monotonic()))
    except futures.TimeoutError as error:
        raise NetworkError("POST /token", "timed out") from error
    except futures.CancelledError as error:
        raise NetworkError("POST /token", "the request was interrupted") from error
    except NetworkError as error:
        # An error of its own for each thread: attempts and key are those of its call.
        raise NetworkError("POST /token", error.reason) from error


def _token_in(answer: Answer) -> Optional[Tuple[str, float]]:
    issued = answer.body or {}
    token, lifetime_s = issued.get("accessToken"), issued.get("expiresIn")
    if (
        answer.status != 201
        or not isinstance(token, str)
        or not re.fullmatch(r"[\w.~+/-]+=*", token, re.ASCII)
        or not isinstance(lifetime_s, (int, float))
    ):
        return None
    return token, lifetime_s


def _asked_pause(error: TributaryError) -> float:
    if isinstance(error, (Problem, AnswerError)):
        return error.retry_after_s or 0.0
    return 0.0


def _refuse_inexact(name: str, value: Any) -> None:
    """49.0 and 49.5 would leave as they are; money is whole minor units."""
    if isinstance(value, float):
        raise TypeError(f"{name} must be an int, such as 4900 for 49.00 of a currency with cents")
