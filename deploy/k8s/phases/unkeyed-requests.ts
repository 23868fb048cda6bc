import { setTimeout as delay } from 'node:timers/promises';
import type { World } from '../world.ts';

/** Reports purchases without an idempotency key through the edge, and counts the answers. */
export async function unkeyedRequests(
  { baseUrl, clients, codes, signal }: World,
  { forMs, everyMs }: { forMs: number; everyMs: number },
): Promise<Record<string, number>> {
  const { tenantId, ucc } = codes[0]!;
  const token = await clients[tenantId]!.accessToken();
  const answers: Record<string, number> = {};
  const deadline = performance.now() + forMs;
  for (let i = 0; performance.now() < deadline; i++) {
    const answer = await report({ baseUrl, token, ucc, i });
    answers[answer] = (answers[answer] ?? 0) + 1;
    await delay(everyMs, undefined, { signal });
  }
  return answers;
}

async function report(request: {
  baseUrl: string;
  token: string;
  ucc: string;
  i: number;
}): Promise<string> {
  const { baseUrl, token, ucc, i } = request;
  try {
    const response = await fetch(`${baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({
        ucc,
        occurredAt: new Date().toISOString(),
        newUser: { id: `unkeyed-${i}` },
        currency: 'USD',
        invoiceId: `unkeyed-invoice-${i}`,
        amount: 4_900,
        subscription: { interval: 'monthly' },
      }),
      signal: AbortSignal.timeout(10_000),
    });
    await response.body?.cancel();
    return String(response.status);
  } catch {
    return 'no answer';
  }
}
