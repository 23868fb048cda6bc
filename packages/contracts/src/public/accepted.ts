import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { Warning } from '../warning.ts';

/** Answer to an accepted event, 202 (interface 2.6). */
export const Accepted = closedObject({
  /** UUIDv7 assigned by the service; the identifier of the stored event. */
  eventId: Type.String({ format: 'uuid' }),
  /** The service's clock at receipt, UTC with milliseconds. */
  receivedAt: Type.String({ format: 'date-time' }),
  /** Absent when there is nothing to report. */
  warnings: Type.Optional(Type.Array(Warning, { minItems: 1 })),
});
export type Accepted = Static<typeof Accepted>;

/** Leaves `warnings` out when there are none (interface 2.6). */
export function acceptedResponse(
  eventId: string,
  receivedAt: string,
  warnings: readonly Warning[],
): Accepted {
  return warnings.length === 0
    ? { eventId, receivedAt }
    : { eventId, receivedAt, warnings: [...warnings] };
}
