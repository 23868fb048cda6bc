import { acceptedResponse } from '@tributary/contracts/public/accepted';
import { type BodyReading, violationsDetail } from '@tributary/contracts/body-reader';
import { buildProblem, type ProblemCode } from '@tributary/contracts/problem';
import { readTokenRequest } from '@tributary/contracts/public/token';
import { type V2EventType, v2Events } from '@tributary/contracts/public/v2-events';
import { warningsOf } from '@tributary/contracts/warning';
import type { Examples } from './event-docs.ts';
import type { Json } from './json-schema.ts';

/**
 * Examples of answers are made by the code that makes the answers, so their words are the true
 * ones.
 */
const requestId = '572f5ca56abf5e27d947c6a5295b7087';
const eventId = '01a1fe03-c8aa-7571-a42e-072a6930b333';
const receivedAt = '2026-01-31T12:00:03.274Z';

export const acceptedExamples: Examples = {
  accepted: { summary: 'Nothing to report', value: acceptedResponse(eventId, receivedAt, []) },
  warnings: { summary: 'Accepted, with warnings', value: acceptedWithWarnings() },
};

function acceptedWithWarnings(): Json {
  const receivedAtMs = Date.parse(receivedAt);
  const warnings = warningsOf({
    occurredAtMs: receivedAtMs + 3_600_000,
    receivedAtMs,
    backdatingWindowDays: 90,
    body: { newUser: { organizationId: 'org-7' } },
  });
  return acceptedResponse(eventId, receivedAt, warnings);
}

/** One problem as it is answered; `status` where the code has a second one. */
export function problemExample(
  code: ProblemCode,
  about: { summary?: string; detail?: string; status?: number } = {},
): Examples {
  const { detail, status } = about;
  const value = buildProblem(code, { detail, status, instance: requestId });
  return { [code]: { summary: about.summary ?? value.title, value } };
}

/** What this event type answers to a body with several mistakes. */
export function invalidEventExample(type: V2EventType): Examples {
  const wrong =
    '{"ucc":"","occurredAt":"2026-01-31 12:00:00","newUser":{"email":null},"price":49.00}';
  return invalidExample(v2Events[type].read(Buffer.from(wrong)));
}

export function invalidTokenRequestExample(): Examples {
  return invalidExample(readTokenRequest(Buffer.from('{"accessKeyId":7}')));
}

function invalidExample(reading: BodyReading<unknown>): Examples {
  if (reading.outcome !== 'invalid') throw new Error('an example of violations has none');
  const { violations, truncated } = reading;
  const detail = violationsDetail(violations, truncated);
  const value = buildProblem('VALIDATION_ERROR', {
    detail,
    errors: violations,
    instance: requestId,
  });
  return { VALIDATION_ERROR: { summary: 'Several violations at once', value } };
}

export const tokenRequestExamples: Examples = {
  pair: {
    summary: 'An access key pair',
    value: { accessKeyId: 'ak-xjm10iihVYLBEF6EVhuw', secretAccessKey: '<SECRET_ACCESS_KEY>' },
  },
};

export const tokenExamples: Examples = {
  token: {
    summary: 'A token for five hours',
    value: { accessToken: '<ACCESS_TOKEN>', expiresIn: 18000 },
  },
};

const code = { code: 'MiYK421SmMb', productUserId: 'user-12', campaignId: 'spring' };
export const referralCodeExamples: Examples = {
  valid: { summary: 'A valid code', value: { ...code, valid: true } },
  disabled: { summary: 'A code that was disabled', value: { ...code, valid: false } },
};

export const activeLinkExamples: Examples = {
  link: {
    summary: 'The code and its link',
    value: {
      activeUcc: 'MiYK421SmMb',
      link: 'https://www.example.com/invite?productId=prod-1&ucc=MiYK421SmMb',
    },
  },
};

export const webhookExamples: Examples = {
  reward: {
    summary: 'Fifty credits for the referrer',
    value: {
      version: '1.0.0',
      eventType: 'new-reward',
      createdTs: '2026-01-31T12:00:03.465Z',
      eventId: '6a428f9e-9b4a-5227-9a07-2eb91676b5ad',
      data: {
        rewardId: '5cdb2bf0-cc87-5a07-a583-fbeaca0ecedd',
        productUserId: 'user-12',
        rewardType: 'credits',
        reward: { amount: 50 },
      },
    },
  },
};
