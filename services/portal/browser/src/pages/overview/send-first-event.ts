import { api } from '../../api/browser-client.ts';

/** A key that has just been made is known to whoever gives tokens within a moment. */
const tokenAttempts = 20;

/**
 * Reports a signup as a customer's backend does, over the public API: with an access key of its
 * own, which is made for it and revoked at once.
 *
 * @throws what refused it, in its words.
 */
export async function sendFirstEvent(
  tenantId: string,
  { ucc, newUserId }: { ucc: string; newUserId: string },
): Promise<void> {
  const { accessKeyId, secretAccessKey } = await api.call('issueAccessKey', {
    path: { tenantId },
    body: { name: 'First run' },
  });
  try {
    const token = await tokenFor({ accessKeyId, secretAccessKey });
    const event = { ucc, occurredAt: new Date().toISOString(), newUser: { id: newUserId } };
    const answer = await post('/v2/events/signup-created', event, {
      authorization: `Bearer ${token}`,
      'idempotency-key': newUserId,
    });
    if (!answer.ok) throw new Error(`POST /v2/events/signup-created: ${answer.status}`);
  } finally {
    await api.call('revokeAccessKey', { path: { tenantId, accessKeyId } });
  }
}

async function tokenFor(key: { accessKeyId: string; secretAccessKey: string }): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post('/token', key);
    if (answer.ok) return ((await answer.json()) as { accessToken: string }).accessToken;
    if (attempt === tokenAttempts) throw new Error(`POST /token: ${answer.status}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    credentials: 'omit',
    redirect: 'error',
  });
}
