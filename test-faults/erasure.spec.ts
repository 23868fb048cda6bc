import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogCodec } from '@tributary/contracts/catalog-record';
import { segmentRollKey, personCodec } from '@tributary/contracts/people-record';
import { recordKey, type Topic, topicName, topics } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import { keysOfPartitions } from '@tributary/event-log/partitioner';
import { connectTo, replaceTopicSettings, silentLogger } from '@tributary/event-log/testing';
import { packEntries } from '@tributary/event-log/outbox-rows';
import { countPartitions } from '@tributary/event-log/topic-admin';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import { serviceTable } from '../deploy/local/service-table.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { runTributary } from '../packages/cli/src/run-tributary.ts';
import { unpackDump } from '../services/portal/src/testing/unpack-dump.ts';
import { widgetToken } from '../test-e2e/browser/widget-token.ts';
import { call, purchase, tokenFor } from '../test-e2e/calls.ts';
import { startRewardReceiver } from '../test-e2e/reward-receiver.ts';
import { readLog, textCodec, wiring } from './read-log.ts';

const run = randomUUID().replaceAll('-', '').slice(0, 12);
const canaries = [
  ...[`mailv2${run}`, `namev2${run}`, `maillegacy${run}`, `namelegacy${run}`],
  ...[`mailwidget${run}`, `fullwidget${run}`, `firstwidget${run}`, `lastwidget${run}`],
  ...[`mailleaving${run}`, `nameleaving${run}`],
];
/** They go with their tenant. */
const leaving = canaries.slice(8);
/** What the customer's receiver tells of whoever is rewarded; never on the log. */
const told = `told${run}`;
/** Somebody who signs in and changes something; never on the log either. */
const operator = { email: `mailoperator${run}@example.com`, name: `nameoperator${run}` };
const all = [...canaries, told, `mailoperator${run}`, operator.name];
const people = {
  v2: { id: `v2-${run}`, email: `${canaries[0]}@example.com`, name: canaries[1] },
  legacy: { id: `legacy-${run}`, email: `${canaries[2]}@example.com`, name: canaries[3] },
  widget: {
    id: `widget-${run}`,
    details: {
      ...{ email: `${canaries[4]}@example.com`, fullName: canaries[5] },
      ...{ firstName: canaries[6], lastName: canaries[7] },
    },
  },
  leaving: {
    id: `leaving-${run}`,
    details: { email: `${leaving[0]}@example.com`, fullName: leaving[1] },
  },
  bystander: { id: `other-${run}`, email: `bystander${run}@example.com`, name: 'Other' },
};

/**
 * Erasing forgets e-mail and name everywhere, and nothing else (design 5): the canaries went in by
 * every way there is, what a receiver answered and who operates it included; after the erasure and
 * Kafka's compaction
 * they stand in no topic, table, Redis key, log or file of the servers. Decisions and balances are
 * as before.
 */
describe('erasing a person', function () {
  everyTestAttacks('personal data');
  this.timeout(240_000);
  let stack: Stack;
  let tenant: DemoTenant;
  let db: pg.Client;
  let appender: Appender;
  let receiver: Awaited<ReturnType<typeof startRewardReceiver>>;
  let stored: string;
  let operatorId: string;
  let peopleBefore: Awaited<ReturnType<typeof readPeople>>;
  const peopleTopic = topicName('people', wiring);

  before(async () => {
    // Nothing could be found in files of compressed topics; what is in them is the same.
    const searched = { TRIBUTARY_LOG_LEVEL: 'debug', TRIBUTARY_KAFKA_COMPRESSION: 'none' };
    const variables = Object.fromEntries(serviceTable.map(({ name }) => [name, searched]));
    stack = await startThrowawayStack({ variables });
    tenant = stack.demo.tenants[0]!;
    db = new pg.Client({ connectionString: stack.demo.postgresUrl });
    await db.connect();
    appender = createAppender({
      kafka: connectTo(stack.demo),
      logger: silentLogger,
      deadlineMs: 30_000,
    });
    await appender.start();
    receiver = await startRewardReceiver(told);
    const webhook = { url: receiver.url, username: 'hook', password: 'hook-password' };
    const put = await admin('PUT', 'webhook', webhook);
    expect(put.status, JSON.stringify(put.body)).to.be.oneOf([200, 201]);
    operatorId = await changeAsOperator();
    await reportPurchases();
    await bootWidget(tenant, people.widget);
    await bootWidget(stack.demo.tenants[1]!, people.leaving);
    await eventually(async () => expect(await knownPeople()).to.have.length(5), {
      deadlineMs: 60_000,
    });
    // The widget service has a table of its own.
    await eventually(async () => expect(found(await tables())).to.deep.equal(all));
    await eventually(async () => expect(await settled()).to.equal(true), { deadlineMs: 60_000 });
    stored = await decisionsAndBalances();
    peopleBefore = await readPeople();
  });
  after(async () => {
    await receiver?.stop();
    await appender?.stop();
    await db?.end();
    await stack?.stop();
  });

  it('begins with canaries that can be found in topic, table and file', async () => {
    expect(found(JSON.stringify(peopleBefore))).to.deep.equal(canaries);
    expect(found(await tables())).to.deep.equal(all);
    expect(found(filesOf('data/kafka'))).to.deep.equal(canaries);
  });

  it('would find them in what is packed, and in the files of every topic', async () => {
    const { legacy, v2 } = people;
    // Only the packed column of each table, so that no other one helps.
    await eventually(async () => {
      const facts = await shown('select fact from portal_read_r2.event');
      expect(facts).to.contain(`legacy-${run}"`);
    });
    await eventually(async () => {
      const bodies = await shown('select body from dispatch.delivery');
      expect(bodies).to.contain(tenant.referrer.productUserId).and.contain('new-reward');
    });
    const entry = { topic: 'people', key: 'k', value: JSON.stringify(v2) };
    await db.query('begin');
    await db.query(
      `insert into portal.outbox (records, record_count, keys) values ($1, 1, '{k}')`,
      [packEntries([entry])],
    );
    const waiting = await shown('select records from portal.outbox');
    await db.query('rollback');
    expect(found(waiting)).to.deep.equal(canaries.slice(0, 2));
    for (const topic of ['events', 'attributions', 'rewards'] as const) {
      const files = filesOf('data/kafka', topicName(topic, wiring));
      expect(files, topic).to.contain(v2.id).and.contain(legacy.id);
    }
  });

  it('erases everybody of a tenant that is removed, and nobody else', async () => {
    const { tenantId } = stack.demo.tenants[1]!;
    const at = `/api/tenants/${tenantId}`;
    expect((await ask('POST', `${at}/suspend`)).status).to.equal(200);
    await eventually(async () => {
      const exportedUntil = new Date(Date.now() - 5_000).toISOString();
      const { status, body } = await ask('POST', `${at}/remove`, { body: { exportedUntil } });
      expect(status, JSON.stringify(body)).to.equal(200);
      // Seldom, as each try is in the audit list.
    }, seldom);
    await eventually(async () => {
      const others = all.filter((text) => !leaving.includes(text));
      expect(found(await tables())).to.deep.equal(others);
    }, slowly);
  });

  it('nulls the read models at once, by the admin API and by the command line', async () => {
    for (const userId of [people.v2.id, people.widget.id, tenant.referrer.productUserId]) {
      expect((await admin('POST', 'people/erase', { userId })).status).to.equal(200);
    }
    const removed = await ask('DELETE', `/api/operators/${operatorId}`);
    expect(removed.body).to.deep.include({ forgotten: true });
    const printed: string[] = [];
    const code = await runTributary({
      argv: ['person', 'erase', people.legacy.id, '--tenant', tenant.tenantId],
      env: {
        TRIBUTARY_ADMIN_URL: stack.demo.baseUrl,
        TRIBUTARY_ADMIN_TOKEN: stack.demo.adminToken,
      },
      cwd: '/',
      input: (async function* () {})(),
      out: (text) => void printed.push(text),
      err: (text) => void printed.push(text),
    });
    expect(code, printed.join('\n')).to.equal(0);
    await eventually(async () => expect(await knownPeople()).to.deep.equal([people.bystander.id]));
    await eventually(async () => expect(found(await tables())).to.deep.equal([]));
  });

  it('leaves of an operator an opaque id, in what they did and in the audit list', async () => {
    const changes = (await readLog(stack.demo, 'catalog', catalogCodec)).flatMap(({ value }) =>
      value.entity === 'webhook-endpoint' ? [value.changedBy] : [],
    );
    expect(changes).to.include(`account:${operatorId}`);
    const audit = await ask('GET', '/api/audit');
    expect(JSON.stringify(audit.body)).to.contain(`account:${operatorId}`);
    expect(found(JSON.stringify(audit.body))).to.deep.equal([]);
  });

  it('is not undone by a late copy of what was erased', async () => {
    const copies = peopleBefore.filter(({ value }) => value.userId !== people.bystander.id);
    expect(copies).to.have.length.at.least(3);
    await appender.append(
      copies.map(({ key, value }) => ({
        topic: peopleTopic,
        key,
        value: personCodec.encode(value),
      })),
    );
    // A later record of the same partition was read: then so were the copies.
    await sendMarkers(copies.map(({ key }) => key));
    expect(await knownPeople()).to.deep.equal([people.bystander.id]);
    expect(found(await tables())).to.deep.equal([]);
  });

  it('sends a second tombstone when it is due, by whichever process is there then', async () => {
    await db.query(`update portal.erasure set repeat_at = now() - interval '1 second'`);
    await stack.services.portal.replicas[0]!.restart();
    await eventually(async () => {
      const due = await db.query('select from portal.erasure where repeat_at is not null');
      const unsent = await db.query('select from portal.outbox');
      expect([due.rowCount, unsent.rowCount]).to.deep.equal([0, 0]);
    });
  });

  it('leaves nothing of it in any topic or file of Kafka once that has compacted', async () => {
    await compactSoon();
    const keys = await markers();
    await eventually(
      async () => {
        // What the daily segment-roll marker does: a record after which the segment before it is
        // closed.
        await appender.append(keys.map((key) => ({ topic: peopleTopic, key, value: null })));
        expect(found(filesOf('data/kafka'))).to.deep.equal([]);
      },
      { deadlineMs: 120_000, everyMs: 1_000 },
    );
    for (const topic of Object.keys(topics) as Topic[]) {
      const records = await readLog(stack.demo, topic, textCodec);
      const text = records.map(({ key, value }) => `${key} ${value}`).join('\n');
      expect(found(text), topic).to.deep.equal([]);
    }
    const kept = (await readPeople()).map(({ value }) => value.email);
    expect(kept).to.include(people.bystander.email);
  });

  it('leaves nothing of it in Redis, in a log or in a table', async () => {
    expect(found(await redisContent())).to.deep.equal([]);
    expect(found(filesOf('data/redis'))).to.deep.equal([]);
    expect(found(filesOf('logs'))).to.deep.equal([]);
    expect(found(await tables())).to.deep.equal([]);
  });

  it('changes no decision and no balance', async () => {
    expect(await decisionsAndBalances()).to.equal(stored);
    expect(stored).to.include(people.v2.id).and.include(people.legacy.id);
  });

  function admin(method: string, path: string, body: object) {
    return ask(method, `/api/tenants/${tenant.tenantId}/${path}`, { body });
  }

  function ask(
    method: string,
    path: string,
    {
      body,
      token = stack.demo.adminToken,
      headers = {},
    }: { body?: object; token?: string | undefined; headers?: Record<string, string> } = {},
  ) {
    const more = { ...(token !== '' && { token }), ...(body !== undefined && { body }) };
    return call(`${stack.demo.baseUrl}${path}`, { method, headers, ...more });
  }

  /** Signs up, signs in and pauses the webhook for a moment; the id of the account. */
  async function changeAsOperator(): Promise<string> {
    const { email, name } = operator;
    const invited = await ask('POST', '/api/operators/invitations', { body: { email } });
    const invitation = (invited.body as { link: string }).link.split('#')[1]!;
    const password = randomUUID();
    const nobody = { token: '' };
    const body = { invitation, name, password };
    const accepted = await ask('POST', '/api/invitation', { ...nobody, body });
    expect(accepted.status).to.equal(201);
    const session = await ask('POST', '/api/session', { ...nobody, body: { email, password } });
    const [cookie = ''] = (session.headers.get('set-cookie') ?? '').split(';');
    const { csrfToken } = session.body as { csrfToken: string };
    const headers = { cookie, origin: stack.demo.baseUrl, 'x-csrf-token': csrfToken };
    for (const change of ['pause', 'resume']) {
      const path = `/api/tenants/${tenant.tenantId}/webhook/${change}`;
      const changed = await ask('POST', path, { ...nobody, headers, body: { reason: 'a try' } });
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    }
    return (accepted.body as { accountId: string }).accountId;
  }

  async function reportPurchases(): Promise<void> {
    const token = await tokenFor(stack.demo, tenant);
    const url = `${stack.demo.baseUrl}/v2/events/purchase-created`;
    const keyed = {
      method: 'POST',
      token,
      headers: { 'idempotency-key': `key-${run}` },
      body: purchase(tenant, `v2-${run}`, { newUser: people.v2 }),
    };
    const other = purchase(tenant, `other-${run}`, { newUser: people.bystander });
    const answers = [
      await call(url, keyed),
      await call(url, keyed),
      await call(url, { method: 'POST', token, body: other }),
      await call(`${stack.demo.baseUrl}/events`, { method: 'POST', token, body: legacyPurchase() }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202, 200]);
  }

  async function bootWidget(
    of: DemoTenant,
    { id, details }: { id: string; details: object },
  ): Promise<void> {
    const answer = await call(`${stack.demo.assetsUrl}/widget/session`, {
      method: 'POST',
      body: { token: widgetToken(of, id), productUserDetails: details },
    });
    expect(answer.status).to.equal(200);
  }

  function legacyPurchase(): object {
    const { id, email, name } = people.legacy;
    return {
      eventName: 'ReferralUpdated',
      payload: { ucc: tenant.referrer.ucc, newUserId: id, price: 4900, currency: 'EUR' },
      context: {
        event: { trigger: 'invoice-paid', timestamp: new Date().toISOString() },
        newUser: { id, email, name },
        subscription: { invoiceId: `legacy-${run}` },
      },
    };
  }

  /** Whose e-mail the read model has. */
  async function knownPeople(): Promise<string[]> {
    const { rows } = await db.query<{ user_id: string }>(
      `select user_id from portal_read_r2.person
       where email is not null and user_id like $1 order by 1`,
      [`%${run}`],
    );
    return rows.map(({ user_id }) => user_id);
  }

  /** One more person beside each of these keys, and the wait until all of them are read. */
  async function sendMarkers(keys: readonly string[]): Promise<void> {
    const partitions = await countPartitions(connectTo(stack.demo), peopleTopic);
    const { tenantId } = tenant;
    const all = keysOfPartitions(peopleTopic, partitions, (n) =>
      recordKey(tenantId, `marker-${n}`),
    );
    await appender.append(
      all.map((key) => ({
        topic: peopleTopic,
        key,
        value: personCodec.encode({
          schemaVersion: 2,
          tenantId,
          userId: key.slice(tenantId.length + 1),
          name: 'marker',
          receivedAt: new Date().toISOString(),
        }),
      })),
    );
    expect(keys).to.not.deep.equal([]);
    const readers = await tablesOfPeople();
    await eventually(async () => {
      for (const table of readers) {
        const read = await db.query(`select from ${table} where name = 'marker'`);
        expect(read.rowCount, table).to.equal(partitions);
      }
    });
  }

  /** Tables of the portal's read model, and of the widget service's. */
  async function tablesOfPeople(): Promise<string[]> {
    const { rows } = await db.query<{ name: string }>(
      `select quote_ident(schemaname) || '.person' as name from pg_tables
       where tablename = 'person' order by 1`,
    );
    expect(rows).to.have.length.at.least(2);
    return rows.map(({ name }) => name);
  }

  async function readPeople() {
    const records = await readLog(stack.demo, 'people', personCodec);
    return records
      .filter(({ value }) => value.userId.endsWith(run))
      .map(({ key, value }) => ({ key, value }));
  }

  /** All three purchases have come to their end: nothing of them changes by itself any more. */
  async function settled(): Promise<boolean> {
    const { rows } = await db.query<{ issued: number; unsent: number }>(
      `select
         (select count(*)::int from rewards_g1.entitlement
           where state = 'issued' and business_key like $1) as issued,
         (select count(*)::int from rewards_g1.outbox) as unsent`,
      [`%${run}%`],
    );
    return rows[0]!.issued === 3 && rows[0]!.unsent === 0;
  }

  /** What must not change: every decision, reward and ledger entry. */
  async function decisionsAndBalances(): Promise<string> {
    const parts: string[] = [];
    for (const table of [
      'attribution_g1.fact',
      'rewards_g1.decision',
      'rewards_g1.entitlement',
      'rewards_g1.ledger_entry',
      'issuance.issuance',
    ]) {
      const { rows } = await db.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${table} t order by 1`,
      );
      parts.push(table, ...rows.map(({ row }) => row));
    }
    return parts.join('\n');
  }

  /** Every row of every table of every service, nothing packed. */
  async function tables(): Promise<string> {
    const { rows } = await db.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    let text = '';
    for (const { name } of rows) {
      text += `${name}\n${await shown(`select * from ${name}`)}\n`;
    }
    return text;
  }

  async function shown(query: string): Promise<string> {
    const { rows } = await db.query<{ row: string }>(`select t::text as row from (${query}) t`);
    return unpackDump(rows.map(({ row }) => row).join('\n'));
  }

  async function redisContent(): Promise<string> {
    const redis = new Redis(stack.demo.redisUrl);
    try {
      const keys = await redis.keysBuffer('*');
      expect(keys).to.not.deep.equal([]);
      const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
      return [...keys, ...dumps].map((bytes) => bytes?.toString('latin1') ?? '').join('\n');
    } finally {
      redis.disconnect();
    }
  }

  function filesOf(part: string, inPath = ''): string {
    const root = dirname(dirname(stack.services.portal.replicas[0]!.logFile));
    const dir = join(root, part);
    return (
      readdirSync(dir, { recursive: true, withFileTypes: true })
        // Indexes hold offsets only, and are 10 MiB of nothing each.
        .filter((entry) => entry.isFile() && !/\.(time|txn)?index\b/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => path.includes(inPath))
        .map((path) => readIfThere(path))
        .join('\n')
    );
  }

  /** The topic's settings for a test: in production the same takes days (docs/erasure.md). */
  async function compactSoon(): Promise<void> {
    await replaceTopicSettings(connectTo(stack.demo), peopleTopic, {
      'cleanup.policy': 'compact',
      'message.timestamp.type': 'LogAppendTime',
      'segment.ms': '100',
      'max.compaction.lag.ms': '100',
      'min.cleanable.dirty.ratio': '0.001',
      'file.delete.delay.ms': '0',
    });
  }

  async function markers(): Promise<string[]> {
    const count = await countPartitions(connectTo(stack.demo), peopleTopic);
    return keysOfPartitions(peopleTopic, count, segmentRollKey);
  }
});

function found(text: string): string[] {
  return all.filter((canary) => text.includes(canary));
}

/** Gone between the listing and the reading, as segments are. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

const slowly = { deadlineMs: 60_000 };
const seldom = { ...slowly, everyMs: 3_000 };
