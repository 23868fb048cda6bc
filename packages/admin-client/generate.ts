import { join } from 'node:path';
import { generateClient } from './generated-client.ts';

/**
 * `node packages/admin-client/generate.ts`: writes src/generated/ from the admin API's description.
 */
await generateClient(join(import.meta.dirname, 'src/generated'));
