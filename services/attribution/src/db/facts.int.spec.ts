import { purchase, refund } from '@tributary/attribution-fold/testing/records';
import { toFact } from '@tributary/attribution-fold/fact';
import type { Tx } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { type Parts, startParts } from '../testing/parts.ts';
import { decisionOn } from '@tributary/attribution-fold/decision';
import { toHolder } from '@tributary/attribution-fold/claim';
import { insertClaims } from './claims.ts';
import { insertDecided } from './decisions.ts';
import {
  readFacts,
  readFactsOfCodes,
  readFactsOfKeys,
  readFactsOfUsers,
  readRefundsOf,
} from './facts.ts';
import { type Cursor, type Page, readPage } from './recompute-jobs.ts';

describe('reads of facts', () => {
  let database: TestDatabase;
  let parts: Parts;
  const facts = Array.from({ length: 4_000 }, (_, i) =>
    toFact(
      i % 11 === 0
        ? refund(i + 1, { userId: `user_${i % 999}`, invoiceId: `inv_${i % 777}` })
        : purchase(i + 1, {
            ...{ userId: `user_${i % 999}`, invoiceId: `inv_${i % 777}` },
            ucc: `code_${i % 500}`,
          }),
    ),
  );

  /** The first with a key holds it. */
  const claims = [...new Map(facts.toReversed().map((fact) => [fact.businessKey, fact])).values()]
    .map((fact) => ({ ...fact, tenantId: fact.event.tenantId, holder: toHolder(fact) }))
    .map(({ tenantId, businessKey, holder }) => ({ tenantId, businessKey, holder }));
  const holders = new Set(claims.map(({ holder }) => holder.eventId));

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    const waiting = { outcome: 'waiting', reason: 'unknown-code', flags: [], tests: [] } as const;
    const decided = facts.map((fact) => ({
      fact,
      isRival: !holders.has(fact.event.eventId),
      decision: {
        content: decisionOn(fact, { ...waiting, flags: [], tests: [] }),
        ...{ version: 1, digest: 'AAAA', foldedUnder: '1' },
      },
    }));
    await inSession((tx) => insertDecided(tx, decided));
    await inSession((tx) => insertClaims(tx, claims));
    await inSession((tx) =>
      tx.query(`insert into code_owner
        select distinct tenant_id, ucc, 'anna', '', 'c1' from fact`),
    );
    await parts.pool.query('analyze fact');
  });
  after(async () => {
    await parts.stop();
    await database.drop();
  });

  const idsOf = (found: readonly (typeof facts)[number][]) =>
    found.map(({ event }) => event.eventId).sort();
  const sought = facts[1]!;
  const { event, businessKey } = sought;
  const { tenantId, ucc, newUser } = event;
  const begin = { afterUcc: '', afterSeconds: null, afterEventId: '' };
  const job = { tenantId, refoldId: '1', foldedBelow: null, fromSeconds: null, ...begin };
  /** With very few to a page, as if there were very many. */
  const pageByPage = async (tx: Tx, one: Parameters<typeof readPage>[1], limit: number) => {
    const found: (typeof facts)[number][] = [];
    for (let cursor: Cursor | undefined = begin; cursor;) {
      const page: Page = await readPage(tx, { ...one, ...cursor }, limit);
      found.push(...page.facts);
      cursor = page.next;
    }
    return found;
  };
  const ofKey = facts.filter((fact) => fact.businessKey === businessKey);
  const refunds = facts.filter(
    (fact) =>
      fact.event.eventType === 'purchase-refunded' && fact.event.refund.invoiceId === 'inv_1',
  );
  const reads: Record<string, { read: (tx: Tx) => Promise<typeof facts>; wanted: typeof facts }> = {
    'by id': { read: (tx) => readFacts(tx, [event.eventId]), wanted: [sought] },
    'of a code': {
      read: (tx) => readFactsOfCodes(tx, [{ tenantId, ucc }], 100),
      wanted: facts.filter((fact) => fact.event.ucc === ucc),
    },
    'of a business key': {
      read: (tx) =>
        readFactsOfKeys(tx, [claims.find((claim) => claim.businessKey === businessKey)!], 100),
      wanted: ofKey,
    },
    'of a purchase that was refunded': {
      read: (tx) => readRefundsOf(tx, [{ tenantId, businessKey }]),
      wanted: refunds,
    },
    'of a user': {
      read: (tx) => readFactsOfUsers(tx, [{ tenantId, newUserId: newUser.id }], undefined),
      wanted: facts.filter((fact) => fact.event.newUser.id === newUser.id),
    },
    'of a business key, page by page': {
      read: async (tx) =>
        (await readPage(tx, { ...job, scope: 'claim', subject: businessKey }, 100)).facts,
      wanted: [...ofKey, ...refunds],
    },
    'of a code, page by page': {
      read: (tx) => pageByPage(tx, { ...job, scope: 'code', subject: ucc }, 3),
      wanted: facts.filter((fact) => fact.event.ucc === ucc),
    },
    'of a user, page by page': {
      read: (tx) => pageByPage(tx, { ...job, scope: 'user', subject: newUser.id }, 2),
      wanted: facts.filter((fact) => fact.event.newUser.id === newUser.id),
    },
    'of a campaign, page by page': {
      read: (tx) => {
        const campaign = { scope: 'campaign', subject: 'c1', foldedBelow: '2' } as const;
        return pageByPage(tx, { ...job, ...campaign, fromSeconds: '0' }, 450);
      },
      wanted: facts,
    },
  };
  for (const [name, { read, wanted }] of Object.entries(reads)) {
    it(`go by an index: ${name}`, async () => {
      expect(wanted.length).to.be.greaterThan(0);
      const scansBefore = await scans();
      expect(idsOf(await inSession(read))).to.deep.equal(idsOf(wanted));
      expect(await scans()).to.equal(scansBefore);
    });
  }

  /** What it does is counted by the time this resolves. */
  async function inSession<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const tx = await parts.pool.connect();
    try {
      const result = await work(tx);
      await tx.query('select pg_stat_force_next_flush()');
      return result;
    } finally {
      tx.release();
    }
  }

  /** How often the table was read from end to end. */
  async function scans(): Promise<number> {
    const { rows } = await parts.pool.query<{ seq_scan: string }>(
      `select seq_scan from pg_stat_user_tables where relname = 'fact'`,
    );
    return Number(rows[0]!.seq_scan);
  }
});
