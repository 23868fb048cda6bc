import { execFile } from 'node:child_process';

/** What the registry knows of the packages that services run with; `text` is pnpm's own. */
export type KnownWeaknesses = { outcome: 'none' | 'found' | 'not-asked'; text: string };

/** Counts what is high or critical. That a registry does not answer is told, not passed over. */
export function knownWeaknesses(options: { registry?: string } = {}): Promise<KnownWeaknesses> {
  const registry = options.registry === undefined ? [] : ['--registry', options.registry];
  const asking = ['audit', '--prod', '--audit-level', 'high', ...registry];
  return new Promise((resolve) => {
    execFile('pnpm', asking, { timeout: 60_000 }, (error, stdout, stderr) => {
      const text = `${stdout}${stderr}`.trim();
      if (error === null) return resolve({ outcome: 'none', text });
      resolve({ outcome: /^Severity: /m.test(text) ? 'found' : 'not-asked', text });
    });
  });
}
