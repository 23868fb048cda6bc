import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { createRevisions } from './revisions.ts';
import { type Parts, startParts } from '../testing/parts.ts';
import { purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';

describe('campaign revisions', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let parts: Parts;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    await parts.publish(...[1, 2, 3].map((revision) => revisionOf({ revision })));
  });

  after(async () => {
    await parts.stop();
    await database.drop();
  });

  it('are all found, also by whoever makes the process forget the others', async () => {
    const revisions = createRevisions({ maxRemembered: 1 });
    const decisions = [1, 2, 3].map((campaignRevision) =>
      purchaseDecision(campaignRevision, { campaignRevision }),
    );
    await inTransaction(parts.pool, async (tx) => {
      await revisions.claimsOf(tx, decisions.slice(0, 2));
      const claims = await revisions.claimsOf(tx, decisions);
      expect(claims.map(({ revision }) => revision?.revision)).to.deep.equal([1, 2, 3]);
    });
  });

  it('do not count as arrived before they have', async () => {
    const revisions = createRevisions();
    const decision = purchaseDecision(4, { campaignRevision: 4 });
    await inTransaction(parts.pool, async (tx) => {
      expect((await revisions.claimsOf(tx, [decision]))[0]).to.deep.equal({ decision });
    });
    await parts.publish(revisionOf({ revision: 4 }));
    await inTransaction(parts.pool, async (tx) => {
      expect((await revisions.claimsOf(tx, [decision]))[0]?.revision?.revision).to.equal(4);
    });
  });
});
