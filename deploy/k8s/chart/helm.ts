import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartDir } from '../../helm/schema-text.ts';
import { namespace } from '../cluster/addresses.ts';
import { run } from '../cluster/run.ts';
import { places } from '../places.ts';
import { release } from './names.ts';

export type Helm = ReturnType<typeof createHelm>;

/** Helm with one file of values; it keeps nothing in the home. */
export function createHelm(options: { dir: string; kubeconfig: string; signal: AbortSignal }) {
  const { dir, kubeconfig, signal } = options;
  const valuesFile = join(dir, 'values.json');
  const env = {
    HELM_CACHE_HOME: join(dir, 'helm-cache'),
    HELM_CONFIG_HOME: join(dir, 'helm-config'),
    HELM_DATA_HOME: join(dir, 'helm-data'),
  };
  const helm = (...args: string[]) => run(join(places.bin, 'helm'), args, { env, signal });
  const given = ['--values', valuesFile, '--namespace', namespace];
  return {
    setValues: (values: object) => writeFile(valuesFile, JSON.stringify(values, null, 2)),
    lint: () => helm('lint', chartDir, '--strict', ...given),
    /** All manifests as text, Jobs of hooks included. */
    template: () => helm('template', release, chartDir, ...given),
    /** Resolves when the Jobs have ended and the rest is created, not when it runs. */
    install: (chart = chartDir) =>
      helm(
        ...['upgrade', '--install', release, chart, ...given],
        ...['--kubeconfig', kubeconfig, '--timeout', '5m'],
      ),
    /** To what was installed before. */
    rollBack: () => helm('rollback', release, '--namespace', namespace, '--kubeconfig', kubeconfig),
  };
}
