import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deadLetterCodec } from '@tributary/contracts/dead-letter-record';
import { recordKey, topicName } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { connectTo, preparePool, silentLogger } from '@tributary/event-log/testing';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import { serviceTable } from '../deploy/local/service-table.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { type Answer, tokenFor } from '../test-e2e/calls.ts';
import { createCanaryCaller, makeCanaries } from './canary-requests.ts';
import { readLog, wiring } from './read-log.ts';

const canaries = makeCanaries(randomUUID().replaceAll('-', ''));

/**
 * No log line, metric, dead letter or error body leaks a secret, or the e-mail or name of a
 * referred person (design 4, promise 9), whichever way a request ends.
 */
describe('canaries', function () {
  everyTestAttacks('secrets');
  this.timeout(240_000);
  let stack: Stack;
  let tenant: DemoTenant;
  let token: string;
  const accepted: Answer[] = [];
  const refused: Answer[] = [];

  before(async () => {
    // Nothing could be found in files of compressed topics; what is in them is the same.
    const searched = { TRIBUTARY_LOG_LEVEL: 'debug', TRIBUTARY_KAFKA_COMPRESSION: 'none' };
    const variables = Object.fromEntries(serviceTable.map(({ name }) => [name, searched]));
    stack = await startThrowawayStack({ variables });
    tenant = stack.demo.tenants[0]!;
    token = await tokenFor(stack.demo, tenant);
    const caller = createCanaryCaller({ demo: stack.demo, tenant, token, canaries });
    const before = await deliveries();
    accepted.push(...(await caller.accepted()));
    refused.push(...(await caller.refused()));
    refused.push(...(await whileAway('redis', caller.duringAnOutage)));
    refused.push(await whileTheTableIsGone(caller.lookUp));
    refused.push(...(await whileAway('kafka', caller.duringAnOutage)));
    await putAsideABrokenPerson();
    // Every service has read what was accepted: its lines about it are written.
    await eventually(async () => expect(await deliveries()).to.be.above(before), {
      deadlineMs: 60_000,
    });
  });
  after(async () => {
    await stack?.stop();
  });

  it('were in requests of every outcome', () => {
    const statuses = new Set([...accepted, ...refused].map(({ status }) => status));
    const expected = [200, 201, 202, 400, 401, 404, 405, 409, 413, 415, 422, 431, 500, 503];
    expect([...statuses].sort()).to.deep.equal(expected);
    expect(accepted.filter(({ status }) => status >= 300)).to.deep.equal([]);
  });

  it('stand in no refusal, whatever was submitted, and no stack does', () => {
    for (const { status, body, headers } of refused.filter((answer) => answer.status >= 400)) {
      const text = JSON.stringify([body, [...headers]]);
      expect(found(text, allValues()), `${status} ${text}`).to.deep.equal([]);
      expect(text).to.not.match(/\\n *at |node_modules|\.[jt]s:\d|Error:/);
    }
  });

  it('stand in no other answer, if they are secret', () => {
    for (const { body, headers } of [...accepted, ...refused]) {
      const own = (body as { accessToken?: string }).accessToken;
      const text = JSON.stringify([body, [...headers]]).replace(own ?? '-', '');
      expect(found(text, secretValues()), text).to.deep.equal([]);
    }
  });

  it('stand in no log line of any process', () => {
    const logs = dirname(stack.services['ingest-api'].replicas[0]!.logFile);
    const files = readdirSync(logs);
    expect(files).to.include.members(serviceTable.map(({ name }) => `${name}.log`));
    for (const file of files) {
      const lines = readFileSync(join(logs, file), 'utf8').split('\n');
      const leaks = lines.filter((line) => found(line, secretValues()).length > 0);
      expect(leaks, file).to.deep.equal([]);
    }
  });

  it('leave a trace in the log all the same: the request id of every refusal', () => {
    const lines = (['ingest-api', 'widget'] as const)
      .map((name) => readFileSync(stack.services[name].replicas[0]!.logFile, 'utf8'))
      .join('\n');
    const problems = refused.map(({ status, body }) => ({ status, ...(body as object) }));
    const bySelf = new Set([409, 413, 415, 422, 500]);
    const ids = problems
      .filter(({ status }) => bySelf.has(status))
      .map((problem) => (problem as { instance?: string }).instance);
    expect(ids).to.have.length.above(6);
    for (const id of ids) expect(lines).to.include(`"requestId":"${id}"`);
  });

  it('stand in no metric', async () => {
    const replicas = Object.values(stack.services).flatMap((group) => group.replicas);
    for (const { adminPort, name } of [...replicas, stack.edgeMetrics]) {
      const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
      const text = await answer.text();
      expect(text).to.include('process_resident_memory_bytes');
      expect(found(text, allValues()), name).to.deep.equal([]);
    }
  });

  it('stand in no file of the servers: what is secret is sealed or digested there', () => {
    const { email: _email, name: _name, ...ofNobody } = canaries.secret;
    const secrets = [...Object.values(ofNobody), ...deploymentSecrets(), token];
    for (const place of ['kafka', 'redis', 'postgres', 'edge']) {
      const files = filesOf(place);
      expect(files, place).to.not.deep.equal([]);
      for (const file of files) {
        const text = readIfThere(file);
        const leaked = secrets.filter((secret) => text.includes(secret));
        expect(leaked, file).to.deep.equal([]);
      }
    }
    const events = filesOf('kafka').filter((file) => file.includes(topicName('events', wiring)));
    expect(events.map(readIfThere).join('')).to.contain(canaries.submitted.invoiceId);
  });

  it('stand in no argument of a process', () => {
    const pids = [
      ...Object.values(stack.services).flatMap((group) => group.replicas.map(({ pid }) => pid)),
      ...Object.values(stack.servers)
        .flat()
        .flatMap((server) => (typeof server === 'string' ? [] : [server.pid])),
      ...[stack.edge.pid, stack.receiver.pid, stack.shop.pid],
    ];
    const { kafka, postgres, redis } = stack.passwords;
    const passwords = [kafka, postgres, redis].flatMap((of) => Object.values(of));
    for (const pid of pids) {
      const given = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      expect(given, `${pid}`).to.not.equal('');
      expect(found(given, [...allValues(), ...passwords]), given).to.deep.equal([]);
    }
    expect(pids).to.have.length(15);
  });

  it('stand in no dead letter', async () => {
    const letters = await readLog(stack.demo, 'deadLetters', deadLetterCodec);
    const reasons = letters.map(({ value }) => value.type === 'put-aside' && value.reason);
    expect(reasons).to.have.members(['not-json', 'not-json', 'schema', 'schema']);
    for (const { value } of letters) {
      expect(value).to.include({ value: null });
      expect(found(JSON.stringify(value), secretValues())).to.deep.equal([]);
    }
  });

  async function whileAway(
    name: 'redis' | 'kafka',
    ask: () => Promise<Answer[]>,
  ): Promise<Answer[]> {
    await stack.servers[name].kill();
    try {
      return await ask();
    } finally {
      await stack.servers[name].restart();
      await stack.services['ingest-api'].ready();
      await stack.services['legacy-events'].ready();
    }
  }

  /** An honest 500: something that a retry does not mend. */
  async function whileTheTableIsGone(ask: () => Promise<Answer>): Promise<Answer> {
    const pool = await preparePool(stack.demo.postgresUrl, 'canary_admin');
    await pool.query('alter table ingest.owned_code rename to gone');
    try {
      return await ask();
    } finally {
      await pool.query('alter table ingest.gone rename to owned_code');
      await pool.end();
    }
  }

  /** What those who read people cannot read. */
  async function putAsideABrokenPerson(): Promise<void> {
    const kafka = connectTo(stack.demo);
    const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    const topic = topicName('people', wiring);
    await appender.start();
    try {
      const key = recordKey(tenant.tenantId, canaries.submitted.userId);
      const { email, name } = canaries.secret;
      const broken = JSON.stringify({ schemaVersion: 1, userId: 1, email, [email]: name, name });
      await eventually(() => expect(appender.health().ok).to.equal(true));
      await appender.append([
        { topic, key, value: broken },
        { topic, key, value: broken.slice(0, -3) },
      ]);
      await eventually(async () => {
        const letters = await readLog(stack.demo, 'deadLetters', deadLetterCodec);
        const readers = letters.flatMap(({ value }) =>
          value.type === 'put-aside' ? [value.reader] : [],
        );
        expect(readers).to.have.members(['portal-r2', 'portal-r2', 'widget-r2', 'widget-r2']);
      });
    } finally {
      await appender.stop();
    }
  }

  async function deliveries(): Promise<number> {
    const answer = await fetch(tenant.webhook.receivedUrl);
    return ((await answer.json()) as { deliveries: unknown[] }).deliveries.length;
  }

  function secretValues(): string[] {
    return [...Object.values(canaries.secret), ...deploymentSecrets(), token];
  }

  function deploymentSecrets(): string[] {
    const { secretAccessKey, productSecret, webhook } = tenant;
    return [secretAccessKey, productSecret, webhook.password, stack.demo.adminToken];
  }

  function filesOf(place: string): string[] {
    const root = dirname(dirname(stack.services['ingest-api'].replicas[0]!.logFile));
    return (
      readdirSync(join(root, 'data', place), { recursive: true, withFileTypes: true })
        // Indexes hold offsets only, and are 10 MiB of nothing each.
        .filter((entry) => entry.isFile() && !/\.(time|txn)?index\b/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
    );
  }

  function allValues(): string[] {
    return [...secretValues(), ...Object.values(canaries.submitted)];
  }
});

/** Gone between the listing and the reading, as segments are. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** As they are, and as base64 would show them. */
function found(text: string, values: readonly string[]): string[] {
  const decoded = [...text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([base64]) =>
    Buffer.from(base64, 'base64').toString('latin1'),
  );
  return values.filter((value) => [text, ...decoded].some((form) => form.includes(value)));
}
