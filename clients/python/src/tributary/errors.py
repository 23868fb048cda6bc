"""What calls raise. No error holds a credential, a token or the body that was sent."""

from typing import Any, List, Mapping, Optional

from .types import Violation

RETRYABLE = frozenset({429, 502, 503, 504})


class TributaryError(Exception):
    """Send a retryable one again with its `idempotency_key`: it cannot double."""

    def __init__(self, operation: str, message: str, retryable: bool) -> None:
        super().__init__(f"{operation}: {message}")
        self.operation = operation
        self.retryable = retryable
        self.attempts = 1
        self.idempotency_key: Optional[str] = None


class Problem(TributaryError):
    """The service refused (RFC 9457). Branch on `code`; new ones may appear."""

    def __init__(
        self, operation: str, problem: Mapping[str, Any], retry_after_s: Optional[float]
    ) -> None:
        self.code: str = problem["code"]
        self.status: int = problem["status"]
        self.type: str = problem["type"]
        self.title: str = problem["title"]
        self.detail: str = problem["detail"]
        self.instance: Optional[str] = problem.get("instance")
        self.errors: List[Violation] = problem.get("errors", [])
        self.retry_after_s = retry_after_s
        found = ", ".join(f"{error.get('pointer')} {error.get('code')}" for error in self.errors)
        text = f"{self.status} {self.code}: {self.detail}" + (f" [{found}]" if found else "")
        super().__init__(operation, text, self.status in RETRYABLE)


class AnswerError(TributaryError):
    """Something answered that is not the service: a proxy, or a wrong `base_url`."""

    def __init__(self, operation: str, status: int, retry_after_s: Optional[float]) -> None:
        self.status = status
        self.retry_after_s = retry_after_s
        text = f"answered {status}, but not like the referral service; is the base_url right?"
        super().__init__(operation, text, status in RETRYABLE)


class NetworkError(TributaryError):
    """No answer: an event may or may not be stored."""

    def __init__(self, operation: str, reason: object) -> None:
        super().__init__(operation, f"no answer: {reason}", True)
        self.reason = reason
