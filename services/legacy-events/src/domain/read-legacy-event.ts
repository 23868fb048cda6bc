import type { EventRecord } from '@tributary/contracts/event-record';
import { type PersonRecord, personSchemaVersion } from '@tributary/contracts/people-record';
import { createFieldReader } from './field-reader.ts';
import { isRawObject, type RawJson } from './raw-json.ts';
import { type Receipt, readEvent } from './read-event.ts';
import { readPerson } from './read-person.ts';
import { unknownFields } from './unknown-fields.ts';

/**
 * The frozen envelope (interface 4.4, design 8 "Legacy") as records for the log. Tolerant where the
 * meaning is clear, refusing where it is not: what is answered with 200 is processed.
 */
export type LegacyReading =
  | {
      outcome: 'event';
      event: EventRecord;
      /** Only when an e-mail or name was sent: they go to `referral.people` and nowhere else. */
      person?: PersonRecord;
      unknownFields: string[];
    }
  | { outcome: 'refused'; message: string };

export function readLegacyEvent(body: RawJson, receipt: Receipt): LegacyReading {
  if (!isRawObject(body)) {
    return refused('payload.newUserId is missing: the body must be a JSON object');
  }
  const fields = createFieldReader();
  const root = { path: '', members: body };
  const payload = fields.section(root, 'payload');
  const newUserId = fields.text(payload, 'newUserId');
  if (newUserId === undefined) {
    const refusal = fields.refusal();
    const named = refusal?.startsWith('payload.newUserId') ? refusal : undefined;
    return refused(named ?? 'payload.newUserId is missing');
  }
  const eventName = fields.text(root, 'eventName');
  if (eventName !== undefined && eventName !== 'ReferralUpdated') {
    fields.refuse('eventName must be "ReferralUpdated"');
  }
  const context = fields.section(root, 'context');
  const newUser = fields.section(context, 'newUser');
  const person = readPerson(fields, newUser);
  const event = readEvent(fields, { payload, context, newUser, newUserId, receipt });

  const refusal = fields.refusal();
  if (refusal !== undefined || !event) return refused(refusal ?? 'the event cannot be read');
  const { tenantId, eventId, receivedAt } = event;
  return {
    outcome: 'event',
    event,
    ...(person && {
      person: {
        schemaVersion: personSchemaVersion,
        tenantId,
        userId: newUserId,
        ...person,
        receivedAt,
        eventId,
      },
    }),
    unknownFields: unknownFields(body),
  };
}

function refused(message: string): LegacyReading {
  return { outcome: 'refused', message };
}
