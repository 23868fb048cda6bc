import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/**
 * The image has production dependencies only (deploy/images/Dockerfile), and the root of the
 * workspace, which deploy/ belongs to, has none.
 */
describe('what docker-compose.yml and the chart run in the image', () => {
  const templates = 'deploy/helm/tributary/templates';
  const texts = ['docker-compose.yml', ...readdirSync(join(root, templates), 'utf8')]
    .map((file) => (file.endsWith('.yml') ? file : join(templates, file)))
    .map(read);
  const found = texts.flatMap((text) => text.match(/(?:deploy|services)\/[\w/-]+\.ts/g) ?? []);
  // The README of the chart runs it, too.
  const programs = new Set([...found, 'deploy/helm/create-secrets.ts'].filter(isRun));

  it('is found', () => {
    const some = ['deploy/compose/prepare.ts', 'deploy/migrations/migrate.ts'];
    expect([...programs]).to.include.members(some);
  });

  for (const program of programs) {
    it(`takes no package from the root: ${program}`, () => {
      const fromRoot = importsOf(program).filter(({ by }) => by.startsWith('deploy/'));
      expect(fromRoot).to.deep.equal([]);
    });
  }
});

/** What stands in a comment is not. */
function isRun(program: string): boolean {
  return !program.endsWith('.spec.ts');
}

/** Packages that are loaded with a program, by all files of the tree that it loads itself. */
function importsOf(program: string): { name: string; by: string }[] {
  const packages: { name: string; by: string }[] = [];
  const files = new Set([program]);
  const statement = /^(?:import|export)(?! type\b)[^;]*?from '([^']+)';/gm;
  for (const file of files) {
    for (const [, name = ''] of read(file).matchAll(statement)) {
      if (name.startsWith('.')) files.add(join(dirname(file), name));
      else if (!name.startsWith('node:')) packages.push({ name, by: file });
    }
  }
  return packages;
}
