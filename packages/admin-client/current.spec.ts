import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { generateClient } from './generated-client.ts';

const committed = join(import.meta.dirname, 'src/generated');

describe('the generated client', function () {
  this.timeout(60_000);

  it('is what the description says; else run: node packages/admin-client/generate.ts', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tributary-admin-client-'));
    try {
      await generateClient(dir);
      expect(await textsIn(dir)).to.deep.equal(await textsIn(committed));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});

async function textsIn(dir: string): Promise<Record<string, string>> {
  const names = (await readdir(dir)).sort();
  const texts = names.map(async (name) => [name, await readFile(join(dir, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
