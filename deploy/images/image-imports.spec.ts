import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/**
 * The image has production dependencies only (deploy/images/Dockerfile), and the root of the
 * workspace, which deploy/ belongs to, has none.
 */
describe('what docker-compose.yml runs in the image', () => {
  const programs = new Set(read('docker-compose.yml').match(/(?:deploy|services)\/[\w/-]+\.ts/g));

  it('is found', () => {
    const some = ['deploy/compose/prepare.ts', 'deploy/compose/demo.ts'];
    expect([...programs]).to.include.members(some);
  });

  for (const program of programs) {
    it(`takes no package from the root: ${program}`, () => {
      const fromRoot = importsOf(program).filter(({ by }) => by.startsWith('deploy/'));
      expect(fromRoot).to.deep.equal([]);
    });
  }
});

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
