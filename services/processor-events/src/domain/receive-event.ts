import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import {
  type IgnoredReason,
  processorSchemaVersion,
  type ProcessorReceived,
} from '@tributary/contracts/processor-record';
import { connectionTestKind, isUsedKind } from './kinds.ts';
import type { StripeEvent } from './read-event.ts';
import { readEventObject } from './read-object.ts';
import { subjectOf } from './subject-of.ts';

/**
 * The record of a signed event, whatever it is about: all that was answered with 200 is on the log,
 * with the reason when nothing follows from it (docs/decisions/0014).
 */
export function toReceived(
  event: StripeEvent,
  about: {
    connection: ProcessorConnectionRecord;
    receivedAt: Date;
    /** This deployment takes live payments. */
    livemode: boolean;
  },
): ProcessorReceived {
  const { connection, receivedAt, livemode } = about;
  const { tenantId, connectionId, taxPolicy } = connection;
  const ignored = ignoredReason(event, livemode);
  const object = isUsedKind(event.kind) ? readEventObject(event.kind, event.object) : undefined;
  return {
    ...{ schemaVersion: processorSchemaVersion, tenantId, connectionId, processor: 'stripe' },
    subject: object ? subjectOf(object) : event.id,
    receivedAt: receivedAt.toISOString(),
    taxPolicy,
    type: 'received',
    processorEventId: event.id,
    kind: event.kind,
    livemode: event.livemode,
    createdAt: event.createdAt,
    apiVersion: event.apiVersion,
    ...(object && { object }),
    ...(ignored && { ignored }),
  };
}

function ignoredReason({ kind, livemode }: StripeEvent, ours: boolean): IgnoredReason | undefined {
  if (kind === connectionTestKind) return 'connection-test';
  if (!isUsedKind(kind)) return 'kind-not-used';
  return livemode === ours ? undefined : 'other-mode';
}
