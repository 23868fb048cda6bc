import {
  deleteOpeningConnection,
  type ProcessorConnectionRow,
} from '../db/processor-connections.ts';
import type { NotDone, ProcessorQuestions } from './ask-processor.ts';
import type { Deployment } from './deployment.ts';
import { type Held, holdProcessor } from './hold-processor.ts';
import { open } from './sealing.ts';
import { storeProcessor } from './store-processor.ts';

export type DisconnectRequest = {
  by: string;
  reason: string;
  /** Ends it here also when nothing can be removed at Stripe. */
  force?: boolean;
};

export type DisconnectOutcome =
  /** `left`: endpoints that are still at Stripe. `forgotten`: it was never open. */
  | {
      outcome: 'disconnected';
      row: ProcessorConnectionRow;
      removed: string[];
      left: string[];
      forgotten: boolean;
    }
  | { outcome: 'not-closed'; answer: NotDone }
  | { outcome: 'no-connection' | 'busy' };

/**
 * Stripe first, and then here: a connection whose endpoints are still at Stripe is still taking
 * events, and knows the key to remove them with. So while processor-events or Stripe cannot be
 * asked nothing changes; who dies in between leaves a connection without endpoints, which a check
 * says, and disconnecting again ends it. Only `force` ends it without Stripe: for a key that is
 * taken no more. Events that come then are refused, as of no connection. Facts stay in any case.
 */
export async function disconnectProcessor(
  deployment: Deployment,
  questions: ProcessorQuestions,
  connection: { tenantId: string; connectionId: string },
  input: DisconnectRequest,
): Promise<DisconnectOutcome> {
  return holdProcessor(deployment, connection, async (held): Promise<DisconnectOutcome> => {
    const { row } = held;
    if (row.status === 'disconnected') return ended(row, [], []);
    const closed = await questions.close(connection, openingOf(deployment, row));
    if (closed.outcome !== 'answered' && !input.force)
      return { outcome: 'not-closed', answer: closed };
    const removed = closed.outcome === 'answered' ? closed.body.removed : [];
    const left = closed.outcome === 'answered' ? [] : endpointsOf(row);
    return row.status === 'opening'
      ? forget(deployment, held, removed)
      : end(deployment, held, { input, removed, left });
  });
}

/** The catalog has neither key nor version of it. */
function openingOf(deployment: Deployment, row: ProcessorConnectionRow) {
  const { status, sealedApiKey, tenantId, apiVersion } = row;
  if (status !== 'opening' || sealedApiKey === undefined) return undefined;
  return { apiKey: open(deployment, tenantId, 'processor-api-key', sealedApiKey), apiVersion };
}

function endpointsOf({ endpoint, previous }: ProcessorConnectionRow): string[] {
  return [endpoint, previous].flatMap((one) => (one === undefined ? [] : [one.id]));
}

async function forget(
  { pool }: Deployment,
  { holder, row }: Held,
  removed: string[],
): Promise<DisconnectOutcome> {
  const isGone = await deleteOpeningConnection(pool, holder, row.connectionId);
  return isGone ? { ...ended(row, removed, []), forgotten: true } : { outcome: 'busy' };
}

async function end(
  deployment: Deployment,
  { holder, row }: Held,
  { input, removed, left }: { input: DisconnectRequest; removed: string[]; left: string[] },
): Promise<DisconnectOutcome> {
  const stored = await storeProcessor(deployment, holder, () => ({
    ...row,
    status: 'disconnected',
    livemode: row.livemode ?? false,
    sealedApiKey: undefined,
    endpoint: undefined,
    previous: undefined,
    reason: input.reason,
    changedBy: input.by,
  }));
  return stored === undefined ? { outcome: 'busy' } : ended(stored, removed, left);
}

function ended(row: ProcessorConnectionRow, removed: string[], left: string[]) {
  return { outcome: 'disconnected', row, removed, left, forgotten: false } as const;
}
