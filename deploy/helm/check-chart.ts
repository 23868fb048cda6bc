import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubernetesCache } from './kubernetes-cache.ts';
import { ensureKubernetesSchemas } from './kubernetes-schemas.ts';
import { kubeVersion, renderChart, snapshotFile, valuesFile, valuesNames } from './render-chart.ts';
import { refusals } from './refusals.ts';
import { chartDir } from './schema-text.ts';

/** Where the programs are; found on the PATH by their names alone. */
export type ChartPrograms = { helm: string; kubeconform: string };

/**
 * Lints the chart with each file of values, compares what it renders with the snapshot, and lets
 * kubeconform check that against Kubernetes' API and the custom resources. Then tries values with
 * mistakes.
 *
 * @param onChecked is told of each check that passed
 * @throws with what is wrong; of a snapshot, how to renew it
 */
export async function checkChart(
  { helm, kubeconform }: ChartPrograms,
  onChecked: (what: string) => void = () => {},
): Promise<void> {
  const schemas = await ensureKubernetesSchemas(kubernetesCache);
  const kinds = join(schemas, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
  const conform = async (manifests: string): Promise<string> => {
    const checked = run(kubeconform, ['-strict', '-summary', '-schema-location', kinds, '-']);
    checked.child.stdin?.end(manifests);
    return (await checked).stdout.trim();
  };
  for (const name of valuesNames) {
    const given = ['--values', valuesFile(name), ...kubeVersion];
    await run(helm, ['lint', chartDir, '--strict', '--quiet', ...given]);
    onChecked(`helm lint: ${name}`);
    const rendered = await renderChart(helm, valuesFile(name));
    await compare(name, rendered);
    onChecked(`snapshot: ${name}`);
    onChecked(`kubeconform: ${name}: ${await conform(rendered)}`);
  }
  const example = join(import.meta.dirname, 'examples/cloudnative-pg.yaml');
  onChecked(`kubeconform: CloudNativePG: ${await conform(await readFile(example, 'utf8'))}`);
  for (const refusal of refusals) await requireRefusal(helm, refusal);
  onChecked(`${refusals.length} mistakes in values are refused, and named`);
}

/** The mistake is in a file of its own, which changes the least that must be given. */
async function requireRefusal(
  helm: string,
  { values, says }: (typeof refusals)[number],
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-values-'));
  try {
    const mistake = join(dir, 'values.json');
    await writeFile(mistake, JSON.stringify(values));
    const told = await renderChart(helm, valuesFile('minimal'), mistake).then(
      () => 'nothing',
      (error: Error) => error.message,
    );
    if (told.includes(says)) return;
    throw new Error(
      `${JSON.stringify(values)} should be refused with "${says}"; Helm says: ${told}`,
    );
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Writes the snapshots anew, to be looked at with `git diff`. */
export async function writeSnapshots({ helm }: Pick<ChartPrograms, 'helm'>): Promise<void> {
  for (const name of valuesNames) {
    await writeFile(snapshotFile(name), await renderChart(helm, valuesFile(name)));
  }
}

async function compare(name: string, rendered: string): Promise<void> {
  const file = snapshotFile(name);
  const kept = existsSync(file) ? await readFile(file, 'utf8') : '';
  if (kept === rendered) return;
  const [were, are] = [kept.split('\n'), rendered.split('\n')];
  const line = are.findIndex((text, i) => text !== were[i]);
  throw new Error(
    `the chart renders otherwise than ${file}, from line ${line + 1}:\n` +
      `  was: ${were[line] ?? ''}\n  is:  ${are[line] ?? ''}\n` +
      `If that is wanted: node deploy/helm/main.ts --write`,
  );
}

/** What a program says is in the message of its failure: stdout for lint and kubeconform. */
function run(program: string, args: readonly string[]) {
  const running = promisify(execFile)(program, args, { maxBuffer: 50_000_000 });
  const told = running.catch((error: { message: string; stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`);
  });
  return Object.assign(told, { child: running.child });
}
