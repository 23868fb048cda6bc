import { text } from 'node:stream/consumers';
import { createTributaryClient } from '@tributary/client';
import { TributaryError, TributaryProblem } from '@tributary/client/errors';

const { baseUrl, accessKeyId, secretAccessKey, steps } = JSON.parse(await text(process.stdin));
const client = createTributaryClient({
  ...{ baseUrl, accessKeyId, secretAccessKey, maxAttempts: 3 },
  // A slow machine must not add attempts.
  ...{ timeoutMs: 60_000, deadlineMs: 300_000 },
});
const results = [];

for (const { call, event, argument, eventOf, idempotencyKey } of steps) {
  try {
    if (event !== undefined) {
      results.push({ accepted: await client[call](event, { idempotencyKey }) });
    } else {
      const id = eventOf === undefined ? argument : results[eventOf].accepted.eventId;
      results.push({ found: (await client[call](id)) ?? null });
    }
  } catch (error) {
    if (!(error instanceof TributaryError)) throw error;
    const { code, status, errors } = error instanceof TributaryProblem ? error : {};
    const { attempts, idempotencyKey: key } = error;
    const pointers = (errors ?? []).map(({ pointer }) => pointer).sort();
    results.push({ refused: { code, status, attempts, pointers }, key });
  }
}
process.stdout.write(JSON.stringify(results));
