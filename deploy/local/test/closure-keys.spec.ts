import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { closureKeys } from './closure-keys.ts';

describe('the keys by which files are not linted again', () => {
  let root: string;
  const files = ['packages/x/src/a.ts', 'packages/x/src/b.ts', 'packages/y/src/c.ts'];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tributary-keys-'));
    write('packages/x/package.json', '{"name":"@tributary/x","exports":{"./*":"./src/*.ts"}}');
    write('packages/x/src/a.ts', 'export const a = 1;');
    write('packages/x/src/b.ts', `import { a } from './a.ts'; export const b = a;`);
    write('packages/y/src/c.ts', `import { b } from '@tributary/x/b'; export const c = b;`);
    write('packages/y/src/alone.ts', 'export const alone = 1;');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const changedBy = (change: () => void) => {
    const before = closureKeys(root, files);
    change();
    const now = closureKeys(root, files);
    return files.filter((file) => before.get(file) !== now.get(file));
  };

  it('stay while nothing changes, also when a file is written again', () => {
    expect(changedBy(() => write('packages/x/src/a.ts', 'export const a = 1;'))).to.be.empty;
    expect(changedBy(() => write('packages/y/src/alone.ts', 'export const z = 1;'))).to.be.empty;
  });

  it('change with a file and with all that it uses, as its types come from there', () => {
    expect(changedBy(() => write('packages/x/src/a.ts', 'export const a = "";'))).to.deep.equal(
      files,
    );
    expect(changedBy(() => write(files[2]!, 'export const c = 2;'))).to.deep.equal([files[2]]);
  });

  it('change with what holds for every file', () => {
    for (const file of ['eslint.config.js', 'lint/x.ts', 'tsconfig.json', 'pnpm-lock.yaml']) {
      expect(
        changedBy(() => write(file, '')),
        file,
      ).to.deep.equal(files);
    }
    const types = () => write('packages/y/src/css.d.ts', 'declare module "*.css";');
    expect(changedBy(types)).to.deep.equal(files);
    const globals = 'declare global { interface Window { x: 1 } }\nexport {};';
    expect(changedBy(() => write('packages/y/src/alone.ts', globals))).to.deep.equal(files);
  });
});
