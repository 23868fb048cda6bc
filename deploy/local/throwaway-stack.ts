import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import type { Demo, DemoTenant } from '../demo/demo-file.ts';
import { randomPorts } from './ports.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';
import { stateDirAt } from './state-dir.ts';

/**
 * The whole system on ports and data of its own, for tests and benchmarks; `stop` removes the data
 * too. Resolves when the demo tenants can be used: what the portal publishes takes a moment to
 * reach the others.
 */
export async function startThrowawayStack(options: Partial<StackOptions> = {}): Promise<Stack> {
  const root = await mkdtemp(join(tmpdir(), 'tributary-stack-'));
  const state = stateDirAt(root);
  const removeData = () => rm(root, { recursive: true, force: true });
  const ports = await randomPorts();
  const stack = await startStack({ ...options, state, ports }).catch(async (error: unknown) => {
    await removeData();
    throw error;
  });
  const stop = async () => {
    try {
      await stack.stop();
    } finally {
      await removeData();
    }
  };
  try {
    await Promise.all(stack.demo.tenants.map((tenant) => untilUsable(stack.demo, tenant)));
  } catch (error) {
    await stop();
    throw error;
  }
  // Tests do at the brokers what no service and no tool may.
  const demo = { ...stack.demo, ...stack.kafka };
  return { ...stack, demo, stop };
}

/**
 * Every replica behind the edge must know the tenant, so several answers in a row are asked for.
 */
async function untilUsable(demo: Demo, tenant: DemoTenant): Promise<void> {
  const deadline = Date.now() + patiently(60_000);
  for (let inARow = 0; inARow < 4;) {
    inARow = (await isUsable(demo, tenant)) ? inARow + 1 : 0;
    if (Date.now() > deadline) throw new Error(`${tenant.tenantId} does not come to be usable`);
    if (inARow === 0) await delay(100);
  }
}

async function isUsable({ baseUrl }: Demo, tenant: DemoTenant): Promise<boolean> {
  const { accessKeyId, secretAccessKey, referrer } = tenant;
  const answer = await fetch(`${baseUrl}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ accessKeyId, secretAccessKey }),
  });
  if (answer.status !== 201) return false;
  const { accessToken } = (await answer.json()) as { accessToken: string };
  const found = await fetch(`${baseUrl}/referral-codes/${referrer.ucc}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  await found.body?.cancel();
  return found.status === 200;
}
