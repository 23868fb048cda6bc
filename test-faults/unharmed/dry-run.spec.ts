import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import { type RewardRecord, rewardCodec } from '@tributary/contracts/reward-record';
import { type Topic, topicName, topics } from '@tributary/contracts/topics';
import { connectTo } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import type { DemoTenant } from '../../deploy/demo/demo-file.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { runTributary } from '../../packages/cli/src/run-tributary.ts';
import { call, purchase, tokenFor } from '../../test-e2e/calls.ts';
import { sharedStack } from '../../test-e2e/shared-stack.ts';
import { readLog, wiring } from '../read-log.ts';
import { expectNothingUnderWay } from '../under-way.ts';

type Tried = {
  explanation: string[];
  decision: DecisionRecord;
  changedDecisions: { before?: DecisionRecord; after: DecisionRecord }[];
  rewards: { before?: RewardRecord; after: RewardRecord }[];
};

const rule = {
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'percent', basisPoints: 1000, creditsPerMajorUnit: { EUR: '2' } },
};
const campaign = {
  name: 'Dry',
  landingUrl: 'https://example.com/join',
  creditScale: 2,
  rules: [
    {
      ...rule,
      ruleId: 'share',
      recipient: 'both',
      newUserEffect: { kind: 'fixed', credits: '1.50' },
      limits: { perRecipient: [{ period: 'lifetime', credits: '15' }] },
    },
    { ...rule, ruleId: 'later', effect: { kind: 'fixed', credits: '3' }, holdDays: 7 },
  ],
};

/** A dry run tells what the real event then leads to, and leaves no trace (issue: dry run). */
describe('dry runs through the whole system', function () {
  this.timeout(240_000);
  const run = randomUUID().slice(0, 8);
  let stack: Stack;
  let tenant: DemoTenant;
  let token: string;
  let ucc: string;
  let db: pg.Client;

  before(async () => {
    stack = await sharedStack();
    tenant = stack.demo.tenants[0]!;
    token = await tokenFor(stack.demo, tenant);
    db = new pg.Client({ connectionString: stack.demo.postgresUrl });
    await db.connect();
    const put = await admin('PUT', 'campaigns/dry', campaign);
    expect(put.status, JSON.stringify(put.body)).to.equal(200);
    const issued = await admin('POST', 'codes', { productUserId: 'anna', campaignId: 'dry' });
    ucc = (issued.body as { ucc: string }).ucc;
    await eventually(
      async () => expect((await tried(event('ready'))).decision.outcome).to.equal('attributed'),
      { deadlineMs: 60_000, everyMs: 300 },
    );
    await untilQuiet();
  });
  after(() => db?.end());

  it('leave no row, no record and no lock', async () => {
    let round = 0;
    // Work that an earlier spec left for later may fall between the two looks. A trace of a dry run
    // is there each time, as each time asks with ids of its own: a row that is written once would
    // be in the first look of the second time.
    await eventually(
      async () => {
        round += 1;
        const anna = { id: 'anna', email: `anna-${round}@example.com`, name: `Anna ${round}` };
        const bodies = [
          event(`trace-${round}`),
          { ...event(`unknown-${round}`), ucc: 'never-issued' },
          { ...event(`self-${round}`), newUser: anna },
        ];
        const before = await everything();
        for (const body of bodies) await tried(body);
        const signup = event(`signup-${round}`);
        await tried(signup, 'signup-created', ['currency', 'invoiceId', 'amount']);
        expect(changes(before, await everything())).to.deep.equal([]);
      },
      { deadlineMs: 60_000, everyMs: 1_000 },
    );
  });

  it('foretell decision, rewards and amounts of the first purchase, the capped one and a repeat', async () => {
    const first = await comparedWithReality(event('one'));
    expect(creditsOf(first)).to.deep.equal({
      'share referrer anna': '9.8',
      'share new-user u-one': '1.5',
      'later referrer anna': '3',
    });
    expect(first.explanation.join(' ')).to.match(/anna, as referrer, would get 9\.80? credits/);
    const capped = await comparedWithReality(event('two'));
    expect(creditsOf(capped)).to.include({ 'share referrer anna': '5.2' });
    const again = await comparedWithReality({
      ...event('two'),
      newUser: { id: 'u-else' },
      idempotencyKey: `else-${run}`,
    });
    expect(again.decision).to.include({ outcome: 'not-attributed', reason: 'duplicate' });
    expect(again.explanation[0]).to.include('would not be attributed (duplicate)');
    expect(again.explanation).to.include('No reward would come or change.');
  });

  it('foretell what a refund changes in decisions and rewards that are there already', async () => {
    const { subscription: _none, ...rest } = event('one') as Record<string, unknown>;
    const refund = await comparedWithReality({ ...rest, amount: 2450 }, 'purchase-refunded');
    const change = refund.rewards.find(({ after }) => after.ruleId === 'later');
    expect(change?.before?.entitledCredits).to.equal('3');
    expect(change?.after.entitledCredits).to.equal('1.5');
    expect(refund.changedDecisions.map(({ after }) => after.newUserId)).to.deep.equal(['u-one']);
  });

  it('say in a sentence that the code belongs to another campaign', async () => {
    const body = { ...event('other'), ucc: tenant.referrer.ucc };
    const { explanation } = await tried(body);
    expect(explanation.join(' ')).to.include(
      `The code of this event belongs to campaign ${tenant.campaignId}, not to dry`,
    );
  });

  it('are printed by the command line, sentences first', async () => {
    const printed: string[] = [];
    const text = JSON.stringify(event('cli'));
    const code = await runTributary({
      argv: ['campaign', 'try', 'dry', '-', '--tenant', tenant.tenantId],
      env: {
        TRIBUTARY_ADMIN_URL: stack.demo.baseUrl,
        TRIBUTARY_ADMIN_TOKEN: stack.demo.adminToken,
      },
      cwd: '/',
      input: (async function* () {
        yield text;
      })(),
      out: (line) => void printed.push(line),
      err: (line) => void printed.push(line),
    });
    expect(code, printed.join('\n')).to.equal(0);
    expect(printed.join('\n')).to.match(
      /^If this purchase-created came now, it would be attributed/,
    );
    expect(printed.join('\n')).to.include('Reward of anna by rule later:');
  });

  function event(name: string): object {
    const more = { ucc, newUser: { id: `u-${name}` }, idempotencyKey: `${name}-${run}` };
    return purchase(tenant, `${name}-${run}`, more);
  }

  function admin(method: string, path: string, body: unknown) {
    const url = `${stack.demo.baseUrl}/api/tenants/${tenant.tenantId}/${path}`;
    return call(url, { method, token: stack.demo.adminToken, body });
  }

  async function tried(
    body: object,
    eventType = 'purchase-created',
    without: readonly string[] = [],
  ): Promise<Tried> {
    const entries = Object.entries(body).filter(
      ([name]) => !(without.length > 0 && [...without, 'subscription'].includes(name)),
    );
    const answer = await admin('POST', 'campaigns/dry/try', {
      eventType,
      event: Object.fromEntries(entries) as object,
    });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Tried;
  }

  /** Tries it, then does it, and holds one against the other. */
  async function comparedWithReality(body: object, eventType = 'purchase-created'): Promise<Tried> {
    const trial = await tried(body, eventType);
    const sent = await call(`${stack.demo.baseUrl}/v2/events/${eventType}`, {
      method: 'POST',
      token,
      body,
    });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202);
    const { eventId } = sent.body as { eventId: string };
    const real = await eventually(
      async () => {
        const found = (await readLog(stack.demo, 'attributions', decisionCodec)).find(
          ({ value }) => value.eventId === eventId,
        );
        if (!found) throw new Error('not decided yet');
        return found.value;
      },
      { deadlineMs: 30_000 },
    );
    expect(evaluated(trial.decision)).to.deep.equal(evaluated(real));
    await untilQuiet();
    const rewards = await readLog(stack.demo, 'rewards', rewardCodec);
    for (const { after } of trial.rewards) {
      const versions = rewards.filter(({ value }) => value.rewardId === after.rewardId);
      const same = versions.find(({ value }) => value.version === after.version);
      expect(same && earned(same.value), after.ruleId).to.deep.equal(earned(after));
    }
    const caused = rewards.filter(({ value }) => value.eventId === eventId && value.version === 1);
    expect(trial.rewards.filter(({ before }) => !before)).to.have.length(caused.length);
    return trial;
  }

  /** Until nothing is left to be read or sent, and two looks a moment apart see the same. */
  async function untilQuiet(): Promise<void> {
    await eventually(
      async () => {
        await expectNothingUnderWay(stack.demo);
        const before = await everything();
        await delay(1_200);
        expect(changes(before, await everything())).to.deep.equal([]);
      },
      { deadlineMs: 60_000 },
    );
  }

  /** A digest of every table, the end of every partition, and the locks that are held. */
  async function everything(): Promise<Everything> {
    const found: Everything = {};
    const { rows } = await db.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    for (const { name } of rows) {
      const row = livingRows[name] ?? 't';
      const digest = await db.query<{ digest: string | null; count: string }>(
        `select count(*), md5(string_agg((${row})::text, '|' order by (${row})::text)) as digest
         from ${name} t`,
      );
      found[name] = digest.rows[0];
    }
    const names = (Object.keys(topics) as Topic[]).map((topic) => topicName(topic, wiring));
    for (const [partition, { high }] of await readWatermarks(connectTo(stack.demo), names)) {
      found[partition] = String(high);
    }
    // The relays hold advisory locks for as long as they run; a transaction's are others.
    const locks = await db.query(
      `select from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype in ('advisory', 'transactionid') and a.xact_start is not null
         and a.pid <> pg_backend_pid() and a.datname = current_database()`,
    );
    found['locks'] = locks.rowCount;
    return found;
  }
});

type Everything = Record<string, unknown>;

/** The tables, partitions and locks that are not as they were. */
function changes(before: Everything, after: Everything): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** What does not depend on when and as what event it came. */
function evaluated(decision: DecisionRecord): object {
  const { eventId: _e, decisionId: _d, receivedAt, waitsUntil: _w, reversals, ...rest } = decision;
  const tests = rest.tests.map((test) => ({
    ...test,
    detail: test.detail.replaceAll(receivedAt, 'then'),
  }));
  return { ...rest, tests, reversals: reversals?.map(({ reversedAmount }) => reversedAmount) };
}

function earned(reward: RewardRecord): object {
  const { ruleId, recipientRole, recipientId, state, entitledCredits, tests } = reward;
  const calculation = reward.calculation.map(({ step, credits }) => [step, credits]);
  return { ruleId, recipientRole, recipientId, state, entitledCredits, tests, calculation };
}

function creditsOf({ rewards }: Tried): Record<string, string> {
  return Object.fromEntries(
    rewards.map(({ after }) => [
      `${after.ruleId} ${after.recipientRole} ${after.recipientId}`,
      String(Number(after.entitledCredits)),
    ]),
  );
}

/** Times that processes write which have nothing to do: a heartbeat, and a check of the ledger. */
const livingRows: Readonly<Record<string, string>> = {
  'dispatch.worker': `to_jsonb(t) - 'alive_until'`,
  'rewards_g1.ledger_check': `to_jsonb(t) - 'checked_at' - 'begun_at' - 'took'`,
};
