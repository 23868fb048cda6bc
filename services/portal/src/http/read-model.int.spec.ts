import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import { samplesOf } from '@tributary/http/testing/samples';
import { createTokenSigner } from '@tributary/http/tokens';
import { systemClock } from '@tributary/runtime/clock';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import {
  decisionOn,
  erasureOf,
  issuanceOf,
  onLog,
  personOf,
  purchase,
  receivedAt,
  revisionOf,
  rewardFor,
  scenario,
  signup,
  uuid,
} from '../testing/scenario.ts';
import { type AnswerBody, startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Item = Record<string, unknown>;

describe('portal: what the topics say, behind the admin API', () => {
  const { records, ...details } = scenario();
  const otherBought = purchase(500, { tenantId: 'other', invoiceId: 'inv-1' });
  const otherDecision = decisionOn(otherBought);
  const otherReward = rewardFor(otherDecision);
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { name: tenantId, tenantId });
    }
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', {
      name: 'Spring',
      landingUrl: 'https://example.com/join',
      creditScale: 2,
      rules: revisionOf().rules,
    });
    await portal.publish([
      // The portal published a revision 1 of its own.
      ...records.filter((record) => !isRevision(record.decoded)),
      onLog.event(otherBought),
      onLog.decision(otherDecision),
      onLog.reward(otherReward),
    ]);
    await read('/api/tenants/acme/events', ({ events }) => (events as Item[]).length === 5);
    await caughtUp();
  });
  after(() => portal.stop());

  describe('event list', () => {
    it('shows newest receipt first, each event with its decision', async () => {
      const { body } = await get('/api/tenants/acme/events');
      const events = body['events'] as Item[];
      expect(events.map(({ eventId }) => eventId)).to.deep.equal([5, 4, 3, 2, 1].map(uuid));
      expect(events[3]).to.deep.include({
        eventType: 'purchase-created',
        newUserId: 'cara',
        outcome: 'attributed',
        referrerId: 'ada',
        campaignId: 'spring',
        campaignRevision: 1,
      });
      expect(events[0]).to.include({ outcome: 'waiting', reason: 'unknown-code', ucc: 'nobodys' });
      expect(body['nextCursor']).to.equal(null);
      expect(Date.parse(String(body['asOf']))).to.be.above(0);
    });

    for (const [filter, expected] of [
      ['type=purchase-created', [3, 2]],
      ['source=legacy', [3]],
      ['outcome=waiting', [5]],
      ['outcome=not-attributed&reason=duplicate', [3]],
      ['user=dora', [5]],
      ['referrer=ada', [4, 2, 1]],
      ['referrer=ada&type=signup-created', [1]],
      ['code=ada-code', [4, 3, 2, 1]],
      ['campaign=spring', [4, 2, 1]],
      ['invoice=inv-1', [4, 3, 2]],
      [`from=${receivedAt(2)}&to=${receivedAt(4)}`, [3, 2]],
      ['from=2026-03-01T13:00:03%2B01:00', [5, 4, 3]],
      ['user=nobody', []],
    ] as const) {
      it(`takes the filter ${filter}`, async () => {
        expect(await eventNumbers(`/api/tenants/acme/events?${filter}`)).to.deep.equal(expected);
      });
    }

    it('goes on from a cursor where it was, whatever was added meanwhile', async () => {
      const first = await get('/api/tenants/acme/events?user=cara&limit=2');
      expect(numbersOf(first.body)).to.deep.equal([4, 3]);
      const late = signup(600, { userId: 'cara' });
      await portal.publish([onLog.event(late)]);
      await read('/api/tenants/acme/events', ({ events }) => (events as Item[]).length === 6);
      const cursor = String(first.body['nextCursor']);
      const second = await get(`/api/tenants/acme/events?user=cara&limit=2&cursor=${cursor}`);
      expect(numbersOf(second.body)).to.deep.equal([2, 1]);
      expect(second.body['nextCursor']).to.equal(null);
      expect((await get(`/api/events/${late.eventId}`)).body).to.include({ outcome: 'pending' });
      expect(await eventNumbers('/api/tenants/acme/events?outcome=pending')).to.deep.equal([600]);
    });

    it('reports every mistake of the query at once, each under its name', async () => {
      const mistakes =
        'type=demo&from=yesterday&limit=0&limit=5&cursor=x&user=&code=%zz&colour=red&outcome=Attributed';
      const { status, body } = await get(`/api/tenants/acme/events?${mistakes}`);
      expect(status).to.equal(422);
      expect(body.code).to.equal('VALIDATION_ERROR');
      expect(body.errors?.map(({ pointer, code }) => [pointer, code])).to.deep.equal([
        ['/type', 'INVALID_ENUM'],
        ['/from', 'INVALID_FORMAT'],
        ['/limit', 'OUT_OF_RANGE'],
        ['/limit', 'INVALID_FORMAT'],
        ['/cursor', 'INVALID_FORMAT'],
        ['/user', 'OUT_OF_RANGE'],
        ['/code', 'INVALID_FORMAT'],
        ['/colour', 'UNKNOWN_FIELD'],
        ['/outcome', 'INVALID_ENUM'],
      ]);
    });

    it('refuses a cursor of another list', async () => {
      const { body } = await get('/api/tenants/acme/timeline?user=cara&limit=1');
      const cursor = String(body['nextCursor']);
      expect((await get(`/api/tenants/acme/events?cursor=${cursor}`)).status).to.equal(422);
    });
  });

  describe('rewards and issuances', () => {
    it('are listed with filters', async () => {
      expect(await rewardIds('')).to.have.members([
        details.forAda.rewardId,
        details.forCara.rewardId,
      ]);
      expect(await rewardIds('?state=review')).to.deep.equal([details.forCara.rewardId]);
      expect(
        await rewardIds('?recipient=ada&rule=purchase&campaign=spring&user=cara'),
      ).to.deep.equal([details.forAda.rewardId]);
      expect(await rewardIds(`?event=${details.bought.eventId}&role=new-user`)).to.deep.equal([
        details.forCara.rewardId,
      ]);
      expect(await rewardIds('?from=2200-01-01T00:00:00Z')).to.deep.equal([]);
      const { body } = await get('/api/tenants/acme/issuances?recipient=ada');
      expect(body['issuances']).to.have.length(1);
      expect((body['issuances'] as Item[])[0]).to.include({ credits: '10', recipientId: 'ada' });
    });

    it('are paged', async () => {
      const first = await get('/api/tenants/acme/rewards?limit=1');
      const cursor = String(first.body['nextCursor']);
      const second = await get(`/api/tenants/acme/rewards?limit=1&cursor=${cursor}`);
      const ids = [first, second].flatMap(({ body }) => idsOf(body));
      expect(ids).to.have.members([details.forAda.rewardId, details.forCara.rewardId]);
      expect(second.body['nextCursor']).to.equal(null);
    });
  });

  describe('balances', () => {
    it('of a recipient are exact, by campaign and in total', async () => {
      const { body } = await get('/api/tenants/acme/recipients/ada/balance');
      const expected = {
        entitled: '5',
        held: '0',
        review: '0',
        withheld: '0',
        issued: '10',
        reversed: '5',
        owed: '-5',
      };
      expect(body).to.include({ recipientId: 'ada', ...expected });
      expect(body['campaigns']).to.deep.equal([{ campaignId: 'spring', ...expected }]);
      const cara = await get('/api/tenants/acme/recipients/cara/balance');
      expect(cara.body).to.include({
        entitled: '1.5',
        review: '1.5',
        owed: '1.5',
        reversed: '1.5',
      });
    });

    it('of a campaign add up all recipients', async () => {
      const { body } = await get('/api/tenants/acme/campaigns/spring/balance');
      expect(body).to.include({
        campaignId: 'spring',
        recipients: 2,
        entitled: '6.5',
        review: '1.5',
        issued: '10',
        owed: '-3.5',
        reversed: '6.5',
      });
    });

    it('are nothing for who has earned nothing, and 404 for an unknown campaign', async () => {
      const nobody = await get('/api/tenants/acme/recipients/zoe%2F%20x/balance');
      expect(nobody.body).to.deep.include({ recipientId: 'zoe/ x', entitled: '0', campaigns: [] });
      expect((await get('/api/tenants/acme/campaigns/none/balance')).status).to.equal(404);
      expect((await get('/api/tenants/acme/recipients/a%00b/balance')).status).to.equal(404);
    });
  });

  describe('explain', () => {
    it('tells the whole chain of a purchase, as records and in sentences', async () => {
      const { status, body } = await get(
        `/api/tenants/acme/explain?event=${details.bought.eventId}`,
      );
      expect(status).to.equal(200);
      const [story] = body['stories'] as Record<string, Item[]>[];
      expect(story?.['refunds']).to.have.length(1);
      expect(story?.['duplicates']).to.have.length(1);
      expect(story?.['rewards']).to.have.length(2);
      expect(story?.['silentRules']?.map(({ ruleId }) => ruleId)).to.deep.equal(['yearly']);
      const text = String(body['text']);
      for (const part of [
        'user "cara" (Cara Example)',
        '49.00 EUR',
        'attributed to user "ada"',
        '24.50 EUR of 49.00 EUR have been taken back so far',
        '10 → 5',
        'expired at 2026-03-01T12:03:30.000Z after 1 attempt',
        'resent by olga@ops at 2026-03-01T12:03:41.000Z: they were down',
        'delivered on attempt 2',
        'Withheld by olga@ops',
        'rule "yearly"',
      ]) {
        expect(text.toLowerCase()).to.contain(part.toLowerCase());
      }
    });

    it('is found by invoice, user and reward, and without a tenant by event and reward', async () => {
      const stories = async (path: string) =>
        ((await get(path)).body['stories'] as Item[]).map(({ eventId }) => eventId);
      const invoice = await stories('/api/tenants/acme/explain?invoice=inv-1');
      expect(invoice).to.deep.equal([2, 3, 4].map(uuid));
      expect(await stories('/api/tenants/acme/explain?user=dora')).to.deep.equal([uuid(5)]);
      const reward = `reward=${details.forCara.rewardId}`;
      expect(await stories(`/api/tenants/acme/explain?${reward}`)).to.deep.equal([uuid(2)]);
      expect(await stories(`/api/explain?${reward}`)).to.deep.equal([uuid(2)]);
      expect(await stories(`/api/explain?event=${uuid(500)}`)).to.deep.equal([uuid(500)]);
      const referrer = await get('/api/tenants/acme/explain?user=ada');
      expect(referrer.body['account']).to.have.nested.property('balance.owed', '-5');
      expect(referrer.body['stories']).to.deep.equal([]);
    });

    it('asks for exactly one thing, and knows nothing of what is not there', async () => {
      for (const query of ['', '?event=a&user=b', '?event=a&colour=red']) {
        expect((await get(`/api/tenants/acme/explain${query}`)).status, query).to.equal(422);
      }
      expect((await get('/api/explain?user=cara')).status).to.equal(422);
      for (const query of ['event=x', 'invoice=x', 'user=x', 'reward=x']) {
        expect((await get(`/api/tenants/acme/explain?${query}`)).status, query).to.equal(404);
      }
    });
  });

  it('searches by any id, whole', async () => {
    const matches = async (q: string) => {
      const { body } = await get(`/api/tenants/acme/search?q=${q}`);
      return (body['matches'] as Item[]).map(({ kind }) => kind);
    };
    expect(await matches(details.bought.eventId)).to.deep.equal(['event']);
    expect(await matches(details.forAda.rewardId)).to.deep.equal(['reward']);
    expect(await matches(details.issued.issuanceId)).to.deep.equal(['issuance']);
    expect(await matches(details.issued.webhookEventId)).to.deep.equal(['webhook']);
    expect(await matches('inv-1')).to.deep.equal(['invoice']);
    expect(await matches('ada')).to.deep.equal(['user']);
    expect(await matches('ada-code')).to.deep.equal(['code']);
    expect(await matches('ad')).to.deep.equal([]);
    expect((await get('/api/tenants/acme/search')).status).to.equal(422);
  });

  it('gives the timeline of a user, an event and a reward, newest first and by pages', async () => {
    const whole = await timeline('user=ada');
    expect(whole.map(({ at }) => at)).to.deep.equal(
      whole
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    expect(new Set(whole.map(({ kind }) => kind))).to.deep.equal(
      new Set(['reward', 'delivery', 'issuance', 'event', 'code']),
    );
    expect(whole.filter(({ kind }) => kind === 'event')).to.have.length(3);
    expect(await timeline('user=ada', 2)).to.deep.equal(whole);
    const kinds = async (query: string) => (await timeline(query)).map(({ kind }) => kind).sort();
    expect(await kinds(`event=${details.bought.eventId}`)).to.deep.equal([
      'action',
      'delivery',
      'delivery',
      'delivery',
      'delivery',
      'event',
      'event',
      'event',
      'issuance',
      'reward',
      'reward',
    ]);
    expect(await kinds(`reward=${details.forCara.rewardId}`)).to.deep.equal([
      'action',
      'event',
      'event',
      'reward',
    ]);
    expect((await get('/api/tenants/acme/timeline?user=a&event=b')).status).to.equal(422);
  });

  describe('with an access token of a tenant', () => {
    it('shows the decision on the own event, and nobody else’s', async () => {
      const token = await tokenOf('acme');
      const { status, body } = await get(`/api/events/${details.bought.eventId}`, token);
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        outcome: 'attributed',
        campaignId: 'spring',
        campaignRevision: 1,
        referrerId: 'ada',
        waitsFor: [],
      });
      expect((body['rewards'] as Item[])[0]).to.include({
        state: 'issued',
        entitledCredits: '5',
        issuedCredits: '10',
      });
      expect(body['tests']).to.have.length(1);
      expect(JSON.stringify(body)).not.to.contain('@example.com');
      for (const eventId of [uuid(500), uuid(999), '%00', 'x'.repeat(300)]) {
        expect((await get(`/api/events/${eventId}`, token)).status, eventId).to.equal(404);
      }
      const other = await get(`/api/events/${uuid(500)}`, await tokenOf('other'));
      expect(other.body).to.include({ eventId: uuid(500), outcome: 'attributed' });
    });

    it('opens no other path, and no path without a valid token', async () => {
      const token = await tokenOf('acme');
      for (const path of ['/api/tenants', '/api/tenants/acme/events', '/api/explain?event=x']) {
        expect((await get(path, token)).status, path).to.equal(401);
      }
      const foreign = signerOf('prod')({ tenantId: 'acme', accessKeyId: 'AK' }).accessToken;
      for (const bad of [undefined, 'nonsense', foreign]) {
        const { status, headers } = await get(`/api/events/${details.bought.eventId}`, bad ?? '');
        expect([status, headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer']);
      }
    });

    it('is refused from the moment its key is revoked', async () => {
      const { accessKeyId, token } = await issueToken('acme');
      expect((await get(`/api/events/${details.bought.eventId}`, token)).status).to.equal(200);
      await portal.call('DELETE', `/api/tenants/acme/access-keys/${accessKeyId}`);
      expect((await get(`/api/events/${details.bought.eventId}`, token)).status).to.equal(401);
    });

    it('takes GET only', async () => {
      const { status, headers } = await portal.call(
        'POST',
        `/api/events/${details.bought.eventId}`,
      );
      expect([status, headers.get('allow')]).to.deep.equal([405, 'GET']);
    });
  });

  it('shows nothing of one tenant to another, and 404 for a tenant that does not exist', async () => {
    expect(await eventNumbers('/api/tenants/other/events')).to.deep.equal([500]);
    expect(await eventNumbers('/api/tenants/other/events?invoice=inv-1')).to.deep.equal([500]);
    for (const path of [
      `explain?event=${details.bought.eventId}`,
      `explain?reward=${details.forAda.rewardId}`,
      'explain?user=dora',
      'explain?invoice=inv-2',
    ]) {
      expect((await get(`/api/tenants/other/${path}`)).status, path).to.equal(404);
    }
    for (const kind of ['user=ada', `event=${uuid(2)}`, `reward=${details.forCara.rewardId}`]) {
      const { body } = await get(`/api/tenants/other/timeline?${kind}`);
      expect(JSON.stringify(body), kind).not.to.contain('"acme"');
    }
    const lists = ['events', 'rewards', 'issuances', 'search?q=x', 'timeline?user=x'];
    for (const path of [
      ...lists,
      'explain?user=x',
      'recipients/x/balance',
      'campaigns/x/balance',
    ]) {
      expect((await get(`/api/tenants/nobody/${path}`)).status, path).to.equal(404);
    }
  });

  it('is part of readiness, and of the metrics', async () => {
    // What the specs above have put on the log may have yet to be read.
    await eventually(async () => {
      const ready = (await (await fetch(`${portal.adminUrl}/readyz?all`)).json()) as {
        checks: Record<string, { ok: boolean }>;
      };
      expect(ready.checks['read-model']).to.deep.equal({ ok: true });
      const metrics = await (await fetch(`${portal.adminUrl}/metrics`)).text();
      const lags = samplesOf(metrics, 'tributary_consumer_lag');
      const readModel = lags.filter(({ labels }) => labels['generation'] === '1');
      expect(readModel.map(({ labels }) => labels['live']))
        .to.include('true')
        .but.not.include('false');
      expect(readModel.reduce((sum, { value }) => sum + value, 0)).to.equal(0);
      expect(metrics).to.match(/^tributary_read_model_as_of_timestamp_seconds\{[^}]*\} [1-9]/m);
    });
  });

  describe('an erasure', () => {
    it('tells no name that was to be forgotten', async () => {
      await portal.publish([
        onLog.event(signup(700, { userId: 'fred', ucc: 'x' })),
        onLog.person(personOf('fred', { name: 'Fred Canary', receivedAt: receivedAt(700) })),
      ]);
      const path = '/api/tenants/acme/explain?user=fred';
      await read(path, (body) => String(body['text']).includes('Fred Canary'));
      await portal.publish([onLog.catalog(erasureOf('fred', receivedAt(701)))]);
      await read(path, (body) => !JSON.stringify(body).includes('Canary'));
      expect((await get(path)).status).to.equal(200);
    });
  });

  describe('what was issued for a reward that no longer exists', () => {
    // As after a rebuild, when the log has lost the event.
    const gone = rewardFor(decisionOn(purchase(710)), { recipientId: 'gus', entitledCredits: '3' });
    const paid = issuanceOf(gone, 710);

    it('is explained to its recipient, and by the reward that the webhook named', async () => {
      await portal.publish([onLog.issuance(paid)]);
      const isShown = (body: AnswerBody) => String(body['text']).includes('no longer exist');
      const user = await read('/api/tenants/acme/explain?user=gus', isShown);
      expect(user['account']).to.deep.nested.include({
        'balance.issued': '3',
        'balance.owed': '-3',
        rewards: [],
      });
      const { issuanceId, rewardId } = paid;
      for (const path of [
        `/api/tenants/acme/explain?reward=${rewardId}`,
        `/api/explain?reward=${rewardId}`,
        '/api/tenants/acme/explain?user=gus',
      ]) {
        const { body } = await get(path);
        const { credits, count, issuances } = body['issuedWithoutReward'] as Record<
          string,
          unknown
        >;
        expect([credits, count], path).to.deep.equal(['3', 1]);
        expect((issuances as { issuance: Item }[])[0]!.issuance).to.include({ issuanceId });
        expect(body['text'])
          .to.contain('Issued 3 credits to user "gus" for a reward that no longer exists')
          .and.contain(`For reward ${rewardId}`)
          .and.contain(`(issuance ${issuanceId})`);
      }
      expect((await get(`/api/tenants/other/explain?reward=${rewardId}`)).status).to.equal(404);
      // A generation knows its rewards from when it was built, and issuances from before.
      const earlier = `asOf=${String((await get('/api/tenants/acme/events')).body['asOf'])}`;
      const { body } = await get(`/api/tenants/acme/explain?user=gus&${earlier}`);
      expect(body).to.not.have.property('issuedWithoutReward');
    });

    it('is no longer shown when the reward is there again', async () => {
      await portal.publish([onLog.reward({ ...gone, state: 'issued', issuedCredits: '3' })]);
      const body = await read(
        '/api/tenants/acme/explain?user=gus',
        ({ issuedWithoutReward }) => issuedWithoutReward === undefined,
      );
      expect(body['account']).to.have.nested.property('balance.owed', '0');
      expect(body['text']).to.not.contain('no longer exist');
    });
  });

  // The last, as it stops one partition for good.
  describe('a read model that had to stop', () => {
    it('says so in readiness, and the admin API goes on with what is there', async () => {
      const newer = JSON.stringify({ schemaVersion: 99 });
      await portal.publish([{ topic: 'rewards', key: 'acme:ada', value: newer }]);
      await eventually(
        async () => {
          const ready = await fetch(`${portal.adminUrl}/readyz?all`);
          expect(ready.status).to.equal(503);
          expect(await ready.text()).to.contain('newer-schema');
        },
        { deadlineMs: 20_000 },
      );
      const before = Date.now();
      expect(await rewardIds('?recipient=ada')).to.deep.equal([details.forAda.rewardId]);
      const tenant = { name: 'New', tenantId: 'new' };
      expect((await portal.call('POST', '/api/tenants', tenant)).status).to.equal(201);
      const { body } = await get('/api/tenants/new/events');
      expect(body['events']).to.deep.equal([]);
      expect(Date.parse(String(body['asOf']))).to.be.below(before);
    });
  });

  function isRevision(decoded: unknown): boolean {
    return (decoded as Partial<CatalogRecord> | null)?.entity === 'campaign-revision';
  }

  async function get(path: string, token?: string) {
    if (token === undefined) return portal.call('GET', path);
    const response = await fetch(`${portal.baseUrl}${path}`, {
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    });
    const body = (await response.json()) as AnswerBody;
    return { status: response.status, body, headers: response.headers };
  }

  async function read(path: string, isThere: (body: AnswerBody) => boolean): Promise<AnswerBody> {
    return eventually(
      async () => {
        const { body } = await get(path);
        if (!isThere(body)) throw new Error(`not there yet: ${JSON.stringify(body).slice(0, 500)}`);
        return body;
      },
      { deadlineMs: 20_000 },
    );
  }

  async function caughtUp(): Promise<void> {
    const since = Date.now();
    await read('/api/tenants/acme/events', ({ asOf }) => Date.parse(String(asOf)) >= since);
  }

  async function eventNumbers(path: string): Promise<number[]> {
    return numbersOf((await get(path)).body);
  }

  function numbersOf(body: AnswerBody): number[] {
    return (body['events'] as Item[]).map(({ eventId }) => Number(String(eventId).slice(-12)));
  }

  async function rewardIds(query: string): Promise<unknown[]> {
    return idsOf((await get(`/api/tenants/acme/rewards${query}`)).body);
  }

  function idsOf(body: AnswerBody): unknown[] {
    return (body['rewards'] as Item[]).map(({ rewardId }) => rewardId);
  }

  async function timeline(query: string, limit = 200): Promise<Item[]> {
    const entries: Item[] = [];
    let cursor = '';
    do {
      const { body } = await get(`/api/tenants/acme/timeline?${query}&limit=${limit}${cursor}`);
      entries.push(...(body['entries'] as Item[]));
      const next = body['nextCursor'] as string | null;
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    return entries;
  }

  async function tokenOf(tenantId: string): Promise<string> {
    return (await issueToken(tenantId)).token;
  }

  async function issueToken(tenantId: string): Promise<{ accessKeyId: string; token: string }> {
    const { body } = await portal.call('POST', `/api/tenants/${tenantId}/access-keys`);
    const accessKeyId = String(body['accessKeyId']);
    const { accessToken } = signerOf('sandbox')({ tenantId, accessKeyId });
    return { accessKeyId, token: accessToken };
  }

  function signerOf(environment: 'prod' | 'sandbox') {
    const key = portal.tokenSigningKey;
    return createTokenSigner({ key, environment, clock: systemClock, lifetimeSeconds: 60 });
  }
});
