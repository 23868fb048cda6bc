import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chartDir } from './schema-text.ts';

export const valuesDir = join(import.meta.dirname, 'values');
export const snapshotDir = join(import.meta.dirname, 'snapshots');

/** `minimal` and so on: each is linted, rendered and compared. */
export const valuesNames = readdirSync(valuesDir)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length));

export const valuesFile = (name: string) => join(valuesDir, `${name}.yaml`);
export const snapshotFile = (name: string) => join(snapshotDir, `${name}.yaml`);

/**
 * Helm asks no cluster; one that was built without its release flags takes an old one for granted.
 */
export const kubeVersion = ['--kube-version', '1.34.4'] as const;

/**
 * What Helm would install, hooks included; a later file of values wins.
 *
 * @throws with what Helm says of the values or the templates
 */
export async function renderChart(helm: string, ...values: string[]): Promise<string> {
  const files = values.flatMap((file) => ['--values', file]);
  const given = ['--namespace', 'tributary', ...files, ...kubeVersion];
  const { stdout } = await run(helm, ['template', 'tributary', chartDir, ...given], {
    maxBuffer: 50_000_000,
  });
  return stdout;
}

const run = promisify(execFile);
