const subscription = {
  interval: 'How often it is billed.',
  seatsUsed: 'Seats occupied at the time of the event, a whole number.',
};

/**
 * What the fields of the answers mean, in words for a customer's engineer. Request bodies carry
 * their own descriptions, in the contract, because violations show them too; a field of this table
 * adds to those what only matters to a reader. A spec holds that no field is without words.
 */
export const meanings: Record<string, { itself?: string; fields?: Record<string, string> }> = {
  PurchaseCreated: {
    itself: 'A referred user paid. A closed object: an undeclared field is refused.',
    fields: {
      invoiceId:
        'Identifies the payment, 1 to 255 characters. A later refund of it must carry the same value.',
      amount:
        'What was paid, as a whole number in the minor unit of `currency` (4900 is EUR 49.00, and ' +
        'JPY 4900), from 0 to 9007199254740991, without fraction or exponent. 0 is accepted: a ' +
        'trial conversion or a fully discounted first invoice.',
    },
  },
  PurchaseRefunded: {
    itself: 'A purchase was refunded, wholly or in part. A closed object.',
    fields: {
      invoiceId: 'The `invoiceId` of the purchase that is refunded, 1 to 255 characters.',
      amount:
        'What this refund gives back, as a whole number in the minor unit of `currency`. Several ' +
        'partial refunds of one purchase add up, never past what was paid.',
    },
  },
  SignupCreated: { itself: 'A referred user signed up. A closed object.' },
  DemoAttended: { itself: 'A referred user attended a demo. A closed object.' },
  NewUser: { itself: 'The referred user. A closed object.' },
  PurchasedSubscription: {
    itself: 'What was bought; `interval` is required. A closed object.',
    fields: subscription,
  },
  RefundedSubscription: {
    itself: 'What was refunded; every field is optional. A closed object.',
    fields: subscription,
  },
  Accepted: {
    itself: 'The event was validated and durably written; attribution and rewards follow.',
    fields: {
      eventId: 'Identifies the stored event (UUIDv7). Keep it: support and explanations go by it.',
      receivedAt: "The service's clock at receipt, in UTC with milliseconds.",
      warnings: 'Remarks on the event. Absent when there is nothing to report.',
    },
  },
  Warning: {
    itself: 'A remark that changes neither the status nor how the event is processed.',
    fields: {
      code:
        '`OCCURRED_AT_IN_FUTURE`: more than five minutes ahead of our clock. ' +
        '`OCCURRED_AT_BACKDATED`: older than the backdating window (90 days by default). ' +
        '`FIELD_NOT_YET_HONOURED`: stored, but nothing uses the field yet. New codes may appear at ' +
        'any time; treat one you do not know as information.',
      detail: 'A sentence for people.',
      pointer: 'JSON Pointer to the field concerned.',
    },
  },
  Problem: { itself: 'Why a request was refused (RFC 9457). Branch on `code`.', fields: problem() },
  GeneralProblem: {
    itself: 'The problem document of everything outside `/v2`, where a few more codes exist.',
    fields: problem(),
  },
  Violation: {
    itself: 'One rule of the contract that the request breaks.',
    fields: {
      pointer: 'JSON Pointer (RFC 6901) to the field, relative to the request body.',
      code: 'What kind of rule it is; see the [violation codes](/docs/errors#violation-codes).',
      detail: 'What was wrong and what would be right. It never repeats what was sent.',
    },
  },
  TokenRequest: {
    itself: 'An access key pair. It is not the product id and product secret.',
    fields: {
      accessKeyId: 'The access key id.',
      secretAccessKey: 'The secret access key. It stays on your server.',
    },
  },
  TokenResponse: {
    fields: {
      accessToken: 'The bearer token for all other requests. Keep it until it expires.',
      expiresIn: 'Its lifetime in seconds.',
    },
  },
  ReferralCode: {
    fields: {
      code: 'The code that was looked up.',
      valid: 'Whether the code is valid now.',
      productUserId: 'The user who owns the code.',
      campaignId: 'The campaign that the code belongs to.',
    },
  },
  ActiveLink: {
    fields: {
      activeUcc: 'A referral code of the user that is valid now.',
      link: 'The invite link with that code, for sharing.',
    },
  },
  WebhookPayload: {
    fields: {
      version: 'Version of this payload.',
      eventType: 'Ignore any other type with a 2xx answer.',
      createdTs: 'When the reward was issued: ISO 8601 in UTC with milliseconds.',
      eventId: 'The same on every retry: deduplicate by it.',
      data: 'The reward.',
      'data.rewardId': 'Identifies the reward.',
      'data.productUserId': 'Who receives the reward: the user id that the widget was booted with.',
      'data.rewardType': 'Ignore any other type with a 2xx answer.',
      'data.reward': 'How much.',
      'data.reward.amount': 'The number of credits to grant, always above zero.',
    },
  },
};

function problem(): Record<string, string> {
  return {
    type: 'A URN that names the problem class. Compare it, there is nothing to fetch.',
    title: 'A short summary, the same for every problem of the class.',
    status: 'The HTTP status, repeated.',
    detail: 'What went wrong with this request, for people; it may be reworded.',
    instance: 'The id of this request, also in `X-Request-Id`. Quote it to support.',
    code: 'What to branch on; every code is explained on [the errors page](/docs/errors).',
    errors: 'The violations found, at most 20; `detail` says when there are more.',
  };
}
