import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import { AppendRefused } from '@tributary/event-log/appender';
import { inTransaction } from '@tributary/runtime/postgres';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { restoreFacts } from '../log/restore-facts.ts';
import { type Claim, claimDeliveries } from '../db/claim-deliveries.ts';
import { putEndpoints } from '../db/put-endpoints.ts';
import { releaseClaims } from '../db/release-claims.ts';
import { registerWorker } from '../db/worker-rows.ts';
import { breakerSettings } from '../domain/breaker.ts';
import { deliveryFact } from '../domain/delivery-fact.ts';
import { type AttemptResult, createResultWriter, type ResultWriter } from './result-writer.ts';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import { expired, resent } from '../testing/facts.ts';
import { activeEndpoint } from '../testing/fleet.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';

describe('result writer', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let refusals: number;
  let appended: number;
  let overtaken: DeliveryRecord[];
  let results: ResultWriter;

  before(async () => {
    database = await createDispatchDatabase();
  });

  beforeEach(async () => {
    await database.pool.query('truncate delivery, attempt, resend, endpoint, worker');
    await inTransaction(database.pool, (tx) => putEndpoints(tx, [activeEndpoint('t1')]));
    refusals = 0;
    appended = 0;
    overtaken = [];
    results = createResultWriter({
      pool: database.pool,
      logger: silentLogger,
      appender: {
        append: () => {
          if (refusals-- > 0) return Promise.reject(new AppendRefused('not now'));
          appended += 1;
          return Promise.resolve();
        },
      },
      deliveriesTopic: 'deliveries',
      breaker: breakerSettings,
      overtaken: async (tx, facts) => {
        overtaken.push(...facts);
        await restoreFacts(tx, facts);
      },
    });
  });

  after(() => database.drop());

  it('writes nothing before the log has it (0011)', async () => {
    const [claim] = await claims(1);
    refusals = Infinity;
    const written = results.write(resultOf(claim!));
    await Promise.resolve();
    expect(await states()).to.deep.equal(['pending']);
    refusals = 0;
    expect(await written).to.equal(true);
    expect(appended).to.equal(1);
    expect(await states()).to.deep.equal(['delivered']);
  });

  it('writes where the counters of the endpoint are lower than its claims', async () => {
    const [first, second] = await claims(2);
    await database.pool.query('update endpoint set in_flight = 0, retries_in_flight = 0');
    expect(await results.write(resultOf(first!))).to.equal(true);
    await inTransaction(database.pool, (tx) => releaseClaims(tx, [second!]));
    const { rows } = await database.pool.query('select in_flight, retries_in_flight from endpoint');
    expect(rows).to.deep.equal([{ in_flight: 0, retries_in_flight: 0 }]);
  });

  it('has nothing left to do where the projection was faster', async () => {
    const [claim] = await claims(1);
    const result = resultOf(claim!);
    await inTransaction(database.pool, (tx) => restoreFacts(tx, [result.fact]));
    expect(await results.write(result)).to.equal(true);
    expect(overtaken).to.deep.equal([]);
    expect(await counters()).to.deep.equal({ in_flight: 0, retries_in_flight: 0 });
    const { rows } = await database.pool.query('select answer_body from attempt');
    expect(rows, 'the answer is filled in').to.deep.equal([{ answer_body: 'thanks' }]);
  });

  it('ends no claim of a later round with what comes of an earlier one', async () => {
    const [claim] = await claims(1);
    const { webhookEventId, workerId } = claim!;
    await inTransaction(database.pool, (tx) =>
      restoreFacts(tx, [expired(webhookEventId), resent(webhookEventId)]),
    );
    const [again] = await inTransaction(database.pool, (tx) =>
      claimDeliveries(tx, workerId, { limit: 1, perEndpoint: 1 }),
    );
    expect([again!.round, again!.attempt]).to.deep.equal([1, claim!.attempt]);
    const late = resultOf(claim!);
    const end = { state: 'exhausted' as const, step: 1 };
    const fact = { ...late.fact, outcome: 'exhausted' as const };
    await results.write({
      ...late,
      evaluation: { ...late.evaluation, delivered: false },
      end,
      fact,
    });
    expect(await states()).to.deep.equal(['pending']);
  });

  it('lets one result that no table takes hold up no other', async () => {
    const [bad, ...good] = await claims(12);
    const unfit = resultOf(bad!);
    unfit.end = { ...unfit.end, step: 2 ** 40 };
    const written = await Promise.all([
      results.write(unfit),
      ...good.map((c) => results.write(resultOf(c))),
    ]);
    expect(written).to.deep.equal([false, ...good.map(() => true)]);
    expect((await states()).filter((state) => state === 'delivered')).to.have.length(11);
  });

  it('keeps what an endpoint answers, whatever it is', async () => {
    const [claim] = await claims(1);
    const body = 'a\0b "\\ {} \u{1F600}';
    const headers = [['x-odd', '"\\{}\u0001']] as const;
    await results.write({
      ...resultOf(claim!),
      answer: { statusCode: 200, headers, body, cut: true },
    });
    const { rows } = await database.pool.query('select answer_headers, answer_body from attempt');
    expect(rows).to.deep.equal([
      { answer_headers: headers, answer_body: body.replace('\0', '\uFFFD') },
    ]);
  });

  it('lets a reader of our facts wait for what is on its way, not for ever', async () => {
    const [claim] = await claims(1);
    refusals = Infinity;
    void results.write(resultOf(claim!));
    await results.written([claim!.webhookEventId]);
    expect(await states()).to.deep.equal(['pending']);
    results.giveUpAfter(0);
  });

  async function claims(count: number): Promise<Claim[]> {
    const records = Array.from({ length: count }, (_, n) => issuance(uuidOf(`r-${n}`)));
    await database.apply(...incomingIssuances(...records));
    const workerId = randomUUID();
    await registerWorker(database.pool, { workerId, name: 'test', leaseMs: 60_000 });
    return inTransaction(database.pool, (tx) =>
      claimDeliveries(tx, workerId, { limit: count, perEndpoint: count }),
    );
  }

  function resultOf(claim: Claim): AttemptResult {
    const evaluation = { delivered: true, result: 'status' as const, statusCode: 200 };
    const end = { state: 'delivered' as const, step: claim.step + 1 };
    const startedAt = new Date('2026-03-01T10:00:00.000Z');
    return {
      claim,
      evaluation,
      end,
      fact: deliveryFact(claim, { evaluation, startedAt, durationMs: 5 }, end),
      answer: { statusCode: 200, headers: [], body: 'thanks', cut: false },
      endedAt: new Date('2026-03-01T10:00:00.005Z'),
    };
  }

  async function states(): Promise<string[]> {
    const { rows } = await database.pool.query<{ state: string }>('select state from delivery');
    return rows.map((row) => row.state);
  }

  async function counters() {
    const { rows } = await database.pool.query<{ in_flight: number; retries_in_flight: number }>(
      'select in_flight, retries_in_flight from endpoint',
    );
    return rows[0];
  }
});
