import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from '../local/state-dir.ts';
import { runDrill } from './run-drill.ts';

// `npm run upgrade-drill -- --from CHECKOUT [--events N] [--per-second N]`: the upgrade of
// docs/runbooks/upgrade.md, played on this machine from an earlier release, which is a checkout of
// it, to this one, while customers report events. Exit code 0: nothing was lost, doubled or
// changed.

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    events: { type: 'string', default: '10000' },
    'per-second': { type: 'string', default: '50' },
  },
});
const events = Number(values.events);
const perSecond = Number(values['per-second']);
if (
  values.from === undefined ||
  ![events, perSecond].every((value) => Number.isInteger(value) && value > 0)
) {
  console.error('usage: npm run upgrade-drill -- --from CHECKOUT [--events N] [--per-second N]');
  process.exit(2);
}

const stateDir = await mkdtemp(join(tmpdir(), 'tributary-upgrade-'));
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort(new Error('given up')));
}
try {
  const mistakes = await runDrill({
    ...{ stateDir, events, perSecond },
    checkouts: { earlier: resolve(values.from), this: repository },
    signal: interrupted.signal,
    say: (line) => console.log(line),
  });
  for (const mistake of mistakes) console.log(`✗ ${mistake}`);
  console.log(mistakes.length === 0 ? 'The upgrade changed nothing.' : 'The upgrade failed.');
  process.exitCode = mistakes.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  if (process.exitCode === 0) await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  else console.log(`What is left of the drill, with its logs: ${stateDir}`);
}
