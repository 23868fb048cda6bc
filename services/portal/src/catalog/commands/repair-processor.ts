import {
  listProcessorConnections,
  type ProcessorConnectionRow,
} from '../db/processor-connections.ts';
import type { Check, Finding, NotDone, ProcessorQuestions } from './ask-processor.ts';
import { hasKey } from './connect-processor.ts';
import type { Deployment } from './deployment.ts';
import { overlapAt, webhookUrlOf } from './describe-processor.ts';
import { holdProcessor } from './hold-processor.ts';
import { seal } from './sealing.ts';
import { notActive, renewEndpoint, type RotateProcessorOutcome } from './rotate-processor.ts';
import { type ActiveConnection, isActive, storeProcessor } from './store-processor.ts';

export type RepairRequest = {
  /** In place of one that Stripe takes no more. */
  apiKey?: string;
  /**
   * In place of one that was changed at Stripe, or of a new endpoint whose secret Stripe does not
   * tell.
   */
  signingSecret?: string;
  by?: string;
};

export type RepairOutcome =
  /**
   * `repaired` names what was put right; the check is the one from before, undefined when it was
   * not asked for.
   */
  | {
      outcome: 'repaired';
      row: ProcessorConnectionRow;
      repaired: string[];
      check: Check | undefined;
    }
  | { outcome: 'not-checked'; answer: NotDone }
  | { outcome: 'key-in-use'; connectionId: string }
  | { outcome: 'other-account' }
  | { outcome: 'key-not-taken'; answer: NotDone }
  | Exclude<RotateProcessorOutcome, { outcome: 'rotated' | 'overlap-runs' }>;

type Change = Partial<Pick<ActiveConnection, 'endpoint' | 'previous' | 'sealedApiKey'>>;
type Put = {
  outcome: 'put-right';
  repaired: string[];
  check: Check | undefined;
  change: (at: Date) => Change;
};

/** As long as Stripe goes on trying to deliver what it could not. */
const overlapHours = 72;

/**
 * Puts right what can be put right from here: an endpoint that is gone, disabled or not as it was
 * made gets a successor, as when rotating; a key and a secret are replaced by those that are given.
 * What else a check finds is for people.
 */
export async function repairProcessor(
  deployment: Deployment,
  questions: ProcessorQuestions,
  connection: { tenantId: string; connectionId: string },
  input: RepairRequest,
): Promise<RepairOutcome> {
  return holdProcessor(deployment, connection, async ({ holder, row }): Promise<RepairOutcome> => {
    if (!isActive(row)) return notActive(row);
    const put =
      input.apiKey === undefined
        ? await repairEndpoint(deployment, questions, row, input)
        : await replaceKey(deployment, questions, row, { ...input, apiKey: input.apiKey });
    if (put.outcome !== 'put-right') return put;
    const { repaired, check, change } = put;
    if (repaired.length === 0) return { outcome: 'repaired', row, repaired, check };

    const changedBy = input.by ?? row.changedBy;
    const next = (at: Date) => ({ ...row, ...change(at), changedBy });
    const stored = await storeProcessor(deployment, holder, next);
    return stored ? { outcome: 'repaired', row: stored, repaired, check } : { outcome: 'busy' };
  });
}

async function repairEndpoint(
  deployment: Deployment,
  questions: ProcessorQuestions,
  row: ActiveConnection,
  { signingSecret }: RepairRequest,
): Promise<RepairOutcome | Put> {
  const checked = await questions.check(row);
  if (checked.outcome !== 'answered') return { outcome: 'not-checked', answer: checked };
  const check = checked.body;
  const broken = check.findings.filter(isOfEndpoint).map((finding) => finding.check);
  if (broken.length === 0) {
    const repaired = signingSecret === undefined ? [] : ['signing-secret'];
    return { ...replaceSecret(deployment, row, signingSecret), repaired, check };
  }
  const renewed = await renewEndpoint(deployment, questions, row, signingSecret);
  if (renewed.outcome !== 'renewed') return renewed;
  const change = (at: Date): Change => ({
    endpoint: renewed.endpoint,
    previous: previousOf(row, at),
  });
  return { outcome: 'put-right', repaired: broken, check, change };
}

/** What a new endpoint puts right: it is made as it must be. */
function isOfEndpoint({ check, ok }: Finding): boolean {
  return !ok && check.startsWith('endpoint');
}

/** One that was rotated away and still delivers is worth more than the broken one. */
function previousOf(row: ActiveConnection, at: Date): Change['previous'] {
  const until = new Date(at.getTime() + overlapHours * 3_600_000);
  return overlapAt(row.previous, at) ?? { ...row.endpoint, until };
}

function replaceSecret(
  deployment: Deployment,
  { tenantId, endpoint }: ActiveConnection,
  signingSecret: string | undefined,
) {
  const change = (): Change => {
    if (signingSecret === undefined) return {};
    const sealedSecret = seal(deployment, tenantId, 'processor-signing-secret', signingSecret);
    return { endpoint: { ...endpoint, sealedSecret } };
  };
  return { outcome: 'put-right', change } as const;
}

/**
 * The new key must be of the same account, as only there is the endpoint: another account is
 * another connection.
 */
async function replaceKey(
  deployment: Deployment,
  questions: ProcessorQuestions,
  row: ActiveConnection,
  { apiKey, signingSecret }: RepairRequest & { apiKey: string },
): Promise<RepairOutcome | Put> {
  const { pool } = deployment;
  const { tenantId, connectionId, apiVersion, endpoint } = row;
  const rows = await listProcessorConnections(pool, tenantId);
  const taken = rows.find(
    (one) => one.connectionId !== connectionId && hasKey(deployment, one, apiKey),
  );
  if (taken !== undefined) return { outcome: 'key-in-use', connectionId: taken.connectionId };

  const url = webhookUrlOf(deployment, connectionId);
  const asked = { apiKey, apiVersion, url, endpointId: endpoint.id };
  const answer = await questions.open(row, asked);
  if (answer.outcome !== 'answered') return { outcome: 'key-not-taken', answer };
  if (answer.body.endpoint.id !== endpoint.id) return { outcome: 'other-account' };
  const { change } = replaceSecret(deployment, row, signingSecret);
  return {
    outcome: 'put-right',
    repaired: ['api-key', ...(signingSecret === undefined ? [] : ['signing-secret'])],
    check: undefined,
    change: () => ({
      ...change(),
      sealedApiKey: seal(deployment, tenantId, 'processor-api-key', apiKey),
    }),
  };
}
