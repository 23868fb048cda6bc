import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildAsyncApi } from './asyncapi.ts';

/** `node deploy/docs/generate-asyncapi.ts`: writes docs/api/asyncapi.json from the contracts. */
const target = fileURLToPath(new URL('../../docs/api/asyncapi.json', import.meta.url));
await writeFile(target, `${JSON.stringify(buildAsyncApi(), null, 2)}\n`);
console.log(`written: ${target}`);
