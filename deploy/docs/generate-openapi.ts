import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildOpenApi } from './openapi/openapi.ts';

/** `node deploy/docs/generate-openapi.ts`: writes docs/api/openapi.json from the contracts. */
const target = fileURLToPath(new URL('../../docs/api/openapi.json', import.meta.url));
await writeFile(target, `${JSON.stringify(await buildOpenApi(), null, 2)}\n`);
console.log(`written: ${target}`);
