import { EventWithDecision } from '@tributary/contracts/admin/event-answers';
import { Accepted } from '@tributary/contracts/public/accepted';
import { ActiveLink } from '@tributary/contracts/public/active-link';
import {
  Interval,
  NewUser,
  PurchasedSubscription,
  RefundedSubscription,
} from '@tributary/contracts/public/event-fields';
import { GeneralProblem } from '@tributary/contracts/problem';
import { ReferralCode } from '@tributary/contracts/public/referral-code';
import { TokenRequest, TokenResponse } from '@tributary/contracts/public/token';
import { v2Events } from '@tributary/contracts/public/v2-events';
import { Violation, ViolationCode } from '@tributary/contracts/violation';
import { Warning } from '@tributary/contracts/warning';
import { WebhookPayload } from '@tributary/contracts/webhook-payload';

/** A JSON schema as far as the contracts use it for what goes over the wire. */
export type Schema = {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  enum?: readonly string[];
  anyOf?: readonly Schema[];
  const?: string;
};

/**
 * A request is sent by a caller that was compiled against these types, so its lists are closed. An
 * answer comes from a service that may be newer, so its lists admit codes that nobody knows yet.
 */
export type WireType = { name: string; about: string; schema: Schema; in: 'request' | 'answer' };

/** The types of the client's wire, in the order of the file; a type is used by its name. */
export const wireTypes: readonly WireType[] = [
  request('PurchaseCreated', v2Events['purchase-created'].schema, 'A referred user paid.'),
  request('SignupCreated', v2Events['signup-created'].schema, 'A referred user signed up.'),
  request('DemoAttended', v2Events['demo-attended'].schema, 'A referred user attended a demo.'),
  request(
    'PurchaseRefunded',
    v2Events['purchase-refunded'].schema,
    'A purchase was given back: `invoiceId` is that of the purchase, `amount` what this refund gives back.',
  ),
  request('NewUser', NewUser, 'The referred user.'),
  request('PurchasedSubscription', PurchasedSubscription, 'What was bought.'),
  request('RefundedSubscription', RefundedSubscription, 'What a refund was for.'),
  request('Interval', Interval, 'How often the user pays.'),
  answer('Accepted', Accepted, 'The event is stored; attribution and rewards follow.'),
  answer('Warning', Warning, 'A remark on an accepted event, which changes nothing else.'),
  answer('WarningCode', Warning.properties.code, 'New codes may appear at any time.'),
  answer(
    'EventWithDecision',
    EventWithDecision,
    'An event and what was decided about it; `pending` until attribution has decided.',
  ),
  answer('ReferralCode', ReferralCode, 'What the service knows of a referral code.'),
  answer('ActiveLink', ActiveLink, "A user's code that is valid now, and its invite link."),
  answer('Problem', GeneralProblem, 'Why a request was refused (RFC 9457).'),
  answer('ProblemCode', GeneralProblem.properties.code, 'Branch on it; title and detail change.'),
  answer('Violation', Violation, 'One broken rule of a request body.'),
  answer('ViolationCode', ViolationCode, 'The kind of rule that was broken.'),
  request('TokenRequest', TokenRequest, 'An access key pair.'),
  answer('TokenResponse', TokenResponse, 'A bearer token; `expiresIn` is in seconds.'),
  answer('RewardPayload', WebhookPayload, 'The body of the new-reward webhook.'),
];

function request(name: string, schema: unknown, about: string): WireType {
  return { name, about, schema: schema as Schema, in: 'request' };
}

function answer(name: string, schema: unknown, about: string): WireType {
  return { name, about, schema: schema as Schema, in: 'answer' };
}
