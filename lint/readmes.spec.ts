import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { listFiles } from './source-texts.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFile(join(root, file), 'utf8');

// That a README names nothing which is gone is for citations.spec.ts to see.
describe('the README of a package', () => {
  it('is there, of every package and service', async () => {
    const units = await listFiles(root, ['{packages,services}/*/package.json']);
    const readmes = new Set(await listFiles(root, ['{packages,services}/*/README.md']));
    expect(units).to.not.have.length(0);
    const missing = units.filter((unit) => !readmes.has(unit.replace('package.json', 'README.md')));
    expect(missing).to.deep.equal([]);
  });

  it('names every module that others import from it', async () => {
    const imported = await importedModules();
    expect(imported.size).to.be.above(5);
    const unnamed: string[] = [];
    for (const [name, modules] of imported) {
      const text = await read(`packages/${name}/README.md`);
      const found = [...modules].filter((module) => !isNamed(text, name, module));
      unnamed.push(...found.sort().map((module) => `packages/${name}: ${module}`));
    }
    expect(unnamed).to.deep.equal([]);
  });

  it('names a module by its file or by its import', () => {
    const text = 'See `one.ts`, `testing/two.ts` and `@tributary/a/three`.';
    for (const module of ['one', 'testing/two', 'three'])
      expect(isNamed(text, 'a', module)).to.be.true;
    for (const module of ['two', 'on', 'testing/one'])
      expect(isNamed(text, 'a', module)).to.be.false;
  });
});

/** By package, the modules that any other package, service or folder imports of it. */
async function importedModules(): Promise<Map<string, Set<string>>> {
  const folders = '{packages,services,deploy,bench,test-e2e,test-faults}';
  const imported = new Map<string, Set<string>>();
  for (const file of await listFiles(root, [`${folders}/**/*.ts`])) {
    for (const { fileName } of ts.preProcessFile(await read(file)).importedFiles) {
      const [, name = '', module] = /^@tributary\/([^/]+)\/(.+)$/.exec(fileName) ?? [];
      if (module === undefined || file.startsWith(`packages/${name}/`)) continue;
      imported.set(name, (imported.get(name) ?? new Set()).add(module));
    }
  }
  return imported;
}

function isNamed(readme: string, name: string, module: string): boolean {
  return readme.includes(`\`${module}.ts\``) || readme.includes(`\`@tributary/${name}/${module}\``);
}
