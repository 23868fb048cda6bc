import { type AccessKeyRecord, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { topicName } from '@tributary/contracts/topics';
import { keyedDigest } from '@tributary/runtime/secrets';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import pg from 'pg';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
} from '../testing/ingest-fixture.ts';

/** Nothing here is asked twice: what the log has acknowledged holds for the next question. */
describe('ingest-api: what was published a moment ago', () => {
  let database: TestDatabase;
  let fixture: IngestFixture;
  let replicas: IngestProcess[] = [];
  let token: string;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createIngestFixture({ ...servers, postgresUrl: database.url });
    replicas = [await fixture.start(), await fixture.start()];
    token = await replicas[0]!.token(tenantA);
    // The first assignment of a new consumer group takes seconds.
    await eventually(
      async () => {
        for (const { adminUrl } of replicas) {
          expect((await fetch(`${adminUrl}/readyz?all`)).status).to.equal(200);
        }
      },
      { deadlineMs: 30_000 },
    );
  });

  after(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await fixture?.stop();
    await database?.drop();
  });

  async function publishCode(ucc: string, changes: Partial<CodeRecord> = {}): Promise<void> {
    await fixture.publishCode({
      schemaVersion: 1,
      type: 'code-issued',
      tenantId: 'a',
      ucc,
      version: 1,
      campaignId: 'c1',
      productUserId: `owner of ${ucc}`,
      at: '2026-02-01T00:00:00.000Z',
      ...changes,
    });
  }

  async function publishKey(n: number, changes: Partial<AccessKeyRecord> = {}) {
    const pair = { accessKeyId: `new-${n}`, secretAccessKey: `secret ${n}` };
    await fixture.publishCatalog({
      schemaVersion: catalogSchemaVersion,
      entity: 'access-key',
      tenantId: 'a',
      version: 1,
      publishedAt: '2026-02-01T00:00:00.000Z',
      accessKeyId: pair.accessKeyId,
      secretDigest: keyedDigest(fixture.settings.accessKeyDigestKey, pair.secretAccessKey),
      status: 'active',
      ...changes,
    });
    return pair;
  }

  async function lookUp({ url }: IngestProcess, path: string) {
    const headers = { authorization: token };
    const answer = await fetch(`${url}/referral-codes/${path}`, { headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  it('is a code that both replicas find, and the link of its owner', async () => {
    for (let round = 0; round < 20; round++) {
      const ucc = `code-${round}`;
      await publishCode(ucc);
      const paths = [ucc, `active-link/${encodeURIComponent(`owner of ${ucc}`)}`];
      const asked = replicas.flatMap((replica) => paths.map((path) => lookUp(replica, path)));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses, `round ${round}`).to.deep.equal([200, 200, 200, 200]);
    }
  });

  it('is a code that is enabled again', async () => {
    const ucc = 'enabled again';
    await publishCode(ucc);
    for (let version = 2; version < 12; version += 2) {
      await publishCode(ucc, { version, type: 'code-disabled' });
      await eventually(async () => {
        const { body } = await lookUp(replicas[0]!, encodeURIComponent(ucc));
        expect(body).to.include({ valid: false });
      });
      await publishCode(ucc, { version: version + 1 });
      for (const replica of replicas) {
        const { body } = await lookUp(replica, encodeURIComponent(ucc));
        expect(body, `version ${version + 1}`).to.include({ valid: true });
      }
    }
  });

  it('is an access key that gives a token at one replica, and the token is good at the other', async () => {
    for (let round = 0; round < 20; round++) {
      const pair = await publishKey(round);
      const [one, other] = replicas as [IngestProcess, IngestProcess];
      const answer = await one.post('/token', pair);
      expect(answer.status, `round ${round}`).to.equal(201);
      const { accessToken } = (await answer.json()) as { accessToken: string };
      const accepted = await other.purchase(`Bearer ${accessToken}`, purchase());
      expect(accepted.status, `round ${round}`).to.equal(202);
      expect((await other.post('/token', pair)).status).to.equal(201);
    }
  });

  it('is found however long its reader is held up, within the bound', async () => {
    const [holder, watcher] = [new pg.Client(database.url), new pg.Client(database.url)];
    await Promise.all([holder.connect(), watcher.connect()]);
    try {
      await holder.query('begin');
      await holder.query('select from ingest.projection_position for update');
      await publishCode('held up');
      const heldUp = 'cardinality(pg_blocking_pids(pid)) > 0';
      await eventually(async () => expect(await countSessions(watcher, heldUp)).to.equal(1));
      const { rows } = await watcher.query<{ now: Date }>('select clock_timestamp() as now');
      const asked = lookUp(replicas[0]!, encodeURIComponent('held up'));
      // It has missed once by now, and looks how far the reader is.
      const looks = `query like '%next_offset from projection_position%' and query_start > $1`;
      await eventually(async () => {
        expect(await countSessions(watcher, looks, rows[0]!.now)).to.be.at.least(1);
      });
      await holder.query('commit');
      expect((await asked).status).to.equal(200);
    } finally {
      await Promise.all([holder.end(), watcher.end()]);
    }
  });

  it('is on the log as a dead letter when it is no code, and stops nothing', async () => {
    await fixture.publishPoison('{"schemaVersion":1}');
    await publishCode('after the poison');
    expect((await lookUp(replicas[0]!, 'after%20the%20poison')).status).to.equal(200);
    await eventually(async () => {
      const letters = await fixture.deadLetters();
      const codes = topicName('codes', fixture.settings.topics);
      expect(letters.map(({ origin }) => origin.topic)).to.deep.equal([codes]);
    });
  });

  it('is not waited for by what nobody has: 404 and 401, a thousand of them', async () => {
    const wrong = { accessKeyId: 'nobody', secretAccessKey: 'nothing' };
    // As many at once as a busy machine opens connections for before they time out.
    for (let round = 0; round < 5; round++) {
      const asked = Array.from({ length: 200 }, async (_, i) =>
        i % 2 === 0
          ? (await lookUp(replicas[0]!, `nobody-${round}-${i}`)).status
          : (await replicas[0]!.post('/token', wrong)).status,
      );
      const statuses = await Promise.all(asked);
      expect(new Set(statuses)).to.deep.equal(new Set([404, 401]));
    }
  });
});

async function countSessions(watcher: pg.Client, condition: string, ...values: unknown[]) {
  const { rows } = await watcher.query<{ count: string }>(
    `select count(*) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
    values,
  );
  return Number(rows[0]!.count);
}
