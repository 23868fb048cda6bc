import { eventually } from '@tributary/testkit/eventually';
import { isLong } from '@tributary/testkit/long-run';
import { patience } from '@tributary/testkit/patience';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { sharedDemo } from '../test-e2e/shared-stack.ts';
import {
  createCustomerOfPages,
  type CustomerOfPages,
} from '../test-e2e/portal/customer-of-pages.ts';
import { type OpenedPage, openPageAs } from '../test-e2e/portal/opened-page.ts';
import { campaignRules, ruleStyles } from './oracle/rules.ts';
import { drawEvents, send } from './portal-chains/random-events.ts';
import { expectNothingUnderWay } from './under-way.ts';

// Somebody commits a preview because of what they read: it is what comes of it, row by row.

const pairs = isLong ? 8 : 2;

type Reward = { rewardId: string; recipientId: string; ruleId: string; entitledCredits: string };
type Row = { recipient: string; rule: string; before: string; after: string };

describe(`${pairs} random rule sets after another, previewed and committed on the page (seed ${testSeed})`, function () {
  this.timeout(pairs * 240_000);
  const ruleSets = fc
    .sample(campaignRules(ruleStyles.plain), { seed: testSeed, numRuns: 100 })
    .values();
  let demo: Demo;
  let customer: CustomerOfPages;
  let opened: OpenedPage;

  before(async () => {
    demo = await sharedDemo();
    customer = await createCustomerOfPages(demo, { name: 'Random rules' });
    const { ucc, client, tenantId } = customer;
    const codes = {
      ada: ucc,
      bert: ucc,
      cleo: ucc,
      disabled: 'nobodysCode1',
      unknown: 'nobodysCode1',
    };
    for (const event of drawEvents(testSeed, 30)) await send(client, codes, event);
    // High enough for every row of a list to be drawn.
    const viewport = { width: 1_600, height: 6_000 };
    opened = await openPageAs(demo, 'operator', { tenantId, viewport });
    await opened.open('campaigns');
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  for (let pair = 1; pair <= pairs; pair++) {
    it(`are what came of it (${pair})`, async () => {
      const { page, goTo } = opened;
      const before = await rewardsAtRest();
      await goTo(`previews/${await preview()}`);
      const commit = page.getByRole('button', { name: 'Commit' });
      await commit.waitFor({ timeout: 60_000 * patience });
      const shown = await shownChanges();
      const total = await totals();

      await commit.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Commit' }).click();
      await page
        .getByText(/^Committed as revision \d+\. What was shown is what came of it\.$/)
        .waitFor({ timeout: 60_000 * patience });
      const after = await rewardsAtRest();
      expect(changesBetween(before, after)).to.deep.equal(shown);
      expect(total).to.deep.equal([creditsIn(before), creditsIn(after)]);
      expect(await shownChanges(), 'what was shown is kept').to.deep.equal(shown);
    });
  }

  /** Asks for the next rules that a campaign may have. */
  async function preview(): Promise<string> {
    const campaign = { name: 'Random', landingUrl: 'https://pages.example/join', creditScale: 2 };
    for (const rules of ruleSets) {
      const made = await customer.admin
        .call<{ previewId: string }>('POST', '/api/replay/previews', {
          ...{ tenantId: customer.tenantId, campaignId: 'launch' },
          ...{ campaign: { ...campaign, rules }, effectiveFrom: '2020-01-01T00:00:00Z' },
        })
        .catch((error: unknown) => {
          if (!String(error).includes('422')) throw error;
          return null;
        });
      if (made !== null) return made.previewId;
    }
    throw new Error('no rules are left');
  }

  async function shownChanges(): Promise<Map<string, Row>> {
    const { page } = opened;
    const table = page.getByRole('table', { name: 'Each reward that would differ' });
    await table.or(page.getByText('No reward would differ.')).first().waitFor();
    const rows = await table.locator('tbody tr:not(.gap)').all();
    const cells = await Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
    return sorted(
      cells.map(([, recipient = '', rule = '', , before = '', after = '', rewardId = '']) => [
        rewardId,
        { recipient, rule, before: read(before), after: read(after) },
      ]),
    );
  }

  /** What all credits were, and would be. */
  async function totals(): Promise<string[]> {
    const { page } = opened;
    const valueOf = (name: string) =>
      page.locator('dt').filter({ hasText: name }).locator('+ dd').first().innerText();
    return [read(await valueOf('Credits, Today')), read(await valueOf('Credits, With the draft'))];
  }

  async function rewardsAtRest(): Promise<Reward[]> {
    let looks: string[] = [];
    return eventually(
      async () => {
        type Found = { rewards: Reward[]; nextCursor: string | null };
        type Events = { events: { outcome: string }[] };
        const { admin, at } = customer;
        await expectNothingUnderWay(demo);
        const { events } = await admin.call<Events>('GET', `${at}/events?limit=200`);
        expect(events.filter(({ outcome }) => outcome === 'pending')).to.deep.equal([]);
        const path = `${at}/rewards?limit=200`;
        const { rewards, nextCursor } = await admin.call<Found>('GET', path);
        expect(nextCursor).to.equal(null);
        looks = [...looks.slice(-2), JSON.stringify(rewards)];
        expect(new Set(looks).size, 'nothing changes any more').to.equal(1);
        expect(looks).to.have.length(3);
        return rewards;
      },
      { deadlineMs: 90_000, everyMs: 1_000 },
    );
  }
});

/** Rewards whose credits differ; one that is not there has none. */
function changesBetween(before: readonly Reward[], after: readonly Reward[]): Map<string, Row> {
  const former = new Map(before.map((reward) => [reward.rewardId, reward.entitledCredits]));
  return sorted(
    after.map(({ rewardId, recipientId, ruleId, entitledCredits }) => [
      rewardId,
      {
        ...{ recipient: recipientId, rule: ruleId },
        ...{ before: former.get(rewardId) ?? '0', after: entitledCredits },
      },
    ]),
  );
}

/** In one order, and without those that only go to review. */
function sorted(rows: [string, Row][]): Map<string, Row> {
  return new Map(
    rows
      .filter(([, { before, after }]) => before !== after)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function creditsIn(rewards: readonly Reward[]): string {
  const cents = rewards.reduce((sum, { entitledCredits }) => {
    const [whole = '0', fraction = ''] = entitledCredits.split('.');
    return sum + BigInt(`${whole}${fraction.padEnd(2, '0')}`);
  }, 0n);
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, '');
}

function read(amount: string): string {
  return amount.trim().replaceAll(',', '').replace('\u2212', '-');
}
