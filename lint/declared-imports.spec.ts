import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { listFiles } from './source-texts.ts';

const root = join(import.meta.dirname, '..');

describe('the imports of a package', () => {
  it('are all declared in its own package.json, those of products as dependencies', async () => {
    const manifests = await listFiles(root, ['packages/*/package.json', 'services/*/package.json']);
    expect(manifests).to.not.have.length(0);
    const found: string[] = [];
    for (const manifest of manifests) {
      const folder = manifest.slice(0, -'/package.json'.length);
      const declared = JSON.parse(await readFile(join(root, manifest), 'utf8')) as Manifest;
      for (const file of await listFiles(root, [`${folder}/src/**/*.ts`])) {
        const known = namesFor(declared, isTest(file));
        const { importedFiles } = ts.preProcessFile(await readFile(join(root, file), 'utf8'));
        const undeclared = importedFiles
          .map((i) => i.fileName)
          .filter(isPackage)
          .map(packageOf);
        found.push(
          ...undeclared.filter((name) => !known.has(name)).map((name) => `${file}: ${name}`),
        );
      }
    }
    expect(found).to.deep.equal([]);
  });
});

type Manifest = {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

function namesFor({ name, dependencies, devDependencies }: Manifest, test: boolean): Set<string> {
  const known = { ...dependencies, ...(test ? devDependencies : {}) };
  return new Set([name, ...Object.keys(known)]);
}

/** Files that only tests import. */
function isTest(file: string): boolean {
  return /\.spec\.ts$|\/testing\/|\/testing\.ts$/.test(file);
}

function isPackage(source: string): boolean {
  return !source.startsWith('.') && !source.startsWith('node:');
}

function packageOf(source: string): string {
  const parts = source.split('/');
  return parts.slice(0, source.startsWith('@') ? 2 : 1).join('/');
}
