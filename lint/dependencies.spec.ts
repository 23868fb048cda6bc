import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';

const read = (path: string) => readFile(join(import.meta.dirname, '..', path), 'utf8');

describe('docs/dependencies.md', () => {
  it('says of every package of the catalog what it is for and why this one, and of no other', async () => {
    const packages = catalogOf(await read('pnpm-workspace.yaml'));
    expect(packages).to.include('kafkajs');
    const own = packages.filter((name) => !name.startsWith('@types/'));
    expect(listedIn(await read('docs/dependencies.md'))).to.have.members(own);
  });
});

/** Names below `catalog:`, up to the next member of the file. */
function catalogOf(workspace: string): string[] {
  const [, catalog = ''] = /^catalog:\n((?: .*\n)+)/m.exec(workspace) ?? [];
  return [...catalog.matchAll(/^ {2}'?([^':]+)'?:/gm)].map(([, name]) => name ?? '');
}

/** The packages of the table "Packages", in which a row may name several. */
function listedIn(page: string): string[] {
  const [, table = ''] = /^## Packages\n([^]*?)^## /m.exec(page) ?? [];
  const rows = table.split('\n').filter((line) => /^\| (?!Package |-)/.test(line));
  return rows.flatMap((row) => (row.split('|')[1] ?? '').split(',').map((name) => name.trim()));
}
