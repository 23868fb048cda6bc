import type { ProcessorConnectionRow, SealedEndpoint } from '../db/processor-connections.ts';
import type { NotDone, ProcessorQuestions } from './ask-processor.ts';
import { secretOf } from './connect-processor.ts';
import type { Deployment } from './deployment.ts';
import { overlapAt } from './describe-processor.ts';
import { holdProcessor } from './hold-processor.ts';
import { seal } from './sealing.ts';
import { type ActiveConnection, isActive, storeProcessor } from './store-processor.ts';

export type RotateProcessorOutcome =
  | { outcome: 'rotated'; row: ProcessorConnectionRow }
  /** Until when two secrets hold already. */
  | { outcome: 'overlap-runs'; until: Date }
  | { outcome: 'not-renewed'; answer: NotDone }
  | { outcome: 'no-secret'; endpointId: string }
  | { outcome: 'not-active'; status: 'opening' | 'disconnected' }
  | { outcome: 'no-connection' | 'busy' };

/**
 * A second endpoint at Stripe with a secret of its own; the events of both are taken until the
 * overlap is over, and then processor-events removes the first. Each event that happens meanwhile
 * comes by both, and counts once.
 *
 * Not while an overlap runs: what Stripe still tries to deliver to the first endpoint, for up to
 * three days, is signed by its secret, and a connection has room for two. What would be taken from
 * it is lost until somebody reconciles.
 */
export async function rotateProcessor(
  deployment: Deployment,
  questions: ProcessorQuestions,
  connection: { tenantId: string; connectionId: string },
  input: { overlapHours: number; signingSecret?: string; by?: string },
): Promise<RotateProcessorOutcome> {
  return holdProcessor(
    deployment,
    connection,
    async ({ holder, row }): Promise<RotateProcessorOutcome> => {
      if (!isActive(row)) return notActive(row);
      const overlap = overlapAt(row.previous, deployment.clock.now());
      if (overlap !== undefined) return { outcome: 'overlap-runs', until: overlap.until };

      const renewed = await renewEndpoint(deployment, questions, row, input.signingSecret);
      if (renewed.outcome !== 'renewed') return renewed;
      const stored = await storeProcessor(deployment, holder, (at) => ({
        ...row,
        endpoint: renewed.endpoint,
        previous: {
          ...row.endpoint,
          until: new Date(at.getTime() + input.overlapHours * 3_600_000),
        },
        changedBy: input.by ?? row.changedBy,
      }));
      return stored === undefined ? { outcome: 'busy' } : { outcome: 'rotated', row: stored };
    },
  );
}

export type Renewal =
  | { outcome: 'renewed'; endpoint: SealedEndpoint }
  | { outcome: 'not-renewed'; answer: NotDone }
  | { outcome: 'no-secret'; endpointId: string };

export async function renewEndpoint(
  deployment: Deployment,
  questions: ProcessorQuestions,
  row: ActiveConnection,
  signingSecret: string | undefined,
): Promise<Renewal> {
  const answer = await questions.renew(row, row.endpoint.id);
  if (answer.outcome !== 'answered') return { outcome: 'not-renewed', answer };
  const { endpoint } = answer.body;
  const secret = secretOf(endpoint, signingSecret);
  if (secret === undefined) return { outcome: 'no-secret', endpointId: endpoint.id };
  const sealedSecret = seal(deployment, row.tenantId, 'processor-signing-secret', secret);
  return { outcome: 'renewed', endpoint: { id: endpoint.id, sealedSecret } };
}

export function notActive({ status }: ProcessorConnectionRow) {
  return {
    outcome: 'not-active',
    status: status === 'opening' ? 'opening' : 'disconnected',
  } as const;
}
