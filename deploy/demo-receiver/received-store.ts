import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Reward } from '../../packages/client/src/webhook.ts';

export type Grant = Omit<Reward, 'payload'>;

export type Received = {
  receivedAt: string;
  headers: Record<string, string>;
  body: unknown;
  duplicate: boolean;
};

/**
 * What arrived, newest last, and the grants it led to. Held in memory up to a bound per tenant;
 * with a file, every delivery is also a line there, and a restart takes the grants up again, so
 * that a retry of an old webhook is still a duplicate (6.1 rule 4).
 */
export function createReceivedStore(file: string | undefined) {
  const tenants = new Map<string, { deliveries: Received[]; grants: Map<string, Grant> }>();
  if (file !== undefined && existsSync(file)) readLines(file).forEach(remember);

  function add(
    tenantId: string,
    delivery: { headers: Record<string, string>; body: unknown },
    grant: Grant,
  ) {
    const duplicate = of(tenantId).grants.has(grant.eventId);
    const line = { tenantId, grant, ...delivery, receivedAt: new Date().toISOString(), duplicate };
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
    remember(line);
    return duplicate;
  }

  function remember({ tenantId, grant, ...delivery }: Line): void {
    const { deliveries, grants } = of(tenantId);
    deliveries.push(delivery);
    if (deliveries.length > deliveriesKept) deliveries.shift();
    if (!grants.has(grant.eventId)) grants.set(grant.eventId, grant);
  }

  function of(tenantId: string) {
    const found = tenants.get(tenantId) ?? { deliveries: [], grants: new Map<string, Grant>() };
    tenants.set(tenantId, found);
    return found;
  }

  return {
    /** Notes a delivery and says whether its event was granted before. */
    add,
    of(tenantId: string, newest: number): { deliveries: Received[]; grants: Grant[] } {
      const found = tenants.get(tenantId);
      const deliveries = found?.deliveries ?? [];
      return {
        deliveries: deliveries.slice(Math.max(0, deliveries.length - newest)),
        grants: [...(found?.grants.values() ?? [])],
      };
    },
  };
}

type Line = Received & { tenantId: string; grant: Grant };

const deliveriesKept = 10_000;

function readLines(file: string): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  // A kill in the middle of an append leaves a last line that is no JSON.
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}
