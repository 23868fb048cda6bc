"""What goes over the wire. A key that may be absent is left out, never None."""

from typing import Any, Dict, List, Optional, TypedDict


class _NewUser(TypedDict):
    id: str


class NewUser(_NewUser, total=False):
    email: str
    name: str
    organizationId: str


class _Event(TypedDict):
    ucc: str
    occurredAt: str
    newUser: NewUser


class SignupCreated(_Event, total=False):
    idempotencyKey: str


class DemoAttended(_Event, total=False):
    idempotencyKey: str


class RefundedSubscription(TypedDict, total=False):
    id: str
    interval: str
    seatsUsed: int
    productKey: str


class _PurchasedSubscription(TypedDict):
    interval: str


class PurchasedSubscription(_PurchasedSubscription, total=False):
    id: str
    seatsUsed: int
    productKey: str


class _Payment(_Event):
    currency: str
    invoiceId: str
    amount: int


class _PurchaseCreated(_Payment):
    subscription: PurchasedSubscription


class PurchaseCreated(_PurchaseCreated, total=False):
    idempotencyKey: str


class PurchaseRefunded(_Payment, total=False):
    idempotencyKey: str
    subscription: RefundedSubscription


class _Warning(TypedDict):
    code: str
    detail: str


class Warning(_Warning, total=False):
    pointer: str


class _Accepted(TypedDict):
    eventId: str
    receivedAt: str


class Accepted(_Accepted, total=False):
    warnings: List[Warning]


class _ReferralCode(TypedDict):
    code: str
    valid: bool


class ReferralCode(_ReferralCode, total=False):
    productUserId: str
    campaignId: str


class ActiveLink(TypedDict):
    activeUcc: str
    link: str


class Violation(TypedDict):
    pointer: str
    code: str
    detail: str


class _EventWithDecision(TypedDict):
    eventId: str
    receivedAt: str
    outcome: str
    flags: List[str]
    tests: List[Dict[str, Any]]
    waitsFor: List[str]
    rewards: List[Dict[str, Any]]
    asOf: Optional[str]


class EventWithDecision(_EventWithDecision, total=False):
    eventType: str
    reason: str
    campaignId: str
    campaignRevision: int
    referrerId: str
