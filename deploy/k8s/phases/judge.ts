import { decidedTwice, readDecisions } from '../../../test-faults/decided-once.ts';
import { workLeft } from '../../../test-faults/matrix/recovery.ts';
import type { Accepted } from '../../upgrade-drill/traffic.ts';
import { countWebhooks } from '../../upgrade-drill/webhooks.ts';
import { until } from '../cluster/until.ts';
import type { World } from '../world.ts';

export type Judgement = {
  /** In a few words, for the table. */
  seen: string;
  /** Webhooks that came more than once. */
  repeated: number;
  /** What was lost or doubled, one sentence each. */
  mistakes: string[];
};

/**
 * Waits until nothing is left to do, then looks from outside at what became of all that was
 * accepted: each event decided once, by the log; each issuance sent under its own id, by what the
 * customers' endpoints got.
 *
 * @param mayRepeat whether a process was killed meanwhile, which may have sent a webhook and not
 *   lived to note it.
 */
export async function judge(
  world: World,
  accepted: readonly Accepted[],
  { mayRepeat, deadlineMs = 180_000 }: { mayRepeat: boolean; deadlineMs?: number },
): Promise<Judgement> {
  const { db, servers, admin, tenants, receivedFile, signal } = world;
  let left: string | undefined;
  const done = await until('nothing is left to do', { deadlineMs, signal }, async () => {
    left = await workLeft(servers.kafkaAccess, db);
    return left === undefined;
  }).catch(() => false);
  const decisions = await readDecisions(servers.kafkaAccess);
  const ids = new Set(accepted.map(({ eventId }) => eventId));
  const undecided = [...ids].filter((id) => !decisions.has(id));
  const tenantIds = tenants.map(({ tenantId }) => tenantId);
  const webhooks = await countWebhooks(admin, tenantIds, receivedFile);
  const repeated = webhooks.twice.length;
  return {
    seen:
      `${ids.size - undecided.length} of ${ids.size} decided, ` +
      `${webhooks.received} of ${webhooks.issued} webhooks, ${repeated} repeated`,
    repeated,
    mistakes: [
      ...(done ? [] : [`still to do: ${left}`]),
      ...undecided.map((id) => `event ${id} was accepted and not decided`),
      ...decidedTwice(decisions),
      ...webhooks.missing.map((id) => `webhook ${id} was issued and not received`),
      ...webhooks.unknown.map((id) => `webhook ${id} was received and not issued`),
      ...(mayRepeat ? [] : webhooks.twice.map((id) => `webhook ${id} was received twice`)),
    ],
  };
}
