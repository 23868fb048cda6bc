// What goes over the wire, from the schemas that the service validates by. Do not edit:
// node deploy/client-types/main.ts writes this file.

/** A referred user paid. */
export type PurchaseCreated = {
  /** the referral code, a string of 1 to 255 characters */
  ucc: string;
  /** an RFC 3339 date-time with T and an explicit offset such as 2026-01-31T12:00:00Z */
  occurredAt: string;
  /** an object with id and optionally email, name and organizationId */
  newUser: NewUser;
  /** an idempotency key of 1 to 255 characters after trimming */
  idempotencyKey?: string | undefined;
  /** an uppercase ISO 4217 alphabetic code such as EUR */
  currency: string;
  /** the identifier of the payment, a string of 1 to 255 characters */
  invoiceId: string;
  /**
   * a whole number of minor units from 0 to 9007199254740991, written without fraction or exponent
   */
  amount: number;
  /** an object with at least interval */
  subscription: PurchasedSubscription;
};

/** A referred user signed up. */
export type SignupCreated = {
  /** the referral code, a string of 1 to 255 characters */
  ucc: string;
  /** an RFC 3339 date-time with T and an explicit offset such as 2026-01-31T12:00:00Z */
  occurredAt: string;
  /** an object with id and optionally email, name and organizationId */
  newUser: NewUser;
  /** an idempotency key of 1 to 255 characters after trimming */
  idempotencyKey?: string | undefined;
};

/** A referred user attended a demo. */
export type DemoAttended = {
  /** the referral code, a string of 1 to 255 characters */
  ucc: string;
  /** an RFC 3339 date-time with T and an explicit offset such as 2026-01-31T12:00:00Z */
  occurredAt: string;
  /** an object with id and optionally email, name and organizationId */
  newUser: NewUser;
  /** an idempotency key of 1 to 255 characters after trimming */
  idempotencyKey?: string | undefined;
};

/**
 * A purchase was given back: `invoiceId` is that of the purchase, `amount` what this refund gives
 * back.
 */
export type PurchaseRefunded = {
  /** the referral code, a string of 1 to 255 characters */
  ucc: string;
  /** an RFC 3339 date-time with T and an explicit offset such as 2026-01-31T12:00:00Z */
  occurredAt: string;
  /** an object with id and optionally email, name and organizationId */
  newUser: NewUser;
  /** an idempotency key of 1 to 255 characters after trimming */
  idempotencyKey?: string | undefined;
  /** an uppercase ISO 4217 alphabetic code such as EUR */
  currency: string;
  /** the identifier of the payment, a string of 1 to 255 characters */
  invoiceId: string;
  /**
   * a whole number of minor units from 0 to 9007199254740991, written without fraction or exponent
   */
  amount: number;
  /** an object with id, interval, seatsUsed and productKey, each optional */
  subscription?: RefundedSubscription | undefined;
};

/** The referred user. */
export type NewUser = {
  /** the caller's own stable user identifier, a string of 1 to 255 characters */
  id: string;
  /** an e-mail address (RFC 5321) of 1 to 320 characters, or no such key */
  email?: string | undefined;
  /** the name of the user, a string of 1 to 255 characters */
  name?: string | undefined;
  /** the identifier of an organization, a string of 1 to 255 characters */
  organizationId?: string | undefined;
};

/** What was bought. */
export type PurchasedSubscription = {
  /** the identifier of the subscription, a string of 1 to 255 characters */
  id?: string | undefined;
  /**
   * one of one-time, weekly, bi-weekly, monthly, quarterly, semi-annual, yearly, biennial,
   * triennial, lifetime
   */
  interval: Interval;
  /** a whole number of at least 0, written without fraction or exponent */
  seatsUsed?: number | undefined;
  /** the plan or product purchased, a string of 1 to 255 characters */
  productKey?: string | undefined;
};

/** What a refund was for. */
export type RefundedSubscription = {
  /** the identifier of the subscription, a string of 1 to 255 characters */
  id?: string | undefined;
  /**
   * one of one-time, weekly, bi-weekly, monthly, quarterly, semi-annual, yearly, biennial,
   * triennial, lifetime
   */
  interval?: Interval | undefined;
  /** a whole number of at least 0, written without fraction or exponent */
  seatsUsed?: number | undefined;
  /** the plan or product purchased, a string of 1 to 255 characters */
  productKey?: string | undefined;
};

/** How often the user pays. */
export type Interval =
  | 'one-time'
  | 'weekly'
  | 'bi-weekly'
  | 'monthly'
  | 'quarterly'
  | 'semi-annual'
  | 'yearly'
  | 'biennial'
  | 'triennial'
  | 'lifetime';

/** The event is stored; attribution and rewards follow. */
export type Accepted = {
  eventId: string;
  receivedAt: string;
  warnings?: Array<Warning>;
};

/** A remark on an accepted event, which changes nothing else. */
export type Warning = {
  code: WarningCode;
  detail: string;
  pointer?: string;
};

/** New codes may appear at any time. */
export type WarningCode =
  'OCCURRED_AT_IN_FUTURE' | 'OCCURRED_AT_BACKDATED' | 'FIELD_NOT_YET_HONOURED' | (string & {});

/** An event and what was decided about it; `pending` until attribution has decided. */
export type EventWithDecision = {
  eventId: string;
  eventType?:
    'purchase-created' | 'signup-created' | 'demo-attended' | 'purchase-refunded' | (string & {});
  source?: string;
  occurredAt?: string;
  receivedAt: string;
  newUserId?: string;
  ucc?: string;
  purchase?: {
    invoiceId?: string;
    currency: string;
    amount: number;
    aliases?: Array<string>;
    refundId?: string;
    subscription?: {
      id?: string;
      interval?: string;
      seatsUsed?: string;
      productKey?: string;
    };
  };
  refund?: {
    invoiceId?: string;
    currency: string;
    amount: number;
    aliases?: Array<string>;
    refundId?: string;
    subscription?: {
      id?: string;
      interval?: string;
      seatsUsed?: string;
      productKey?: string;
    };
  };
  outcome: 'attributed' | 'not-attributed' | 'waiting' | 'undecided' | 'pending' | (string & {});
  reason?:
    | 'unknown-code'
    | 'code-disabled'
    | 'self-referral'
    | 'campaign-not-running'
    | 'outside-window'
    | 'existing-user'
    | 'duplicate'
    | 'refund-without-purchase'
    | 'internal'
    | (string & {});
  campaignId?: string;
  campaignRevision?: number;
  referrerId?: string;
  duplicateOf?: string;
  refundOf?: string;
  flags: Array<string>;
  accessKeyId?: string;
  tests: Array<{
    test: string;
    passed: boolean;
    detail: string;
  }>;
  waitsFor: Array<string>;
  rewards: Array<{
    rewardId: string;
    ruleId: string;
    recipientRole: 'referrer' | 'new-user' | (string & {});
    recipientId: string;
    state: 'held' | 'review' | 'issued' | 'withheld' | 'reversed' | 'capped' | (string & {});
    entitledCredits: string;
    issuedCredits: string;
    maturesAt?: string;
  }>;
  asOf: string | null;
};

/** What the service knows of a referral code. */
export type ReferralCode = {
  code: string;
  valid: boolean;
  productUserId?: string;
  campaignId?: string;
};

/** A user's code that is valid now, and its invite link. */
export type ActiveLink = {
  activeUcc: string;
  link: string;
};

/** Why a request was refused (RFC 9457). */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance?: string;
  errors?: Array<Violation>;
  code: ProblemCode;
};

/** Branch on it; title and detail change. */
export type ProblemCode =
  | 'VALIDATION_ERROR'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_KEY_CONFLICT'
  | 'MALFORMED_JSON'
  | 'UNAUTHORIZED'
  | 'UNKNOWN_EVENT_TYPE'
  | 'PAYLOAD_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'CONFIRMATION_REQUIRED'
  | 'TOO_MANY_REQUESTS'
  | (string & {});

/** One broken rule of a request body. */
export type Violation = {
  pointer: string;
  code: ViolationCode;
  detail: string;
};

/** The kind of rule that was broken. */
export type ViolationCode =
  | 'REQUIRED'
  | 'INVALID_TYPE'
  | 'INVALID_FORMAT'
  | 'INVALID_ENUM'
  | 'OUT_OF_RANGE'
  | 'UNKNOWN_FIELD'
  | (string & {});

/** An access key pair. */
export type TokenRequest = {
  /** the access key id, a string */
  accessKeyId: string;
  /** the secret access key, a string */
  secretAccessKey: string;
};

/** A bearer token; `expiresIn` is in seconds. */
export type TokenResponse = {
  accessToken: string;
  expiresIn: number;
};

/** The body of the new-reward webhook. */
export type RewardPayload = {
  version: '1.0.0' | (string & {});
  eventType: 'new-reward' | (string & {});
  createdTs: string;
  eventId: string;
  data: {
    rewardId: string;
    productUserId: string;
    rewardType: 'credits' | (string & {});
    reward: {
      amount: number;
    };
  };
};
