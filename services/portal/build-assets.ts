import { join } from 'node:path';
import { buildPages } from './build/build-pages.ts';
import { digestSources, isBuilt, recordBuild } from './build/built-pages.ts';

// Makes dist/ of browser/: `node services/portal/build-assets.ts`. Does nothing when dist/ was made
// of the same sources, so whoever needs the pages (start, tests, the image) may call it.

const dist = join(import.meta.dirname, 'dist');
const digest = await digestSources(import.meta.dirname);
if (await isBuilt(dist, digest)) {
  process.stdout.write('portal pages: nothing changed\n');
} else {
  await recordBuild(dist, digest, await buildPages(join(import.meta.dirname, 'browser')));
  process.stdout.write('portal pages: built\n');
}
