import { join } from 'node:path';
import { bundleScripts } from './build/bundle-scripts.ts';
import { digestSources } from './build/source-digest.ts';
import { isBuilt, writeAssets } from './build/written-assets.ts';

// Makes dist/ of browser/: `node services/widget/build-assets.ts`. Does nothing when dist/ was made
// of the same sources, so whoever needs the assets (start, tests, benchmarks, the image) may call
// it.
//
//   dist/app/latest/tributary-widget.js            of browser/widget/main.ts
//   dist/app/latest/panel.js                       of browser/widget/panel/panel.tsx
//   dist/app/latest/chunks/panel-<hash>.js         the same bytes
//   dist/app/latest/chunks/<name>-<hash>.js        what the entry imports by `import()`: languages
//   dist/attribution/latest/tributary-attribution.js  of browser/attribution/main.ts

const dist = join(import.meta.dirname, 'dist');
const digest = await digestSources(import.meta.dirname);
if (await isBuilt(dist, digest)) {
  process.stdout.write('browser scripts: nothing changed\n');
} else {
  await writeAssets(dist, digest, await bundleScripts(join(import.meta.dirname, 'browser')));
  process.stdout.write('browser scripts: built\n');
}
