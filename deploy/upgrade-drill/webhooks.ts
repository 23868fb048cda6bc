import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminClient } from '../demo/admin-client.ts';

/** What the customers' endpoints were sent, beside what was issued. */
export type WebhookCount = {
  issued: number;
  received: number;
  /** Issued and never received, received and never issued, received more than once: ids. */
  missing: string[];
  unknown: string[];
  twice: string[];
};

/** Counts again until all that was issued is received, for two minutes at most. */
export async function countWebhooks(
  admin: AdminClient,
  tenantIds: readonly string[],
  receivedFile: string,
): Promise<WebhookCount> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const count = await countOnce(admin, tenantIds, receivedFile);
    if (count.missing.length === 0 || Date.now() > deadline) return count;
    await delay(1_000);
  }
}

async function countOnce(
  admin: AdminClient,
  tenantIds: readonly string[],
  receivedFile: string,
): Promise<WebhookCount> {
  const issued = new Set<string>();
  for (const tenantId of tenantIds) {
    for await (const id of issuedTo(admin, tenantId)) issued.add(id);
  }
  const times = new Map<string, number>();
  for (const line of (await readFile(receivedFile, 'utf8')).split('\n')) {
    if (line === '') continue;
    const { eventId } = (JSON.parse(line) as { body: { eventId: string } }).body;
    times.set(eventId, (times.get(eventId) ?? 0) + 1);
  }
  return {
    issued: issued.size,
    received: times.size,
    missing: [...issued].filter((id) => !times.has(id)),
    unknown: [...times.keys()].filter((id) => !issued.has(id)),
    twice: [...times].filter(([, count]) => count > 1).map(([id]) => id),
  };
}

async function* issuedTo(admin: AdminClient, tenantId: string): AsyncGenerator<string> {
  type Page = { issuances: { webhookEventId: string }[]; nextCursor: string | null };
  let query = '?limit=200';
  for (;;) {
    const path = `/api/tenants/${tenantId}/issuances${query}`;
    const { issuances, nextCursor } = await admin.call<Page>('GET', path);
    for (const { webhookEventId } of issuances) yield webhookEventId;
    if (nextCursor === null) return;
    query = `?limit=200&cursor=${encodeURIComponent(nextCursor)}`;
  }
}
