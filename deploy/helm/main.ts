import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkChart, writeSnapshots } from './check-chart.ts';
import { kubernetesCache } from './kubernetes-cache.ts';

/** Checks the chart; with `--write`, renews the snapshots first. */
const found = (program: string) => {
  const built = join(kubernetesCache, 'bin', program);
  return existsSync(built) ? built : program;
};
const { values } = parseArgs({
  options: {
    helm: { type: 'string', default: found('helm') },
    kubeconform: { type: 'string', default: found('kubeconform') },
    write: { type: 'boolean', default: false },
  },
});
if (values.write) await writeSnapshots(values);
await checkChart(values, (what) => console.log(`✓ ${what}`));
