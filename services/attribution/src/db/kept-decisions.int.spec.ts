import { decisionDigest, type DecisionLine, fromLine } from '@tributary/contracts/state-item';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { code, eventIdOf, purchase, revision } from '@tributary/attribution-fold/testing/records';
import { type Parts, startParts } from '../testing/parts.ts';
import { checksumOf } from './decision-checksum.ts';
import { decisionPages } from './state-lines.ts';

describe('what is kept of a decision', () => {
  let database: TestDatabase;
  let parts: Parts;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
  });
  beforeEach(async () => {
    await parts.clear();
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    await parts.apply('events', purchase(1), purchase(2, { ucc: 'unknown' }));
  });
  after(async () => {
    await parts.stop();
    await database.drop();
  });

  it('is its digest, which a verification reads as it would compute it from the record', async () => {
    const { rows } = await parts.pool.query('select former_record from fact');
    expect(rows).to.deep.equal([{ former_record: null }, { former_record: null }]);
    expect(await lines()).to.deep.equal(await expectedLines());
  });

  it('tells in full what was published', async () => {
    const { decisions, others } = await inFull(1, 2);
    expect(decisions).to.have.deep.members(await parts.outbox());
    expect(others).to.deep.equal([]);
  });

  const flips = [
    ...["outcome = 'waiting'", "campaign_id = 'another'", "tenant_id = 't2'"],
    ...['version = version + 1', "event_id = 'another'", 'digest = sha256(digest)'],
    ...['checksum = checksum # 1', 'campaign_id = null'],
  ];
  for (const flip of flips) {
    it(`shows when somebody changed it: ${flip}`, async () => {
      await parts.pool.query(`update fact set ${flip} where event_id = $1`, [eventIdOf(1)]);
      const [other] = (await expectedLines()).filter(({ eventId }) => eventId === eventIdOf(2));
      const found = await lines();
      expect(found).to.deep.include(other);
      const changed = found.find(({ eventId }) => eventId !== eventIdOf(2));
      expect(changed?.digest).to.equal('the columns of its row contradict each other');
    });
  }

  it('is told beside what the inputs lead to now, where that is something else', async () => {
    const [, other] = await parts.decisions();
    const row = {
      ...{ tenantId: 't1', eventId: eventIdOf(1), version: 1, outcome: 'attributed' as const },
      ...{ campaignId: 'c1', digest: decisionDigest(other!) },
    };
    const { rows } = await parts.pool.query<{ campaign_id: string }>(
      'update fact set digest = $2, checksum = $3 where event_id = $1 returning campaign_id',
      [row.eventId, Buffer.from(row.digest, 'base64url'), checksumOf(row)],
    );
    expect(rows).to.deep.equal([{ campaign_id: row.campaignId }]);
    const { decisions, others } = await inFull(1);
    expect(decisions).to.deep.equal([]);
    const [published] = await parts.outbox();
    expect(others.map(({ folded }) => folded)).to.deep.equal([published]);
    expect(others[0]!.stored.digest).to.equal(row.digest);
  });

  describe('in rows of the release before, which have the record', () => {
    beforeEach(async () => {
      for (const decision of await parts.outbox()) {
        await parts.pool.query(
          `update fact set former_record = $2, digest = null, checksum = null
           where event_id = $1`,
          [decision.eventId, decision],
        );
      }
    });

    it('is the digest of that', async () => {
      expect(await lines()).to.deep.equal(await expectedLines());
      expect((await inFull(1, 2)).decisions).to.have.deep.members(await parts.outbox());
    });

    it('shows when somebody changed a column', async () => {
      await parts.pool.query(`update fact set outcome = 'waiting'`);
      const [first] = await lines();
      expect(first!.digest).to.equal('the columns of its row contradict each other');
    });

    it('gets no version of its own, and is a digest once the row is written again', async () => {
      await parts.apply('catalog', revision({ revision: 2 }));
      await parts.sweep();
      expect(await kept()).to.deep.equal([
        { version: 2, is_digest: true },
        { version: 1, is_digest: false },
      ]);
      const disabled = { type: 'code-disabled' as const, version: 2 };
      await parts.apply('codes', code({ ...disabled, at: '2026-02-01T00:00:00.000Z' }));
      await parts.apply('codes', code({ ucc: 'unknown' }));
      expect(await kept()).to.deep.equal([
        { version: 3, is_digest: true },
        { version: 2, is_digest: true },
      ]);
      expect(await lines()).to.deep.equal(await expectedLines());
    });
  });

  const inFull = async (...numbers: number[]) => {
    const { tx, commit } = await parts.begin();
    const found = await parts.decisionsInFull(tx, numbers.map(eventIdOf));
    await commit();
    return found;
  };

  async function kept(): Promise<unknown[]> {
    const { rows } = await parts.pool.query<object>(
      `select version, digest is not null and former_record is null as is_digest
       from fact order by event_id`,
    );
    return rows;
  }

  async function lines(): Promise<DecisionLine[]> {
    const { tx, commit } = await parts.begin();
    const found: DecisionLine[] = [];
    for await (const { text } of decisionPages(tx, {})) {
      found.push(
        ...text
          .trim()
          .split('\n')
          .map((line) => fromLine(line) as DecisionLine),
      );
    }
    await commit();
    return found.sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  }

  /** As a replay makes them of the log. */
  async function expectedLines(): Promise<DecisionLine[]> {
    const last = new Map((await parts.outbox()).map((decision) => [decision.eventId, decision]));
    return [...last.values()]
      .map((decision) => ({
        kind: 'decision' as const,
        tenantId: decision.tenantId,
        newUserId: decision.newUserId,
        eventId: decision.eventId,
        digest: decisionDigest(decision),
      }))
      .sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  }
});
