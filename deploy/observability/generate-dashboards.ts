import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildDashboard } from './dashboards/build-dashboard.ts';
import { consumers } from './dashboards/consumers.ts';
import { flow } from './dashboards/flow.ts';

/** `node deploy/observability/generate-dashboards.ts`: writes the dashboards as JSON. */
for (const definition of [flow, consumers]) {
  const name = `dashboards/${definition.uid}.json`;
  const target = fileURLToPath(new URL(name, import.meta.url));
  await writeFile(target, `${JSON.stringify(buildDashboard(definition), null, 2)}\n`);
  console.log(`written: ${target}`);
}
