import { codeCodec } from '@tributary/contracts/code-record';
import { derivedId } from '@tributary/contracts/derived-id';
import {
  eventCodec,
  eventSchemaVersion,
  type SignupCreatedEvent,
} from '@tributary/contracts/event-record';
import { personCodec, personSchemaVersion } from '@tributary/contracts/people-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { recordKey } from '@tributary/contracts/topics';
import type { Entry } from '@tributary/event-log/appender';
import type { OwnedCode } from '../domain/choose-invite.ts';
import type { NewDetails } from '../domain/new-details.ts';
import type { WidgetUser } from '@tributary/http/widget-token';

/** What a boot brings that is not on the log yet. */
export type News = {
  code: OwnedCode | undefined;
  person: NewDetails | undefined;
  /** A signup that no backend reported; it happened at the first boot. */
  signup: { ucc: string; occurredAt: string } | undefined;
};

/** Names to `referral.people` only (design 5); the rest knows the user by their id. */
export function recordsOf(
  { code, person, signup }: News,
  { tenantId, productUserId: userId }: WidgetUser,
  { topics, now }: { topics: { codes: string; people: string; events: string }; now: Date },
): Entry[] {
  const receivedAt = now.toISOString();
  const userKey = recordKey(tenantId, userId);
  const entries: Entry[] = [];
  if (person) {
    const about = { schemaVersion: personSchemaVersion, tenantId, userId, ...person, receivedAt };
    entries.push({ topic: topics.people, key: userKey, value: personCodec.encode(about) });
  }
  if (code) {
    const { ucc, campaignId, productUserId, issuedAt: at } = code;
    const value = codeCodec.encode({
      schemaVersion: 1,
      type: 'code-issued',
      tenantId,
      ucc,
      version: 1,
      campaignId,
      productUserId,
      at,
    });
    entries.push({ topic: topics.codes, key: recordKey(tenantId, ucc), value });
  }
  if (signup) {
    const event = signupEvent(signup, { tenantId, userId, receivedAt });
    entries.push({ topic: topics.events, key: userKey, value: eventCodec.encode(event) });
  }
  return entries;
}

/** The same id however often it is found: a user signs up once. */
function signupEvent(
  { ucc, occurredAt }: { ucc: string; occurredAt: string },
  { tenantId, userId, receivedAt }: { tenantId: string; userId: string; receivedAt: string },
): SignupCreatedEvent {
  const instant = parseTimestamp(occurredAt);
  if (!instant) throw new Error('a code was issued at no time');
  return {
    schemaVersion: eventSchemaVersion,
    eventType: 'signup-created',
    eventId: derivedId('widget-signup', tenantId, userId),
    tenantId,
    source: 'widget',
    receivedAt,
    occurredAt,
    occurredAtSeconds: instant.seconds,
    ucc,
    newUser: { id: userId },
  };
}
