import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import pg from 'pg';
import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { tokenFor } from '../../test-e2e/calls.ts';
import { createRandom, type Random } from '../chain/random.ts';
import { readGenerations } from '../generations.ts';
import { type Client, createClient } from './client.ts';
import { dumpLedger, dumpTables, dumpTopics, readLogs } from './collect.ts';
import type { Evidence, RowFacts } from './evidence.ts';
import { askForExplanations } from './explanations.ts';
import { createHistory } from './history.ts';
import type { Nemesis } from './nemeses/nemesis.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { recovered } from './recovery.ts';
import { askForJob } from './replay-job.ts';
import { setUpSources } from './sources/set-up-sources.ts';
import { customerOf, setUpTenants } from './tenants.ts';
import { isAcceptedV2, startLoad } from './traffic.ts';
import { watchPositions } from './watch-positions.ts';

export type RowOptions = {
  /** Its place among the faults, from 1. */
  number: number;
  nemesis: Nemesis;
  seed: number;
  /** How long the fault lasts, if that is a matter of choice. */
  windowMs: number;
  progress: (line: string) => void;
  /** Gives the row up. */
  signal: AbortSignal;
};

const warmUpMs = 3_000;
/** Until nobody waits any longer: beyond it a part has stopped for good. */
const recoveryDeadlineMs = patiently(150_000);
/** Requests that are repeated when all has recovered. */
const repeats = 40;

/**
 * One fault on a system of its own: starts it, has customers and operators use it, does the fault
 * and undoes it, waits for the recovery without anybody asking for anything, repeats some requests,
 * has a generation rebuilt from the log, and gives all that was seen.
 *
 * @throws when the system cannot be started, or `signal` gave the row up; the system is gone then.
 */
export async function runRow(options: RowOptions): Promise<Evidence> {
  const { progress, signal } = options;
  signal.throwIfAborted();
  progress('starting a system');
  // All customers have one address here, and wait while something is down.
  process.env['TRIBUTARY_EDGE_REQUESTS_PER_ADDRESS'] = '20000';
  const { sources = [], stack: needs } = options.nemesis;
  const ends: (() => unknown)[] = [];
  const atEnd = (end: () => unknown) => void ends.push(end);
  const wanted = typeof needs === 'function' ? await needs(atEnd) : needs;
  const stripe = sources.includes('stripe') ? await startFakeStripe() : undefined;
  const stack = await startThrowawayStack({
    ...{ ...wanted, signal },
    ...(stripe && { variables: { ...wanted?.variables, ...stripeWithoutLimits } }),
    ...(stripe && { env: { TRIBUTARY_STRIPE_URL: stripe.url } }),
  }).catch(async (error: unknown) => {
    await stripe?.stop();
    for (const end of ends.reverse()) await end();
    throw error;
  });
  const db = new pg.Pool({ connectionString: stack.demo.postgresUrl, max: 4 });
  // Sessions that end while they are idle; who asks next gets another one.
  db.on('error', () => undefined);
  const receiver = await startReceiver(authorizationsOf(stack));
  const positions = watchPositions(db);
  try {
    const world = { stack, db, receiver, positions, atEnd, stripe };
    const row = await Promise.race([play(options, world), givenUp(signal)]);
    progress('reading topics and tables');
    await positions.stop();
    const found = await readGenerations(db);
    const numbers = [...found.run, ...found.lost];
    const isOther = (number: number) => number !== row.facts.rebuild?.generation;
    row.facts.generations = { ...found, run: found.run.filter(isOther) };
    const { topics, ends } = await dumpTopics(stack.kafka);
    return {
      row: row.facts,
      requests: row.client.requests,
      ...(row.explanations && { explanations: row.explanations }),
      webhooks: receiver.webhooks,
      positions: positions.samples,
      poison: row.poison,
      stripeFacts: row.stripeFacts,
      lost: row.lost,
      topics: { ...row.dropped, ...topics },
      ends,
      tables: await dumpTables(db, numbers),
      earlierTables: row.earlierTables,
      logs: readLogs(dirname(stack.services['ingest-api'].replicas[0]!.logFile)),
    };
  } finally {
    try {
      await positions.stop();
      await db.end();
      await stack.stop();
      await receiver.stop();
      await stripe?.stop();
    } finally {
      for (const end of ends.reverse()) await end();
    }
  }
}

/** Rejects when it is; never resolves. */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const rejects = () => reject(signal.reason as Error);
    if (signal.aborted) rejects();
    signal.addEventListener('abort', rejects, { once: true });
  });
}

function authorizationsOf({ demo }: Stack): Map<string, string> {
  return new Map(
    demo.tenants.map(({ tenantId, webhook }) => [tenantId, `Basic ${basic(webhook)}`]),
  );
}

/** As a header has them. */
function basic({ username, password }: { username: string; password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

type World = {
  stack: Stack;
  db: pg.Pool;
  receiver: Receiver;
  positions: ReturnType<typeof watchPositions>;
  atEnd: (end: () => unknown) => void;
  /** The one that is asked, if anything comes from it. */
  stripe: FakeStripe | undefined;
};

/** The fake one has none. */
const stripeWithoutLimits = { 'processor-events': { TRIBUTARY_STRIPE_LIMIT_PERCENT: '1000' } };

async function play(options: RowOptions, world: World) {
  const { number, nemesis, seed, windowMs, progress } = options;
  const { stack, db, receiver, positions, atEnd } = world;
  const { demo } = stack;
  await setUpTenants(demo, receiver);
  const customers = demo.tenants.map(customerOf);
  const tokens = new Map<string, string>();
  for (const tenant of demo.tenants) tokens.set(tenant.tenantId, await tokenFor(demo, tenant));
  const client = createClient({ baseUrl: demo.baseUrl, tokens, operatorToken: demo.adminToken });
  const personalCanary = `canary${randomBytes(6).toString('hex')}x`;
  const { sources = [] } = nemesis;
  const setUp = { demo, customers, personalCanary };
  const reporters = await setUpSources(sources, setUp, world.stripe);
  const facts: RowFacts = {
    ...{ number, fault: nemesis.name, seed, fired: [], sources, tenants: [...tokens.keys()] },
    personalCanary,
    secrets: [...secretsOf(stack, tokens), ...reporters.flatMap(({ secrets }) => secrets)],
    loadEndedAt: '',
    ...(nemesis.options !== undefined && { options: nemesis.options }),
  };
  const poison: Evidence['poison'] = [];
  const lost: NonNullable<Evidence['lost']> = [];
  const dropped: Evidence['topics'] = {};
  const random = createRandom(seed);
  const history = createHistory({ random, customers, nowMs: Date.now(), personalCanary });
  const load = startLoad({ client, history, customers, reporters, seed });
  progress('customers are buying');
  await delay(warmUpMs);
  progress(nemesis.says);
  let healedAt: number | undefined;
  const undoing = () => {
    healedAt = performance.now();
    facts.undoneAt = new Date().toISOString();
  };
  try {
    await nemesis.run({
      ...{ stack, db, client, receiver, poison, lost, windowMs, random: createRandom(seed + 1) },
      doing: () => void (facts.beganAt ??= new Date().toISOString()),
      async dropping(generation) {
        progress(`generation ${generation} is dropped`);
        Object.assign(dropped, (await dumpTopics(stack.kafka, generation)).topics);
      },
      fired: (what) => {
        facts.fired.push({ at: new Date().toISOString(), what });
        progress(`fault ${facts.fired.length}: ${what}`);
      },
      undoing,
      amiss(what) {
        progress(what);
        (facts.amiss ??= []).push(what);
      },
      async fellBack(older) {
        facts.fellBackAt = new Date().toISOString();
        await positions.beginAnew(older);
      },
      swapped(generation) {
        facts.swappedTo = generation;
        facts.swappedAt = new Date().toISOString();
      },
      atEnd,
    });
    if (healedAt === undefined) undoing();
  } finally {
    // Nothing else would ever end it when the fault could not be done.
    await load.stop();
  }
  facts.loadEndedAt = new Date().toISOString();
  progress(`healed; ${client.requests.length} requests were sent; waiting for the recovery`);
  const earlierTables = await dumpLedger(db, (await readGenerations(db)).run);
  const stripeFacts = reporters.flatMap((reporter) => reporter.facts?.() ?? []);
  const seen = {
    facts,
    client,
    poison,
    lost,
    dropped,
    earlierTables,
    stripeFacts,
    explanations: undefined,
  };
  const ended = await recovered(stack, db, recoveryDeadlineMs, healedAt);
  if ('still' in ended) {
    facts.unrecovered = ended.still;
    progress(`not recovered: ${ended.still}`);
    return seen;
  }
  facts.recoveredMs = Math.round(ended.tookMs);
  progress(`recovered after ${(facts.recoveredMs / 1_000).toFixed(1)} s; repeating requests`);
  await repeatSome(client, createRandom(seed + 2));
  const again = await recovered(stack, db, recoveryDeadlineMs);
  if ('still' in again) {
    facts.unrecovered = `after some repeats, ${again.still}`;
    return seen;
  }
  const operator = createClient({ baseUrl: demo.baseUrl, tokens, operatorToken: demo.adminToken });
  await askForExplanations({
    ...{ client: operator, tenantIds: facts.tenants, asked: client.requests },
    webhooks: receiver.webhooks,
    lost: new Set(lost.map(({ value }) => (JSON.parse(value) as { eventId: string }).eventId)),
    random: createRandom(seed + 6),
  });
  facts.rebuild = await rebuild(world, progress);
  return { ...seen, explanations: operator.requests };
}

function secretsOf({ demo, passwords }: Stack, tokens: ReadonlyMap<string, string>): string[] {
  const { kafka, postgres, redis } = passwords;
  return [
    ...demo.tenants.flatMap(({ secretAccessKey, productSecret, webhook }) => [
      ...[secretAccessKey, productSecret, webhook.password, basic(webhook)],
    ]),
    ...[demo.adminToken, ...tokens.values()],
    ...[kafka, postgres, redis].flatMap((of) => Object.values(of)),
  ];
}

/** Those with a key: what was accepted, and every other one of which nobody knows. */
async function repeatSome(client: Client, random: Random): Promise<void> {
  const keyed = client.requests.filter(({ by, key }) => by === 'customer' && key !== undefined);
  const unknown = keyed.filter(({ outcome }) => outcome === 'unknown');
  const chosen = [
    ...random.shuffle(keyed.filter(isAcceptedV2)).slice(0, repeats),
    ...random.shuffle(unknown).slice(0, Math.ceil(unknown.length / 2)),
  ];
  for (const { tenantId, path, key, body } of chosen) {
    if (key !== undefined && body !== undefined) await client.submit({ tenantId, path, key, body });
  }
}

async function rebuild(
  { stack, db }: World,
  progress: (line: string) => void,
): Promise<NonNullable<RowFacts['rebuild']>> {
  progress('rebuilding from the log');
  const beganAt = new Date().toISOString();
  const asked = await askForJob(stack.demo, '/api/replay/generations', { by: 'olga' });
  const job = await asked.over();
  const { outcome = JSON.stringify(job), generation = 2 } = job.result ?? {};
  // What it wrongly sent would be under way now.
  const left = await recovered(stack, db, patiently(30_000));
  const endedAt = new Date().toISOString();
  const still = 'still' in left ? `${outcome}, and then ${left.still}` : outcome;
  return { generation, outcome: still, beganAt, endedAt };
}
