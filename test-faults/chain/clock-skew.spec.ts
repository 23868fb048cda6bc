import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PurchaseCreatedEvent } from '@tributary/contracts/event-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { codeOf, purchase, revisionOf, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';

const dayMs = 86_400_000;
const holdDays = 14;
const tenantId = 't1';
const ucc = 'ClockCode01';

/**
 * A hold is paid by the database's time, and by nobody's while the clocks of the database and of
 * the process that would pay are apart: neither knows which of them is right.
 */
describe('rewards on a machine whose clock is wrong', function () {
  this.timeout(120_000);
  let chain: Chain;
  let dir: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-clock-'));
    // Started by root, services are other users.
    await chmod(dir, 0o755);
    await setClock(0);
    const preload = new URL('../shift-date.ts', import.meta.url).href;
    chain = await startChain(
      {},
      { NODE_OPTIONS: `--import ${preload}`, TEST_SHIFT_DATE_FILE: file() },
    );
    await chain.topics.append([
      tenantOf({ tenantId }),
      codeOf({ tenantId, ucc, campaignId: 'c1', productUserId: 'referrer' }),
      revisionOf({ tenantId, campaignId: 'c1', rules: [rule] }),
    ]);
  });
  after(async () => {
    await chain?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const rule = {
    ruleId: 'r1',
    trigger: 'purchase-created',
    recipient: 'referrer',
    effect: { kind: 'fixed', credits: '10' },
    holdDays,
  } as const;
  const file = () => join(dir, 'offset-ms');
  const setClock = (offsetMs: number) => writeFile(file(), String(offsetMs));

  it('15 days ahead pays no hold of 14 days before its end', async () => {
    await chain.topics.append([bought(1, 0)]);
    await decided(1);
    await setClock(15 * dayMs);
    await waitsForClocks('is 15 days behind');
    // The clocks have been compared by the very look that would have paid; so will some more be.
    await looksAgain();
    expect(await issued()).to.equal(0);
  });

  it('pays what is due once the clock is right again, without new traffic', async () => {
    await chain.topics.append([bought(2, holdDays + 1)]);
    await decided(2);
    await looksAgain();
    expect(await issued(), 'due, but the clocks still differ').to.equal(0);
    await setClock(0);
    await eventually(async () => expect(await issued()).to.equal(1), { deadlineMs: 20_000 });
    await chain.rewards.ready();
  });

  it('15 days behind pays nothing either', async () => {
    await setClock(-15 * dayMs);
    await waitsForClocks('is 15 days ahead');
    await chain.topics.append([bought(3, holdDays + 1)]);
    await decided(3);
    await looksAgain();
    expect(await issued()).to.equal(1);
    await setClock(0);
    await eventually(async () => expect(await issued()).to.equal(2), { deadlineMs: 20_000 });
    await chain.rewards.ready();
    const { rows } = await chain.db.query<{ state: string; rewards: number }>(
      'select state, count(*)::int as rewards from rewards_g1.entitlement group by 1 order by 1',
    );
    expect(rows).to.deep.equal([
      { state: 'held', rewards: 1 },
      { state: 'issued', rewards: 2 },
    ]);
  });

  function bought(n: number, daysAgo: number): PurchaseCreatedEvent {
    const at = new Date(Date.now() - daysAgo * dayMs).toISOString();
    const payment = { invoiceId: `inv-${n}`, currency: 'EUR', amount: 4_900 };
    return purchase({ n, userId: `user-${n}`, ucc, occurredAt: at, receivedAt: at, payment });
  }

  async function decided(count: number): Promise<void> {
    await eventually(async () => {
      const { rows } = await chain.db.query<{ count: number }>(
        'select count(*)::int as count from rewards_g1.entitlement',
      );
      expect(rows[0]!.count).to.equal(count);
    });
  }

  async function issued(): Promise<number> {
    const { rows } = await chain.db.query<{ count: number }>(
      'select count(*)::int as count from issuance.issuance',
    );
    return rows[0]!.count;
  }

  async function ask(path: string): Promise<{ status: number; text: string }> {
    const { adminPort } = chain.rewards.replicas[0]!;
    const answer = await fetch(`http://127.0.0.1:${adminPort}${path}`);
    return { status: answer.status, text: await answer.text() };
  }

  async function waitsForClocks(detail: string): Promise<void> {
    await eventually(async () => {
      const { status, text } = await ask('/readyz?all');
      expect(status, text).to.equal(503);
      expect(text).to.contain("the database's clock").and.contain(detail);
    });
  }

  /** Three times, as told by the counter of looks that ended so. */
  async function looksAgain(): Promise<void> {
    const looks = async () => {
      const { text } = await ask('/metrics');
      const found = /^tributary_rewards_releases_stopped_by_clocks_total\{[^}]*\} (\d+)$/m.exec(
        text,
      );
      return Number(found?.[1] ?? 0);
    };
    const before = await looks();
    await eventually(async () => expect(await looks()).to.be.above(before + 2));
  }

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => chain.recovered());
});
