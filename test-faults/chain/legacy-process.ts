import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createTokenSigner } from '@tributary/http/tokens';
import {
  makeTokenSigningKey,
  parseTokenSigningKey,
  verifyKeyOf,
} from '@tributary/runtime/token-keys';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import type { Topics } from './topics.ts';

const service = new URL('../../services/legacy-events/', import.meta.url);
const shiftDate = new URL('../shift-date.ts', import.meta.url);

/** A process of legacy-events on the topics of a chain, whose clock is off by so many hours. */
export type LegacyProcess = {
  /** Sends one event of `tenantId`; resolves with status and body of the answer. */
  post(body: object): Promise<{ status: number; body: unknown }>;
  stop(): Promise<void>;
};

export async function startLegacyProcess(options: {
  topics: Topics;
  key: { tenantId: string; accessKeyId: string };
  hoursOff: number;
  logFile: string;
}): Promise<LegacyProcess> {
  const { topics, key, hoursOff, logFile } = options;
  const [port, adminPort] = await freePorts(2);
  const tokenKey = makeTokenSigningKey('k1');
  const log = openSync(logFile, 'a', 0o600);
  const offsetMs = hoursOff * 3_600_000;
  const child = spawn(
    process.execPath,
    ['--import', fileURLToPath(shiftDate), fileURLToPath(new URL('src/main.ts', service))],
    {
      cwd: fileURLToPath(service),
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env['PATH'] ?? '',
        TEST_SHIFT_DATE_MS: String(offsetMs),
        SERVICE_ENV: 'sandbox',
        TRIBUTARY_HOST: '127.0.0.1',
        TRIBUTARY_PORT: String(port),
        TRIBUTARY_ADMIN_PORT: String(adminPort),
        TRIBUTARY_KAFKA_BROKERS: topics.kafkaSettings.brokers.join(','),
        TRIBUTARY_TOPIC_PREFIX: topics.prefix,
        TRIBUTARY_TOPIC_REPLICATION: '1',
        TRIBUTARY_TOPIC_MIN_INSYNC: '1',
        TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(tokenKey),
      },
    },
  );
  closeSync(log);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  const sign = createTokenSigner({
    key: parseTokenSigningKey(tokenKey),
    environment: 'sandbox',
    clock: { now: () => new Date(Date.now() + offsetMs) },
    lifetimeSeconds: 300,
  });
  try {
    await eventually(
      async () => {
        expect(child.exitCode, readFileSync(logFile, 'utf8')).to.equal(null);
        const { status } = await fetch(`http://127.0.0.1:${adminPort}/readyz?all`);
        expect(status).to.equal(200);
      },
      { deadlineMs: 60_000, everyMs: 100 },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    async post(body) {
      const answer = await fetch(`http://127.0.0.1:${port}/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sign(key).accessToken}` },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: await answer.json() };
    },
  };
}
