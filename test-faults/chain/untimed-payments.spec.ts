import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { type AccessKeyRecord, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { expect } from 'chai';
import { findWrongBooks } from './books.ts';
import { readDecisions } from './current-state.ts';
import { type LegacyProcess, startLegacyProcess } from './legacy-process.ts';
import { codeOf, revisionOf, startOfTime, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';

/**
 * The legacy endpoint takes payments without invoice id and timestamp (interface 4.4). A
 * subscription reports the same payment each month: it is a payment each month, and a repeat within
 * a day is none. Two processes whose clocks are 30 days apart stand for two months.
 */
const tenantId = 't1';
const key = { tenantId, accessKeyId: 'key-1' };
const ucc = 'Untimed0001';

describe('legacy payments without invoice id and timestamp', function () {
  this.timeout(180_000);
  let chain: Chain;
  let logs: string;
  let lastMonth: LegacyProcess;
  let thisMonth: LegacyProcess;

  before(async () => {
    logs = await mkdtemp(join(tmpdir(), 'untimed-'));
    chain = await startChain();
    const { topics } = chain;
    await topics.append([
      tenantOf({ tenantId }),
      accessKey(),
      revisionOf({ tenantId, campaignId: 'c1', rules: [rule] }),
      codeOf({ tenantId, ucc, campaignId: 'c1', productUserId: 'anna' }),
    ]);
    const start = (name: string, hoursOff: number) =>
      startLegacyProcess({ topics, key, hoursOff, logFile: join(logs, `${name}.log`) });
    [lastMonth, thisMonth] = await Promise.all([
      start('last-month', -30 * 24),
      start('this-month', 0),
    ]);
    await chain.drained();
  });

  after(async () => {
    await lastMonth?.stop();
    await thisMonth?.stop();
    await chain?.stop();
    await rm(logs, { recursive: true, force: true });
  });

  async function pay(process: LegacyProcess, newUserId: string): Promise<void> {
    const answer = await process.post({
      eventName: 'ReferralUpdated',
      payload: { ucc, newUserId, price: 4_900, currency: 'EUR' },
      context: { event: { trigger: 'invoice-paid' }, subscription: { id: 's-1' } },
    });
    expect(answer).to.deep.equal({ status: 200, body: { success: true } });
  }

  /** In the order in which they were received. */
  async function decisionsAbout(userId: string): Promise<DecisionRecord[]> {
    const orderOf = ({ receivedAt, eventId }: DecisionRecord) => `${receivedAt} ${eventId}`;
    return (await readDecisions(chain.db, chain.topics))
      .filter(({ newUserId }) => newUserId === userId)
      .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  async function creditsFor(userId: string): Promise<{ rewards: number; issued: number }> {
    const { rows } = await chain.db.query<{ rewards: number; issued: number }>(
      `select count(*)::int as rewards, coalesce(sum(issued), 0)::int as issued
       from rewards_g1.entitlement where event_id = any($1::text[]) and entitled > 0`,
      [(await decisionsAbout(userId)).map(({ eventId }) => eventId)],
    );
    return rows[0]!;
  }

  const endsOf = (decisions: readonly DecisionRecord[]) =>
    decisions.map(({ reason, outcome }) => reason ?? outcome);

  it('reward each month once, and a repeat on the same day not at all', async () => {
    for (const process of [lastMonth, lastMonth, thisMonth, thisMonth])
      await pay(process, 'monthly');
    await chain.drained();
    const decisions = await decisionsAbout('monthly');
    expect(endsOf(decisions)).to.deep.equal(['attributed', 'duplicate', 'attributed', 'duplicate']);
    const [first, repeat, second, repeatOfSecond] = decisions;
    expect(repeat!.duplicateOf).to.equal(first!.eventId);
    expect(repeatOfSecond!.duplicateOf).to.equal(second!.eventId);
    expect(await creditsFor('monthly')).to.deep.equal({ rewards: 2, issued: 10 });
  });

  it('say of each whether it was taken as a repeat or as a new payment', async () => {
    const decisions = await decisionsAbout('monthly');
    const sentences = decisions.map(({ tests }) => tests.at(-1)!);
    const [first, , second] = decisions;
    const equal = 'equal payment without invoice id and timestamp';
    expect(sentences.map(({ detail }) => detail)).to.deep.equal([
      `no ${equal} came before it, so it is taken as a new payment`,
      `event ${first!.eventId}, an ${equal}, came at ${first!.receivedAt}; ` +
        'this one, within 24 hours of it, is taken as a repeat of it',
      `the last payment that is equal, event ${first!.eventId}, came at ${first!.receivedAt}; ` +
        'this one, not within 24 hours of it, is taken as a new payment',
      `event ${second!.eventId}, an ${equal}, came at ${second!.receivedAt}; ` +
        'this one, within 24 hours of it, is taken as a repeat of it',
    ]);
  });

  it('come to the same when the earlier one arrives later, with nothing owed', async () => {
    await pay(thisMonth, 'late');
    await chain.drained();
    expect(await creditsFor('late')).to.deep.equal({ rewards: 1, issued: 5 });
    await pay(lastMonth, 'late');
    await chain.drained();
    const decisions = await decisionsAbout('late');
    expect(endsOf(decisions)).to.deep.equal(['attributed', 'attributed']);
    expect(decisions.map(({ businessKey }) => JSON.parse(businessKey) as unknown[])).to.satisfy(
      ([one, two]: unknown[][]) => one!.length === 3 && two!.at(-1) === 2,
    );
    expect(await creditsFor('late')).to.deep.equal({ rewards: 2, issued: 10 });
    expect(await findWrongBooks(chain.db)).to.deep.equal([]);
  });
});

const rule: CampaignRule = {
  ruleId: 'purchase',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'fixed', credits: '5' },
};

function accessKey(): AccessKeyRecord {
  return {
    ...{ schemaVersion: catalogSchemaVersion, entity: 'access-key', version: 1 },
    ...{ tenantId, accessKeyId: key.accessKeyId, publishedAt: startOfTime },
    ...{ secretDigest: 'not asked for here', status: 'active' },
  };
}
