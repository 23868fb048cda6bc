import { createAdminClient } from '../demo/admin-client.ts';
import { signInLine } from '../demo/demo-owner.ts';
import { playMainJob } from '../demo/main-job.ts';
import { formatMainJob } from '../demo/print-main-job.ts';
import { choosePorts } from './ports.ts';
import { startStack } from './stack.ts';
import type { StateDir } from './state-dir.ts';

/** Starts, plays the main job, says where everything is, and stays until a signal. */
export async function runNative(options: { state: StateDir; env: NodeJS.ProcessEnv }) {
  const { state, env } = options;
  const startedAt = performance.now();
  const stopSignal = onceSignalled();
  const ports = await choosePorts(env);
  const tls = env['TRIBUTARY_LOCAL_TLS'] !== 'false';
  const stack = await startStack({ state, ports, env, tls, say: console.log, signal: stopSignal });
  try {
    const [tenant] = stack.demo.tenants;
    if (tenant === undefined) throw new Error('no demo tenant');
    const { baseUrl } = stack.demo;
    const { receivedUrl } = tenant.webhook;
    const job = await playMainJob({ baseUrl, tenant, receivedUrl, deadlineMs: 120_000 });
    console.log(`\n${formatMainJob(job)}`);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`A shop that uses it, to try in a browser: ${stack.demo.shopUrl}`);
    const { adminToken: token, owner } = stack.demo;
    console.log(await signInLine(createAdminClient({ baseUrl, token }), owner));
    console.log(`Running at ${baseUrl} after ${seconds} s; what to use it with: ${state.demoFile}`);
    // Present when a waiting `npm start -- --detach` has started this process.
    if (process.send === undefined) console.log('Ctrl-C stops everything.');
    else process.send('ready');
    await signalled(stopSignal);
    console.log('\nstopping');
  } finally {
    await stack.stop();
  }
  console.log('stopped');
}

/** Ctrl-C, `npm run stop`, or a closed terminal; later ones change nothing. */
function onceSignalled(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error('start given up, everything is stopped')));
  }
  return controller.signal;
}

function signalled(signal: AbortSignal): Promise<void> {
  // The listener of an abort keeps no process alive; the stack's own children do.
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
