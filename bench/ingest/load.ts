import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const script = fileURLToPath(new URL('purchases.lua', import.meta.url));

export type Load = {
  requests: number;
  /** Answers per second that are 2xx. */
  perSecond: number;
  /** Answers per second that are not. */
  refusedPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that are not 2xx. */
  refused: number;
  /** Socket errors and timeouts. */
  broken: number;
};

/**
 * 128 connections of wrk on the second core: purchases with an invoice of their own, or one body
 * again and again.
 */
export async function runLoad(options: {
  url: string;
  token: string;
  keyed: boolean;
  seconds: number;
  body?: string;
}): Promise<Load> {
  const { url, token, keyed, seconds, body } = options;
  const args = [
    '-c',
    '1',
    'wrk',
    '-t1',
    '-c128',
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
  ];
  const { stdout } = await run('taskset', [...args, url], {
    env: {
      PATH: process.env['PATH'],
      TOKEN: token,
      KEYED: keyed ? '1' : '0',
      RUN: `${Date.now().toString(36)}`,
      OCCURRED_AT: new Date().toISOString(),
      ...(body === undefined ? {} : { BODY: body }),
    },
  });
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
  const result = JSON.parse(line) as {
    requests: number;
    seconds: number;
    p50Ms: number;
    p99Ms: number;
    refused: number;
    broken: number;
  };
  return {
    ...result,
    perSecond: (result.requests - result.refused) / result.seconds,
    refusedPerSecond: result.refused / result.seconds,
  };
}
