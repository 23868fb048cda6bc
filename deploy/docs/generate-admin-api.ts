import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildAdminOpenApi } from './admin-api/openapi.ts';
import { adminApiPage } from './admin-api/render-page.ts';

/**
 * `node deploy/docs/generate-admin-api.ts`: writes what is told of the admin API from its
 * declarations.
 */
const docs = new URL('../../docs/', import.meta.url);
const files = {
  'admin-api.md': await adminApiPage(),
  'api/admin-openapi.json': `${JSON.stringify(buildAdminOpenApi(), null, 2)}\n`,
};
for (const [name, text] of Object.entries(files)) {
  const target = fileURLToPath(new URL(name, docs));
  await writeFile(target, text);
  console.log(`written: ${target}`);
}
