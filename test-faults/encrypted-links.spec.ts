import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createAuthority } from '@tributary/native-servers/certificates';
import { withAdmin } from '@tributary/event-log/with-admin';
import { createKafka } from '@tributary/event-log/kafka';
import { silentLogger } from '@tributary/event-log/testing';
import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { playMainJob } from '../deploy/demo/main-job.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';

const note = (what: string) => attackMade('principals', `links: ${what}`);

/**
 * The whole system with SASL and TLS at Kafka, and with TLS at Postgres and Redis, as production
 * wants it: certificates of one authority, which all services are told of.
 */
describe('links that are encrypted', function () {
  this.timeout(180_000);
  let stack: Stack;
  let ca: string;

  before(async () => {
    stack = await startThrowawayStack({ tls: true });
    ca = readFileSync(stack.demo.caFile!, 'utf8');
  });
  after(() => stack?.stop());

  it('carry the main job, with every service ready', async () => {
    const [tenant] = stack.demo.tenants;
    const { baseUrl } = stack.demo;
    const { receivedUrl } = tenant!.webhook;
    const job = await playMainJob({
      baseUrl,
      tenant: tenant!,
      receivedUrl,
      deadlineMs: patiently(60_000),
    });
    expect(job.accepted.status).to.equal(202);
    for (const group of Object.values(stack.services)) await group.ready();
  });

  it('are all that services have at Postgres, and Redis has no others', async () => {
    const db = new pg.Client({ connectionString: stack.demo.postgresUrl, ssl: { ca } });
    await db.connect();
    // A connection that nobody needs for a while is closed.
    const rows = await eventually(async () => {
      const found = await db.query<{ usename: string; ssl: boolean; version: string }>(
        `select distinct usename, ssl, version from pg_stat_activity join pg_stat_ssl using (pid)
         where usename like 'tributary%'`,
      );
      expect(found.rows.map(({ usename }) => usename)).to.have.length.at.least(8);
      return found.rows;
    });
    await db.end();
    for (const { usename, ssl, version } of rows) {
      expect([ssl, version], usename).to.deep.equal([true, 'TLSv1.3']);
    }
    const redis = new Redis(stack.demo.redisUrl, { tls: { ca } });
    const clients = String(await redis.client('LIST'));
    redis.disconnect();
    expect(clients).to.contain('user=tributary_ingest_api');
  });

  it('are the only ones: who speaks in plain text is refused, with the right password too', async () => {
    const { postgresUrl, redisUrl } = stack.demo;
    const plain = new pg.Client({ connectionString: postgresUrl });
    expect(await failure(plain.connect())).to.match(/no pg_hba\.conf entry .* no encryption/);
    note('Postgres in plain text');

    const { port } = new URL(redisUrl);
    expect(await answerTo(connect({ port: Number(port), host: '127.0.0.1' }))).to.not.match(/PONG/);
    note('Redis in plain text');

    const kafka = kafkaWith(undefined);
    expect(await failure(withAdmin(kafka, (admin) => admin.listTopics()))).to.match(
      /closed|disconnected|ECONNRESET|timed? ?out/i,
    );
    note('Kafka in plain text');
  });

  it('are not made to a server that somebody else has signed for', async () => {
    const other = createAuthority({ days: 1, now: new Date() }).certificate;
    const unknown = /unable to verify|self-signed|signature failure/i;
    const { postgresUrl, redisUrl } = stack.demo;
    const db = new pg.Client({ connectionString: postgresUrl, ssl: { ca: other } });
    expect(await failure(db.connect())).to.match(unknown);
    const socket = connectTls({ port: Number(new URL(redisUrl).port), ca: other });
    expect(await failure(once(socket, 'secureConnect'))).to.match(unknown);
    const kafka = kafkaWith({ ca: other });
    expect(await failure(withAdmin(kafka, (admin) => admin.listTopics()))).to.match(unknown);
    for (const server of ['Postgres', 'Redis', 'Kafka']) note(`${server} of another authority`);
  });

  it('come back when each of the servers has been restarted', async () => {
    const { kafka, redis, postgres } = stack.servers;
    for (const server of [kafka, redis, postgres]) await server.restart();
    const [tenant] = stack.demo.tenants;
    const { receivedUrl } = tenant!.webhook;
    const { baseUrl } = stack.demo;
    const job = await eventually(
      () => playMainJob({ baseUrl, tenant: tenant!, receivedUrl, deadlineMs: patiently(60_000) }),
      { deadlineMs: 90_000 },
    );
    expect(job.accepted.status).to.equal(202);
  });

  function kafkaWith(tls: { ca: string } | undefined) {
    const { kafkaBrokers, kafkaSasl } = stack.kafka;
    const settings = { brokers: [kafkaBrokers], sasl: kafkaSasl, ...(tls && { tls }) };
    return createKafka({ settings, clientId: 'stranger', logger: silentLogger });
  }
});

/** In words, with all that stands behind them. */
async function failure(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'nothing was refused';
  } catch (error) {
    const said: string[] = [];
    for (let at: unknown = error; at instanceof Error; at = at.cause) said.push(at.message);
    return said.join(': ');
  }
}

/** What comes back before the other side closes. */
async function answerTo(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => undefined);
  socket.on('connect', () => socket.write('PING\r\n'));
  await new Promise((resolve) => socket.on('close', resolve));
  return Buffer.concat(parts).toString('latin1');
}
