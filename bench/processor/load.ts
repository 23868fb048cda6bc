import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signStripe } from '@tributary/testkit/stripe/deliver-events';
import { bodyOf, idsOf } from './paid-invoices.ts';

const script = fileURLToPath(new URL('events.lua', import.meta.url));
const mostPerSecond = 12_000;

export type EventLoad = Record<'requests' | 'seconds' | 'p50Ms' | 'p99Ms' | 'failed', number>;

/**
 * Writes requests that are new, signed so that the generator need not; gives what sends them: 128
 * connections of wrk on the second core, as for `ingest`.
 */
export async function prepareLoad(options: {
  template: string;
  signingSecret: string;
  customers: number;
  /** Number of the first one; the first free one is `next`. */
  from: number;
  seconds: number;
  dir: string;
}): Promise<{ next: number; send: (url: string) => Promise<EventLoad> }> {
  const { template, signingSecret, customers, from, seconds, dir } = options;
  const count = seconds * mostPerSecond;
  const lines = Array.from({ length: count }, (_, i) => {
    const ids = idsOf(from + i, customers);
    const signature = signStripe(bodyOf(template, ids), { secrets: [signingSecret] });
    return `${ids.event} ${ids.invoice} ${ids.customer} ${signature}\n`;
  });
  const files = { TEMPLATE: join(dir, 'template.json'), EVENTS: join(dir, 'events.txt') };
  await writeFile(files.TEMPLATE, template);
  await writeFile(files.EVENTS, lines.join(''));

  async function send(url: string): Promise<EventLoad> {
    const wrk = `-c 1 wrk -t1 -c128 -d${seconds}s --timeout 10s -s`.split(' ');
    const env = { PATH: process.env['PATH'], ...files };
    const { stdout } = await promisify(execFile)('taskset', [...wrk, script, url], { env });
    const line = stdout.split('\n').find((text) => text.startsWith('{'));
    if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
    const load = JSON.parse(line) as EventLoad;
    if (load.failed > 0) throw new Error(`not answered with 2xx: ${line}`);
    if (load.requests > count) throw new Error('more requests than events: some were repeats');
    return load;
  }
  return { next: from + count, send };
}
