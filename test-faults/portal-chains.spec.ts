import { isLong } from '@tributary/testkit/long-run';
import type { AnswerOf } from '../packages/admin-client/src/create-admin-client.ts';
import { eventually } from '@tributary/testkit/eventually';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { runTributary } from '../packages/cli/src/run-tributary.ts';
import { sharedDemo } from '../test-e2e/shared-stack.ts';
import { type DrawnEvent, drawEvents, referrers, send } from './portal-chains/random-events.ts';
import { type ReadLines, readLines } from './portal-chains/read-lines.ts';
import { expectRecorded, readRecords, type Records } from './portal-chains/records.ts';
import { actorLine, postingLines, toldLines } from './portal-chains/told-lines.ts';
import {
  createCustomerOfPages,
  type CustomerOfPages,
  type Rule,
} from '../test-e2e/portal/customer-of-pages.ts';
import { type OpenedPage, openPageAs } from '../test-e2e/portal/opened-page.ts';
import { expectNothingUnderWay } from './under-way.ts';

// Why somebody got these credits: whoever asks, and whichever way, is told what stands on the log.

const count = Number(process.env['TRIBUTARY_TEST_CHAINS'] ?? (isLong ? 1_000 : 60));

const creditsPerMajorUnit = { EUR: '1', JPY: '0.01', KWD: '3' };
const rules: Rule[] = [
  {
    ...{ ruleId: 'share', trigger: 'purchase-created', recipient: 'referrer' },
    effect: { kind: 'percent', basisPoints: 1_250, creditsPerMajorUnit },
    limits: { firstPurchases: 2 },
  },
  {
    ...{ ruleId: 'welcome', trigger: 'purchase-created', recipient: 'new-user', holdDays: 90 },
    effect: { kind: 'fixed', credits: '2.50' },
  },
  {
    ...{ ruleId: 'signup', trigger: 'signup-created', recipient: 'referrer' },
    effect: { kind: 'fixed', credits: '5' },
    limits: { perRecipient: [{ period: 'month', credits: '12' }] },
  },
  {
    ...{ ruleId: 'demo', trigger: 'demo-attended', recipient: 'both' },
    ...{ effect: { kind: 'fixed', credits: '1' }, newUserEffect: { kind: 'fixed', credits: '2' } },
  },
];

type Explanation = AnswerOf<'explain'>;
type Posting = AnswerOf<'listPostings'>['postings'][number];

describe(`the chains of ${count} random events (seed ${testSeed})`, function () {
  this.timeout(120_000 + count * 6_000);
  const drawn = drawEvents(testSeed, count);
  let demo: Demo;
  let customer: CustomerOfPages;
  let codes: Record<DrawnEvent['referrer'], string>;
  let opened: OpenedPage;
  let records: Records;
  const eventIds: string[] = [];
  /** What was told when half of it had come. */
  const then = { at: '', chains: new Map<string, Explanation>() };
  /** What the page calls whoever acted, by the id that records have. */
  const actors = new Map<string, string>();
  /** By their ids: a refund and its purchase have the same. */
  const postings = new Map<string, Posting>();

  before(async () => {
    demo = await sharedDemo();
    customer = await createCustomerOfPages(demo, { rules, name: 'Random chains' });
    codes = await makeCodes();
    await sendAll(drawn.slice(0, count / 2));
    then.at = await untilAtRest();
    for (const eventId of eventIds) then.chains.set(eventId, await explain(eventId));
    await decideSome();
    await sendAll(drawn.slice(count / 2));
    await untilAtRest();
    records = await readRecords(demo, customer.tenantId);
    opened = await openPageAs(demo, 'analyst', customer);
    await opened.open('events');
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  it('are on the page as the API tells them, the command line prints them, the log has them', async () => {
    for (const eventId of eventIds) {
      const told = await explain(eventId);
      const [story] = told.stories;
      expect(told.stories).to.have.length(1);
      expectRecorded(story!, records);
      const own = await postingsOf({ event: eventId });
      for (const posting of own) postings.set(posting.postingId, posting);
      const versions = new Set(records.decisions.get(eventId)?.map(({ version }) => version));
      const shown = await chainOnPage(eventId, { versions: versions.size });
      const { 'Postings in the ledger': posted, ...parts } = shown.parts;
      delete parts['Earlier and later decisions'];
      expect(parts, eventId).to.deep.equal(await linesOf(story!));
      expect(posted).to.deep.equal(postingLines(own));
      expect(shown.text).to.equal(told.text);
      expect(shown.parts['Earlier and later decisions'] ?? [], eventId).to.have.length(
        versions.size < 2 ? 0 : versions.size,
      );
      expect(await printed(eventId)).to.equal(`${told.text}\n`);
    }
    const kinds = new Set([...records.decisions.values()].flat().map(({ outcome }) => outcome));
    expect([...kinds]).to.include.members(['attributed', 'not-attributed', 'waiting']);
    expect(new Set(records.rewards.map(({ state }) => state))).to.include.keys('issued', 'held');
  });

  it('are on the page as they were known when half of them had come', async () => {
    let changed = 0;
    for (const [eventId, told] of then.chains) {
      const shown = await chainOnPage(eventId, { asOf: then.at });
      expect(shown.parts, eventId).to.deep.equal(await linesOf(told.stories[0]!));
      expect(shown.text).to.equal(told.text);
      if ((await explain(eventId)).text !== told.text) changed++;
    }
    expect(changed, 'chains that went on').to.be.greaterThan(5);
  });

  it('add up to what the page of the ledger says, to the last digit', async () => {
    for (const posting of postings.values()) {
      expect(sumOf(posting.entries.map(({ credits }) => credits)), posting.postingId).to.equal(0n);
    }
    for (const recipientId of [...referrers, 'user-0', 'user-1', 'user-2', 'user-3']) {
      const own = [...postings.values()].filter((posting) => posting.recipientId === recipientId);
      const account = (name: string) =>
        sumOf(
          own
            .flatMap(({ entries }) => entries.filter((each) => each.account === name))
            .map(({ credits }) => credits),
        );
      const issued = records.issuances.filter((each) => each.recipientId === recipientId);
      expect(sumOf(issued.map(({ credits }) => credits)), recipientId).to.equal(account('issued'));
      const shown = await balanceOnPage(recipientId);
      expect(shown['Issued'], recipientId).to.equal(account('issued'));
      expect(shown['Owed'], recipientId).to.equal(account('owed'));
      expect(shown['Entitled'], recipientId).to.equal(-account('entitled'));
    }
  });

  async function makeCodes(): Promise<typeof codes> {
    const { admin, at, ucc, client } = customer;
    const codeOf = async (productUserId: string) =>
      (
        await admin.call<{ ucc: string }>('POST', `${at}/codes`, {
          ...{ productUserId, campaignId: 'launch' },
        })
      ).ucc;
    const [bert, cleo, disabled] = [
      await codeOf('bert'),
      await codeOf('cleo'),
      await codeOf('dan'),
    ];
    await admin.call('POST', `${at}/codes/disable`, { ucc: disabled });
    await eventually(
      async () => {
        for (const code of [bert, cleo])
          expect(await client.lookup(code)).to.include({ valid: true });
        expect((await client.lookup(disabled))?.valid).to.not.equal(true);
      },
      { deadlineMs: 30_000 },
    );
    return { ada: ucc, bert, cleo, disabled, unknown: 'nobodysCode1' };
  }

  /** Several at a time: in which order they come is part of what is random. */
  async function sendAll(events: readonly DrawnEvent[]): Promise<void> {
    const left = events.values();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const event of left) {
          const eventId = await send(customer.client, codes, event);
          // The same content once more is the same event.
          if (!eventIds.includes(eventId)) eventIds.push(eventId);
        }
      }),
    );
  }

  /** Until each is decided, each credit issued and each webhook answered; gives an instant then. */
  async function untilAtRest(): Promise<string> {
    const { admin, at } = customer;
    let looks: string[] = [];
    return eventually(
      async () => {
        await expectNothingUnderWay(demo);
        const { stories, asOf } = await overview();
        type Deliveries = { deliveries: unknown[] };
        const pending = `${at}/deliveries?state=pending`;
        expect((await admin.call<Deliveries>('GET', pending)).deliveries).to.deep.equal([]);
        expect(stories.filter(({ outcome }) => outcome === 'pending')).to.deep.equal([]);
        expect(stories).to.have.length(eventIds.length);
        type Counts = { total: object; groups: object[] };
        const { total, groups } = await admin.call<Counts>('GET', `${at}/rewards/counts`);
        const issued = await admin.call<Counts>('GET', `${at}/issuances/counts`);
        looks = [...looks.slice(-2), JSON.stringify([stories, total, groups, issued.total])];
        expect(new Set(looks).size, 'nothing changes any more').to.equal(1);
        expect(looks).to.have.length(3);
        return asOf;
      },
      { deadlineMs: 120_000, everyMs: 1_000 },
    );
  }

  async function overview() {
    type Page = { events: { outcome: string }[]; nextCursor: string | null; asOf: string };
    const stories: Page['events'] = [];
    let cursor = '';
    for (;;) {
      const page = await customer.admin.call<Page>(
        'GET',
        `${customer.at}/events?limit=200${cursor}`,
      );
      stories.push(...page.events);
      if (page.nextCursor === null) return { stories, asOf: page.asOf };
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  }

  /** People release some of what is held, and withhold some. */
  async function decideSome(): Promise<void> {
    const { admin, at } = customer;
    type Found = { rewards: { rewardId: string }[] };
    const { rewards } = await admin.call<Found>('GET', `${at}/rewards?state=held&limit=6`);
    expect(rewards).to.not.deep.equal([]);
    for (const [index, { rewardId }] of rewards.entries()) {
      const what = index % 2 === 0 ? 'release' : 'withhold';
      await admin.call('POST', `${at}/rewards/${rewardId}/${what}`, { note: `random ${index}` });
    }
  }

  const explain = (eventId: string) =>
    customer.admin.call<Explanation>('GET', `${customer.at}/explain?event=${eventId}`);

  /** The API is asked for the name of whoever acted in it, as the page does. */
  async function linesOf(story: Explanation['stories'][number]) {
    for (const { by } of story.rewards.flatMap(({ actions }) => actions)) {
      if (actors.has(by)) continue;
      const path = `${customer.at}/actors/${encodeURIComponent(by)}`;
      actors.set(by, actorLine(await customer.admin.call<AnswerOf<'showActor'>>('GET', path)));
    }
    return toldLines(story, actors);
  }

  async function postingsOf(query: Record<string, string>): Promise<Posting[]> {
    const path = `${customer.at}/postings?${new URLSearchParams({ ...query, limit: '200' }).toString()}`;
    const { postings: found, nextCursor } = await customer.admin.call<AnswerOf<'listPostings'>>(
      'GET',
      path,
    );
    expect(nextCursor).to.equal(null);
    return found;
  }

  /** Once all of its parts have come, of which each asks for itself. */
  async function chainOnPage(
    eventId: string,
    { asOf, versions = 0 }: { asOf?: string; versions?: number },
  ): Promise<ReadLines> {
    const { page, goTo } = opened;
    const at = asOf === undefined ? '' : `&asOf=${asOf}`;
    await goTo(`events?open=${eventId}${at}`);
    const ready = page.getByRole('dialog', { name: `Event ${eventId}` });
    await ready.getByText('As text').waitFor();
    if (asOf === undefined) {
      await ready
        .getByText(/^(Nothing has been posted for it\.|Sum of each posting: 0)$/)
        .waitFor();
      const earlier = ready.getByRole('heading', { name: 'Earlier and later decisions' });
      if (versions > 1) await earlier.waitFor();
    } else {
      await ready.getByText(/What came later is not in it/).waitFor();
    }
    await ready.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    const lines = await page.evaluate<ReadLines>(readLines);
    expect(lines.complaints).to.deep.equal([]);
    return lines;
  }

  /** By the command line, in this process: a process of its own for each would take an hour. */
  async function printed(eventId: string): Promise<string> {
    let out = '';
    const code = await runTributary({
      argv: ['explain', eventId],
      env: { TRIBUTARY_ADMIN_URL: demo.baseUrl, TRIBUTARY_ADMIN_TOKEN: demo.adminToken },
      cwd: '/',
      input: (async function* () {})(),
      out: (text) => void (out += text),
      err: (text) => void (out += text),
    });
    expect(code, out).to.equal(0);
    return out.replace(/\nAs of [^\n]*\n?$/, '');
  }

  async function balanceOnPage(recipientId: string): Promise<Record<string, bigint>> {
    await opened.goTo(`ledger?recipient=${recipientId}`);
    const table = opened.page.getByRole('table', { name: `Balance of ${recipientId}` });
    await table.waitFor();
    const names = await table.locator('thead th').allInnerTexts();
    const cells = await table.locator('tbody tr').first().locator('td, th').allInnerTexts();
    return Object.fromEntries(
      names.slice(1).map((name, index) => [name, creditsOf(readable(cells[index + 1]!))]),
    );
  }
});

function readable(amount: string): string {
  return amount.trim().replaceAll(',', '').replace('\u2212', '-');
}

/** Millionths, exactly: what a credit can be cut into. */
function creditsOf(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) throw new Error(`not an amount: ${text}`);
  const [, sign, whole = '', fraction = ''] = match;
  const units = BigInt(`${whole}${fraction.padEnd(6, '0')}`);
  return sign === '-' ? -units : units;
}

function sumOf(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, text) => sum + creditsOf(text), 0n);
}
