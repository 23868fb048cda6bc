import type { TaxPolicy } from '@tributary/contracts/processor-record';
import type {
  ProcessorConnectionRow,
  ProcessorConnectionStatus,
} from '../adapters/postgres/processor-connections.ts';
import type { Deployment } from './deployment.ts';

/** What an operator may see of a connection: everything but key and secrets. */
export type ProcessorDescription = {
  connectionId: string;
  processor: 'stripe';
  status: ProcessorConnectionStatus;
  apiVersion: string;
  /** null while it is opening. */
  livemode: boolean | null;
  taxPolicy: TaxPolicy;
  connectedAt: string | null;
  /** Where Stripe sends its events. */
  webhookUrl: string;
  endpointId: string | null;
  /** The rotated endpoint whose events are still accepted. */
  previousEndpoint?: { endpointId: string; until: string };
  reason?: string;
  changedBy?: string;
  changedAt: string;
};

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
