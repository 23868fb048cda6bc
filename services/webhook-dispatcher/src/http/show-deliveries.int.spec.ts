import { expect } from 'chai';
import {
  type AskedDispatcher,
  createAskedDispatcher,
  exhausted,
  minute,
} from '../testing/asked-dispatcher.ts';
import {
  attempted,
  endpointRecord,
  expired,
  incomingEndpoints,
  incomingFacts,
  resent,
} from '../testing/facts.ts';
import { uuidOf } from '../testing/records.ts';

const by = 'ops@example.com';

describe('what operators see of deliveries', () => {
  let dispatcher: AskedDispatcher;

  before(async () => {
    dispatcher = await createAskedDispatcher();
  });
  beforeEach(() => dispatcher.renew());
  after(() => dispatcher.end());

  const idsOf = (list: unknown) =>
    (list as { webhookEventId: string }[]).map(({ webhookEventId }) => webhookEventId);

  describe('a list', () => {
    const search = ['deliveries', 'search'];

    it('shows the newest issue first, page by page, each delivery once', async () => {
      const ids = await dispatcher.issue(7);
      await dispatcher.issue(2, 't2');
      const seen: string[] = [];
      let cursor: unknown;
      do {
        const [, page] = await dispatcher.ask(search, {
          limit: 3,
          ...(cursor !== undefined && { cursor }),
        });
        seen.push(...idsOf(page['deliveries']));
        cursor = page['nextCursor'];
      } while (cursor !== undefined);
      expect(seen).to.deep.equal([...ids].reverse());
    });

    it('shows how far each is and what came of its last attempt', async () => {
      const [id] = await dispatcher.issue(1);
      await dispatcher.database.apply(...incomingEndpoints(endpointRecord('t1')));
      const nextAttemptAt = minute(9);
      await dispatcher.database.apply(
        ...incomingFacts(
          attempted(id!, { startedAt: minute(1), nextAttemptAt: minute(2) }),
          attempted(id!, { attempt: 2, startedAt: minute(2), statusCode: 503, nextAttemptAt }),
        ),
      );
      const [status, { deliveries }] = await dispatcher.ask(search, { limit: 10 });
      expect(status).to.equal(200);
      expect(deliveries).to.deep.equal([
        {
          webhookEventId: id,
          issuanceId: uuidOf(`issuance-of-${id}`),
          rewardId: uuidOf(`reward-of-${id}`),
          recipientId: 'r0',
          state: 'pending',
          attempts: 2,
          round: 0,
          issuedAt: minute(0),
          dueAt: nextAttemptAt,
          lastAttempt: {
            attempt: 2,
            startedAt: minute(2),
            result: 'status',
            statusCode: 503,
            durationMs: 10,
          },
        },
      ]);
    });

    it('is narrowed by state, recipient and time of issue', async () => {
      const ids = await dispatcher.issue(6);
      await dispatcher.database.apply(...incomingEndpoints(endpointRecord('t1')));
      await dispatcher.database.apply(
        ...incomingFacts(
          exhausted(ids[0]!, 30),
          attempted(ids[1]!, { outcome: 'delivered' }),
          expired(ids[2]!),
        ),
      );
      const found = async (filter: object) => {
        const [, { deliveries }] = await dispatcher.ask(search, { limit: 10, ...filter });
        return idsOf(deliveries).map((id) => ids.indexOf(id));
      };
      expect(await found({ state: 'exhausted' })).to.deep.equal([2, 0]);
      expect(await found({ state: 'delivered' })).to.deep.equal([1]);
      expect(await found({ state: 'pending' })).to.deep.equal([5, 4, 3]);
      expect(await found({ state: 'no-endpoint' })).to.deep.equal([]);
      expect(await found({ recipientId: 'r1' })).to.deep.equal([4, 1]);
      expect(await found({ since: minute(1), until: minute(3) })).to.deep.equal([2, 1]);
      // Disabled is as if there were none.
      const disabled = endpointRecord('t1', { version: 2, status: 'disabled' });
      await dispatcher.database.apply(...incomingEndpoints(disabled));
      expect(await found({ state: 'pending' })).to.deep.equal([]);
      expect(await found({ state: 'no-endpoint' })).to.deep.equal([5, 4, 3]);
      const [, { deliveries }] = await dispatcher.ask(search, { limit: 1 });
      expect(deliveries).to.have.nested.property('[0].state', 'no-endpoint');
    });
  });

  describe('one delivery', () => {
    it('is shown with its bytes, its attempts with their answers, and its resends', async () => {
      const [id] = await dispatcher.issue(1);
      await dispatcher.database.apply(
        ...incomingFacts(exhausted(id!, 5), resent(id!, { attempts: 2, by })),
      );
      await dispatcher.database.pool.query(
        `update attempt set detail = 'too late', answer_headers = '[["server","x"]]',
           answer_body = 'no', answer_cut = true`,
      );
      const [status, shown] = await dispatcher.ask(['deliveries', id!, 'show'], {});
      expect(status).to.equal(200);
      expect(shown['delivery']).to.include({ webhookEventId: id, state: 'no-endpoint', round: 1 });
      const payload = JSON.parse(shown['payload'] as string) as unknown;
      expect(payload).to.include({ eventId: id, eventType: 'new-reward' });
      expect(shown['attempts']).to.deep.equal([
        {
          attempt: 2,
          round: 0,
          startedAt: minute(5),
          durationMs: 0,
          outcome: 'exhausted',
          result: 'status',
          detail: 'too late',
          answer: { headers: [['server', 'x']], body: 'no', cut: true },
        },
      ]);
      expect(shown['resends']).to.deep.equal([{ round: 1, by, at: resent(id!).at }]);
    });

    it('is not found by another tenant, by a made-up id, or known from its past alone', async () => {
      const [id] = await dispatcher.issue(1);
      const unknown = uuidOf('not-issued');
      await dispatcher.database.apply(...incomingFacts(attempted(unknown)));
      const detail = 'This tenant has no delivery with this id.';
      for (const verb of ['show', 'resend']) {
        const body = verb === 'show' ? {} : { by };
        for (const [name, tenantId] of [
          [id!, 't2'],
          ['x', 't1'],
          [unknown, 't1'],
        ] as const) {
          const answered = await dispatcher.ask(['deliveries', name, verb], body, tenantId);
          expect(answered, `${verb} ${name}`).to.deep.equal([404, { detail }]);
        }
      }
    });
  });

  describe('a status', () => {
    const status = async (tenantId = 't1') =>
      (await dispatcher.ask(['webhook', 'status'], {}, tenantId))[1];

    it('of a tenant that nothing is known of is empty', async () => {
      expect(await status()).to.deep.equal({
        breaker: { state: 'closed', opened: 0 },
        failing: false,
        inFlight: 0,
        waiting: { due: 0, later: 0, exhausted: 0, noEndpoint: 0 },
        oldestDueSeconds: 0,
      });
    });

    it('counts what waits, and tells what waits for an endpoint from what waits for its turn', async () => {
      const ids = await dispatcher.issue(5);
      const later = new Date(Date.now() + 3_600_000).toISOString();
      await dispatcher.database.apply(
        ...incomingFacts(attempted(ids[0]!, { nextAttemptAt: later }), exhausted(ids[1]!, 3)),
      );
      expect((await status())['waiting']).to.deep.equal({
        ...{ due: 0, later: 0, exhausted: 1, noEndpoint: 4 },
      });
      await dispatcher.database.apply(...incomingEndpoints(endpointRecord('t1')));
      await dispatcher.database.pool.query(
        `update delivery set claimed_by = gen_random_uuid() where webhook_event_id = $1`,
        [ids[2]],
      );
      await dispatcher.database.pool.query('update endpoint set in_flight = 1');
      const after = await status();
      expect(after).to.deep.include({
        inFlight: 1,
        waiting: { due: 2, later: 1, exhausted: 1, noEndpoint: 0 },
      });
      expect(after['oldestDueSeconds']).to.be.greaterThan(3_600);
    });

    it('tells how the endpoint is set up and how it fares', async () => {
      const record = endpointRecord('t1', {
        status: 'paused',
        reason: 'too many errors',
        changedBy: by,
        previous: { username: 'old', sealedPassword: 'v1.old', until: '2126-03-01T00:00:00.000Z' },
      });
      await dispatcher.database.apply(...incomingEndpoints(record));
      await dispatcher.database.pool.query(
        `update endpoint set probe_at = now() + interval '1 minute', opened = 3,
           failing_since = now() - interval '49 hours', last_failure_at = now(),
           last_failure = 'status 500'`,
      );
      const recorded = await status();
      expect(recorded['endpoint']).to.deep.equal({
        url: record.url,
        username: 'hook-user',
        status: 'paused',
        reason: 'too many errors',
        changedBy: by,
        changedAt: record.publishedAt,
        credentialsOverlapUntil: '2126-03-01T00:00:00.000Z',
      });
      expect(recorded['breaker']).to.deep.include({ state: 'open', opened: 3 });
      expect(recorded).to.include({ failing: true, lastFailure: 'status 500' });
      expect(JSON.stringify(recorded)).not.to.include('v1.');
      await dispatcher.database.pool.query(
        `update endpoint set probe_at = now(), failing_since = now() - interval '47 hours'`,
      );
      const after = await status();
      expect(after).to.deep.include({ failing: false });
      expect(after['breaker']).to.include({ state: 'half-open' });
    });
  });
});
