import { join } from 'node:path';
import { createTributaryClient } from '../../packages/client/src/client.ts';
import { createRandom } from '../../test-faults/chain/random.ts';
import { type AdminClient, createAdminClient } from '../demo/admin-client.ts';
import { type Demo, readJsonFile } from '../demo/demo-file.ts';
import { createSteps } from '../local/steps.ts';
import { stateDirAt } from '../local/state-dir.ts';
import { type Code, createCustomers } from './customers.ts';
import {
  difference,
  type Explanation,
  readExplanations,
  settledExplanations,
} from './explanations.ts';
import { createRelease, sharedVariables } from './release.ts';
import { setUpCampaigns } from './set-up-campaigns.ts';
import { deliverAll, startTraffic, type Traffic } from './traffic.ts';
import { countWebhooks } from './webhooks.ts';

const tenantIds = ['demo-acme', 'demo-shop'];

/** Plays the upgrade and resolves with what went wrong, one sentence each. */
export async function runDrill(options: {
  stateDir: string;
  checkouts: { earlier: string; this: string };
  events: number;
  perSecond: number;
  signal: AbortSignal;
  say(line: string): void;
}): Promise<string[]> {
  const { stateDir, checkouts, say, signal } = options;
  const steps = createSteps(say, signal);
  const variables = await sharedVariables(stateDir);
  const earlier = createRelease(checkouts.earlier, variables);
  const later = createRelease(checkouts.this, variables);
  const running = new Set<() => Promise<unknown>>();
  try {
    await steps.run('the earlier release runs', () => earlier.start());
    running.add(earlier.stop);
    const demo = readJsonFile<Demo>(stateDirAt(stateDir).demoFile)!;
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const clients = clientsOf(demo);
    const codes = await steps.run('campaigns and codes of customers are made', () =>
      setUpCampaigns(admin),
    );
    const customers = (prefix: string, of: readonly Code[], seed: number) =>
      createCustomers({ prefix, codes: of, random: createRandom(seed), now: Date.now() });

    const first = customers('before', codes.before, 1);
    const reports = Array.from({ length: options.events }, () => first.next());
    const sent = await steps.run(`${reports.length} events are reported to it`, () =>
      deliverAll(clients, reports, 32),
    );
    const ids = [...new Set(sent.accepted.map(({ eventId }) => eventId))];
    await steps.run('its numbers are right', () => earlier.tributary('replay', 'verify'));
    const before = await steps.run('its explanations are read', () =>
      settledExplanations(admin, ids),
    );

    const stream = startTraffic(
      clients,
      customers('during', codes.during, 2).next,
      options.perSecond,
    );
    running.add(stream.end);
    running.delete(earlier.stop);
    await steps.run('the earlier release is stopped', () => earlier.stop());
    running.add(later.stop);
    await steps.run('this release runs on its data', () => later.start());
    const by = ['--by', 'the upgrade drill'];
    await steps.run('the next generation is built', () =>
      later.tributary('replay', 'rebuild', ...by),
    );
    await steps.run('it is made live', () => later.tributary('replay', 'swap', '2', ...by));
    running.delete(stream.end);
    const traffic = await steps.run('all that was reported meanwhile is accepted', stream.end);

    await steps.run('the numbers are right', () => later.tributary('replay', 'verify'));
    const after = await steps.run('the explanations are read again', () =>
      settledExplanations(admin, ids),
    );
    await steps.run('what was accepted meanwhile is explained', () =>
      readExplanations(admin, [...new Set(traffic.accepted.map(({ eventId }) => eventId))]),
    );
    return [
      ...judgeTraffic(sent, traffic, say),
      ...judgeExplanations(before, after, say),
      ...(await judgeWebhooks(admin, stateDir, say)),
    ];
  } finally {
    for (const end of running) await end().catch((error: unknown) => say(String(error)));
  }
}

function clientsOf({ baseUrl, tenants }: Demo) {
  return Object.fromEntries(
    tenants.map(({ tenantId, accessKeyId, secretAccessKey }) => [
      tenantId,
      createTributaryClient({ baseUrl, accessKeyId, secretAccessKey }),
    ]),
  );
}

function judgeTraffic(sent: Traffic, during: Traffic, say: (line: string) => void): string[] {
  const tried = Object.entries(during.tried).map(([what, count]) => `${count} × ${what}`);
  const pause = (during.longestPauseMs / 1_000).toFixed(1);
  say(`accepted before     ${sent.accepted.length}`);
  say(`accepted meanwhile  ${during.accepted.length}, tried again: ${tried.join(', ') || 'never'}`);
  say(`longest pause       ${pause} s`);
  return during.accepted.length === 0 ? ['nothing was accepted during the upgrade'] : [];
}

function judgeExplanations(
  before: ReadonlyMap<string, Explanation>,
  after: ReadonlyMap<string, Explanation>,
  say: (line: string) => void,
): string[] {
  const different = [...before].flatMap(([id, explanation]) => {
    const where = difference(explanation, after.get(id)!);
    return where === undefined ? [] : [`event ${id}: ${where}`];
  });
  say(`explained           ${before.size} events, ${different.length} differently`);
  return different.slice(0, 20);
}

async function judgeWebhooks(
  admin: AdminClient,
  stateDir: string,
  say: (line: string) => void,
): Promise<string[]> {
  const file = join(stateDirAt(stateDir).data, 'demo-receiver', 'received.jsonl');
  const { issued, received, missing, unknown, twice } = await countWebhooks(admin, tenantIds, file);
  say(`webhooks            ${issued} issued, ${received} received, ${twice.length} twice`);
  return [
    ...missing.map((id) => `webhook ${id} was issued and not received`),
    ...unknown.map((id) => `webhook ${id} was received and not issued`),
    ...twice.map((id) => `webhook ${id} was received twice`),
  ].slice(0, 20);
}
