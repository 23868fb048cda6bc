import { join } from 'node:path';
import { clientDir, compileClient } from './build/compile.ts';

// Makes dist/ for `npm pack ./packages/client` and `npm publish`, whose script `prepack` comes here
// by way of deploy/local/bootstrap.mjs, which installs what a clean clone lacks.
await compileClient(join(clientDir, 'dist'));
