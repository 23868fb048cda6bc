import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkChart as checkOffline } from '../../helm/check-chart.ts';
import { namespace } from '../cluster/addresses.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import { places } from '../places.ts';
import type { Row } from '../table.ts';
import type { Helm } from './helm.ts';

/**
 * Whether the chart is right: with each of its files of values by helm lint, its snapshots and
 * kubeconform; with the values of this cluster by the API server, which is only asked.
 */
export async function checkChart(options: {
  helm: Helm;
  kubectl: Kubectl;
  dir: string;
  say(line: string): void;
}): Promise<Row> {
  const { helm, kubectl, dir, say } = options;
  const program = (name: string) => join(places.bin, name);
  const checks = {
    'helm lint, snapshots, kubeconform': () =>
      checkOffline({ helm: program('helm'), kubeconform: program('kubeconform') }),
    'server-side dry run': async () => {
      await helm.lint();
      const manifests = join(dir, 'manifests.yaml');
      await writeFile(manifests, await helm.template());
      const dryRun = ['apply', '--server-side', '--dry-run=server'];
      await kubectl(...dryRun, '-n', namespace, '-f', manifests);
    },
  };
  const seen: string[] = [];
  let ok = true;
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      seen.push(`${name}: clean`);
    } catch (error) {
      ok = false;
      seen.push(`${name}: NOT clean`);
      say(`✗ ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { phase: '0 chart', asked: Object.keys(checks).join(', '), seen: seen.join('; '), ok };
}
