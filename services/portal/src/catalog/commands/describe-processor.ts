import type { Static } from '@sinclair/typebox';
import type { ProcessorConnection } from '@tributary/contracts/admin/processor-answers';
import type { ProcessorConnectionRow } from '../db/processor-connections.ts';
import type { Deployment } from './deployment.ts';

/** What an operator may see of a connection: everything but key and secrets. */
export type ProcessorDescription = Static<typeof ProcessorConnection>;

export function describeProcessor(
  deployment: Pick<Deployment, 'clock' | 'publicUrl'>,
  row: Omit<ProcessorConnectionRow, 'version'>,
): ProcessorDescription {
  const { connectionId, status, apiVersion, taxPolicy, reason, changedBy, changedAt } = row;
  const overlap = overlapAt(row.previous, deployment.clock.now());
  return {
    connectionId,
    processor: 'stripe',
    status,
    apiVersion,
    livemode: row.livemode ?? null,
    taxPolicy,
    connectedAt: row.connectedAt?.toISOString() ?? null,
    webhookUrl: webhookUrlOf(deployment, connectionId),
    endpointId: row.endpoint?.id ?? null,
    ...(overlap && {
      previousEndpoint: { endpointId: overlap.id, until: overlap.until.toISOString() },
    }),
    ...(reason !== undefined && { reason }),
    ...(changedBy !== undefined && { changedBy }),
    changedAt: changedAt.toISOString(),
  };
}

export function webhookUrlOf({ publicUrl }: Pick<Deployment, 'publicUrl'>, id: string): string {
  return `${publicUrl}/processor/stripe/${id}`;
}

/** The rotated endpoint while its events are taken. */
export function overlapAt(
  previous: ProcessorConnectionRow['previous'],
  at: Date,
): ProcessorConnectionRow['previous'] {
  return previous !== undefined && previous.until > at ? previous : undefined;
}
