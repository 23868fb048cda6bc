import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripeApiVersions, stripeShapes } from './api-version.ts';
import { extractFixtures } from './extract-fixtures.ts';
import { fixturesDirectory } from './fixture-file.ts';

// Run by hand when another version of stripe-mock is taken: node
// packages/testkit/src/stripe/write-fixtures.ts

await mkdir(fixturesDirectory, { recursive: true });
for (const shape of stripeShapes) {
  const file = join(fixturesDirectory, `${stripeApiVersions[shape]}.json`);
  await writeFile(file, `${JSON.stringify(await extractFixtures(shape), null, 2)}\n`);
}
