import { inTransaction } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type pg from 'pg';
import { createDispatchDatabase } from '../testing/database.ts';
import {
  attempted,
  endpointRecord,
  erasure,
  expired,
  incomingEndpoints,
  incomingErasures,
  incomingFacts,
  incomingTenant,
  resent,
} from '../testing/facts.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';
import { insertAttempts } from '../db/insert-attempts.ts';
import { dueChannelPrefix } from '../db/notify-due.ts';

describe('applyRecords', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  const id = uuidOf('ev-1');
  const issuedAt = '2026-03-01T10:00:00.000Z';

  beforeEach(async () => {
    database = await createDispatchDatabase();
  });
  afterEach(() => database.drop());

  async function delivery(webhookEventId = id): Promise<Record<string, unknown>> {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      'select * from delivery where webhook_event_id = $1',
      [webhookEventId],
    );
    return rows[0]!;
  }

  async function endpoint(tenantId = 't1'): Promise<Record<string, unknown>> {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      'select *, next_at <= now() as "worthALook" from endpoint where tenant_id = $1',
      [tenantId],
    );
    return rows[0]!;
  }

  /** As a worker leaves a claimed row, with nothing else to look at. */
  async function claim(): Promise<void> {
    await database.pool.query(`update delivery set claimed_by = gen_random_uuid()`);
    await database.pool.query(
      `update endpoint set in_flight = 1, next_at = 'infinity',
         retries_in_flight = (select count(*) from delivery where retry)`,
    );
  }

  describe('of issuances', () => {
    it('makes a row that is due since it was issued, and an endpoint that is worth a look', async () => {
      await database.apply(...incomingIssuances(issuance(id, { issuedAt, recipientId: 'anna' })));
      expect(await delivery()).to.deep.include({
        tenant_id: 't1',
        recipient_id: 'anna',
        state: 'pending',
        due_at: new Date(issuedAt),
        round_started_at: new Date(issuedAt),
      });
      expect(await endpoint()).to.deep.include({ status: 'none', worthALook: true });
    });

    it('is not due in a future that only the clock of another process has seen', async () => {
      const ahead = new Date(Date.now() + 3_600_000).toISOString();
      await database.apply(...incomingIssuances(issuance(id, { issuedAt: ahead })));
      const { rows } = await database.pool.query('select from delivery where due_at <= now()');
      expect(rows).to.have.length(1);
    });

    it('keeps the body of the first record, whatever comes later', async () => {
      await database.apply(...incomingIssuances(issuance(id, { credits: '1' })));
      const { body } = await delivery();
      await database.apply(...incomingIssuances(issuance(id, { credits: '2' })));
      expect((await delivery())['body']).to.deep.equal(body);
    });

    it('wakes an endpoint that had nothing to do until for ever', async () => {
      await database.apply(...incomingEndpoints(endpointRecord('t1')));
      await database.pool.query(`update endpoint set next_at = 'infinity'`);
      await database.apply(...incomingIssuances(issuance(id)));
      expect((await endpoint())['worthALook']).to.equal(true);
    });

    it('is not lost on a claim that is looking at the same moment', async () => {
      await database.apply(...incomingEndpoints(endpointRecord('t1')));
      const claiming = await database.pool.connect();
      await claiming.query('begin');
      await claiming.query('select from endpoint for update');
      const applied = database.apply(...incomingIssuances(issuance(id)));
      // It saw nothing, and says so; the intake has to wait for that word.
      await claiming.query(`update endpoint set next_at = 'infinity'`);
      await claiming.query('commit');
      claiming.release();
      await applied;
      expect((await endpoint())['worthALook']).to.equal(true);
    });

    it('tells whoever listens when it is committed', async () => {
      const listener = await database.pool.connect();
      const heard = new Promise<string>((resolve) => {
        listener.on('notification', ({ channel }) => resolve(channel));
      });
      await listener.query(`listen "${dueChannelPrefix}dispatch"`);
      await database.apply(...incomingIssuances(issuance(id)));
      expect(await heard).to.equal('webhook_due_dispatch');
      listener.release(true);
    });
  });

  describe('of our own facts', () => {
    it('ends a claim that was overtaken and takes it off the counters', async () => {
      await database.apply(...incomingIssuances(issuance(id)));
      await claim();
      await database.apply(...incomingFacts(attempted(id)));
      expect(await delivery()).to.include({ claimed_by: null, attempts: 1, step: 1 });
      expect(await endpoint()).to.include({ in_flight: 0, retries_in_flight: 0, worthALook: true });
      await claim();
      expect(await endpoint()).to.include({ in_flight: 1, retries_in_flight: 1 });
      await database.apply(...incomingFacts(attempted(id, { attempt: 2, outcome: 'delivered' })));
      expect(await delivery()).to.include({ claimed_by: null, state: 'delivered' });
      expect(await endpoint()).to.include({ in_flight: 0, retries_in_flight: 0 });
    });

    it('leaves a claim alone that is for the attempt after them', async () => {
      await database.apply(...incomingIssuances(issuance(id)));
      await database.apply(...incomingFacts(attempted(id)));
      await claim();
      const before = await delivery();
      await database.apply(...incomingFacts(attempted(id)));
      expect(await delivery()).to.deep.equal(before);
      expect(await endpoint()).to.include({ in_flight: 1 });
    });

    it('keeps what the receiver answered when an attempt is read again', async () => {
      const fact = attempted(id);
      await database.apply(...incomingFacts(fact));
      await database.pool.query(`update attempt set answer_body = 'no', answer_cut = false`);
      await database.apply(...incomingFacts(fact));
      const kept = await database.pool.query('select answer_body from attempt');
      expect(kept.rows).to.deep.equal([{ answer_body: 'no' }]);
      // It is not the answer to somebody else's attempt of that number.
      await database.apply(...incomingFacts(attempted(id, { outcome: 'delivered' })));
      const replaced = await database.pool.query('select outcome, answer_body from attempt');
      expect(replaced.rows).to.deep.equal([{ outcome: 'delivered', answer_body: null }]);
    });

    it('writes nothing when they tell what is there', async () => {
      const facts = [
        attempted(id),
        resent(id, { attempts: 1 }),
        expired(id, { round: 1, attempts: 1 }),
      ];
      await database.apply(...incomingIssuances(issuance(id)));
      await database.apply(...incomingFacts(...facts));
      const places = () =>
        database.pool.query(
          `select xmin::text, xmax::text, ctid::text from delivery
           union all select xmin::text, xmax::text, ctid::text from attempt`,
        );
      const before = (await places()).rows;
      await database.apply(...incomingFacts(attempted(id), facts[2]!));
      expect((await places()).rows).to.deep.equal(before);
    });

    it('counts the horizon of a round from when it was asked for', async () => {
      await database.apply(...incomingFacts(attempted(id, { round: 1, attempt: 3, step: 1 })));
      await database.apply(...incomingIssuances(issuance(id, { issuedAt })));
      expect((await delivery())['round_started_at']).to.deep.equal(new Date(issuedAt));
      const asked = resent(id, { attempts: 2 });
      await database.apply(...incomingFacts(asked));
      expect((await delivery())['round_started_at']).to.deep.equal(new Date(asked.at));
      expect(await delivery()).to.include({ attempts: 3, step: 1, round: 1 });
    });

    it('passes by a fact of a day that there is not', async () => {
      const never = attempted(id, { startedAt: '2026-13-45T99:00:00.000Z' });
      await database.apply(...incomingFacts(never, attempted(uuidOf('ev-2'))));
      expect(await delivery()).to.equal(undefined);
      expect(await delivery(uuidOf('ev-2'))).to.include({ attempts: 1 });
    });
  });

  describe('of the catalog', () => {
    const previous = {
      username: 'old-user',
      sealedPassword: 'v1.k1.old',
      until: '2026-03-01T00:00:00.000Z',
    };

    it('takes up an endpoint, and only a version above the known one', async () => {
      const paused = endpointRecord('t1', {
        version: 3,
        status: 'paused',
        reason: 'too many',
        changedBy: 'ops',
        previous,
      });
      await database.apply(
        ...incomingEndpoints(
          endpointRecord('t1', { version: 2, url: 'https://older.example' }),
          paused,
        ),
      );
      const known = {
        version: 3,
        status: 'paused',
        url: paused.url,
        username: 'hook-user',
        previous_username: 'old-user',
        previous_until: new Date(previous.until),
        reason: 'too many',
        changed_by: 'ops',
        changed_at: new Date(paused.publishedAt),
      };
      expect(await endpoint()).to.deep.include(known);
      for (const version of [1, 3]) {
        await database.apply(...incomingEndpoints(endpointRecord('t1', { version })));
        expect(await endpoint()).to.deep.include(known);
      }
    });

    it('has what waited looked at, and a broken endpoint tried, as soon as somebody changed it', async () => {
      await database.apply(...incomingEndpoints(endpointRecord('t1')));
      await database.pool.query(
        `update endpoint set next_at = 'infinity', probe_at = now() + interval '4 minutes',
           opened = 7, in_flight = 2`,
      );
      await database.apply(...incomingEndpoints(endpointRecord('t1', { version: 2 })));
      const { rows } = await database.pool.query(
        `select next_at <= now() as looked, probe_at <= now() as tried, opened, in_flight
         from endpoint`,
      );
      expect(rows).to.deep.equal([{ looked: true, tried: true, opened: 7, in_flight: 2 }]);
      await database.pool.query('update endpoint set probe_at = null');
      await database.apply(...incomingEndpoints(endpointRecord('t1', { version: 3 })));
      expect((await endpoint())['probe_at']).to.equal(null);
    });

    it('waits for others in one order, whichever of its records come first', async () => {
      await database.apply(...incomingEndpoints(endpointRecord('t1'), endpointRecord('t2')));
      const other = await database.pool.connect();
      try {
        await other.query('begin');
        await other.query(`select from endpoint where tenant_id = 't1' for update`);
        const applied = database.apply(
          ...incomingEndpoints(endpointRecord('t2', { version: 2 })),
          incomingTenant('t1', 'active', 2),
        );
        await eventually(async () => {
          const { rowCount } = await database.pool.query(
            `select from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          );
          expect(rowCount).to.equal(1);
        });
        // It holds t2 only once it has t1.
        await other.query(`select from endpoint where tenant_id = 't2' for update`);
        await other.query('commit');
        await applied;
      } finally {
        other.release();
      }
    });

    it('passes by an erasure of a day that there is not', async () => {
      const never = erasure('referrer-1', { erasedAt: '2026-13-45T99:00:00.000Z' });
      await database.apply(...incomingErasures(never, erasure('referrer-2')));
      const { rows } = await database.pool.query('select user_id from erasure');
      expect(rows).to.deep.equal([{ user_id: 'referrer-2' }]);
    });
  });

  describe('of what receivers answered', () => {
    const before = '2026-03-01T23:59:59.999Z';
    const after = '2026-03-02T00:00:00.001Z';

    it('keeps nothing about a person who is erased, and all about others', async () => {
      await answered('anna', { recipientId: 'anna', startedAt: before });
      await answered('later', { recipientId: 'anna', startedAt: after });
      await answered('ben', { recipientId: 'ben', startedAt: before });
      await answered('foreign', { tenantId: 't2', recipientId: 'anna', startedAt: before });
      await database.apply(...incomingErasures(erasure('anna'), erasure('nobody')));
      expect(await answers()).to.deep.equal({ anna: null, later: 'ok', ben: 'ok', foreign: 'ok' });
    });

    it('takes none to an attempt that began before its person was erased', async () => {
      const older = { erasedAt: '2026-02-01T00:00:00.000Z', version: 2 };
      await database.apply(...incomingErasures(erasure('anna')));
      await database.apply(...incomingErasures(erasure('anna', older)));
      await answered('anna', { recipientId: 'anna', startedAt: before });
      await answered('later', { recipientId: 'anna', startedAt: after });
      await answered('ben', { recipientId: 'ben', startedAt: before });
      expect(await answers()).to.deep.equal({ anna: null, later: 'ok', ben: 'ok' });
    });

    it('is forgotten by two at once, each of which has the other wait', async () => {
      await answered('anna', { recipientId: 'anna', startedAt: before });
      await answered('ben', { recipientId: 'ben', startedAt: before });
      const writing = await database.pool.connect();
      try {
        await writing.query('begin');
        await writing.query('lock table attempt in row exclusive mode');
        const both = ['anna', 'ben'].map((person) =>
          database.apply(...incomingErasures(erasure(person))),
        );
        await eventually(async () => {
          const { rowCount } = await database.pool.query(
            `select from pg_locks where not granted and relation = 'attempt'::regclass`,
          );
          expect(rowCount).to.equal(2);
        });
        await writing.query('commit');
        await Promise.all(both);
      } finally {
        writing.release();
      }
      expect(await answers()).to.deep.equal({ anna: null, ben: null });
    });

    it('lets none slip in whose result is being written meanwhile', async () => {
      const tx = await database.pool.connect();
      try {
        await tx.query('begin');
        await answered('anna', { recipientId: 'anna', startedAt: before }, tx);
        const erased = database.apply(...incomingErasures(erasure('anna')));
        await eventually(async () => {
          const { rowCount } = await database.pool.query(
            `select from pg_locks where not granted and relation = 'attempt'::regclass`,
          );
          expect(rowCount).to.equal(1);
        });
        await tx.query('commit');
        await erased;
      } finally {
        tx.release();
      }
      expect(await answers()).to.deep.equal({ anna: null });
    });

    /** As a result writer puts it down, with what the receiver answered. */
    async function answered(
      name: string,
      about: { tenantId?: string; recipientId: string; startedAt: string },
      tx?: pg.PoolClient,
    ): Promise<void> {
      const { startedAt, ...issued } = about;
      const webhookEventId = uuidOf(name);
      await database.apply(...incomingIssuances(issuance(webhookEventId, { ...issued, issuedAt })));
      const attempts = [
        {
          fact: attempted(webhookEventId, { startedAt }),
          answer: { statusCode: 500, headers: [['x-name', name]], body: 'ok', cut: false } as const,
        },
      ];
      if (tx) await insertAttempts(tx, attempts);
      else await inTransaction(database.pool, (own) => insertAttempts(own, attempts));
    }

    /** Bodies by name; null where neither headers nor body are kept. */
    async function answers(): Promise<Record<string, string | null>> {
      const names = ['anna', 'later', 'ben', 'foreign'];
      const { rows } = await database.pool.query<{ id: string; headers: unknown; body: string }>(
        'select webhook_event_id as id, answer_headers as headers, answer_body as body from attempt',
      );
      return Object.fromEntries(
        names.flatMap((name) =>
          rows
            .filter(({ id: of }) => of === uuidOf(name))
            .map(({ headers, body }) => [name, headers === null ? null : body]),
        ),
      );
    }
  });
});
