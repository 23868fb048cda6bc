import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readChange } from './changed-files.ts';
import { findUses, type Tree } from './find-uses.ts';
import { specsReached } from './reach.ts';
import { listTree, readUses } from './read-tree.ts';
import { runGit } from './run-git.ts';

describe('what a file uses', () => {
  const tree: Tree = {
    files: new Set([
      ...['packages/http/src/server.ts', 'services/a/src/app.ts', 'services/a/src/main.ts'],
      ...['services/a/src/a.spec.ts', 'services/a/migrations/0001.sql', 'services/b/src/main.ts'],
      ...['docs/api/openapi.json', 'docs/admin.md', 'deploy/x/run.ts'],
      ...['services/a/src/a.css', 'services/a/build-assets.ts'],
    ]),
    exports: [{ from: '@tributary/http/*', to: 'packages/http/src/*.ts' }],
  };
  const uses = (text: string, file = 'services/a/src/app.ts') => [...findUses(file, text, tree)];

  it('is what it imports, by path and by package, also in part and when needed', () => {
    expect(uses(`import { x } from './main.ts';`)).to.deep.equal(['services/a/src/main.ts']);
    expect(uses(`export type { X } from './main.ts';`)).to.have.length(1);
    expect(uses(`const x = await import('./main.ts');`)).to.have.length(1);
    expect(uses(`import type { S } from '@tributary/http/server';`)).to.deep.equal([
      'packages/http/src/server.ts',
    ]);
  });

  it('is what it imports in a way of its own', () => {
    expect(uses(`import text from './a.css?inline';`)).to.deep.equal(['services/a/src/a.css']);
  });

  it('is what makes the built files that it reads', () => {
    const script = ['services/a/build-assets.ts'];
    expect(uses(`new URL('../dist', import.meta.url)`)).to.deep.equal(script);
    expect(uses(`join(import.meta.dirname, '../dist')`)).to.deep.equal(script);
    expect(uses(`new URL('../../services/a/dist/', x)`, 'deploy/x/run.ts')).to.deep.equal(script);
  });

  it('is the program that it starts, and the files and folders that it reads', () => {
    for (const text of [
      `fork(new URL('./main.ts', import.meta.url))`,
      `join(import.meta.dirname, 'main.ts')`,
      `join(import.meta.dirname, '..', 'src', 'main.ts')`,
    ]) {
      expect(uses(text), text).to.include('services/a/src/main.ts');
    }
    const folder = `new URL('../migrations', import.meta.url)`;
    expect(uses(folder)).to.deep.equal(['services/a/migrations/0001.sql']);
    expect(uses(`join(root, 'docs/api/openapi.json')`)).to.deep.equal(['docs/api/openapi.json']);
  });

  it('is every file that a path with a hole, or without its beginning, can name', () => {
    const mains = ['services/a/src/main.ts', 'services/b/src/main.ts'];
    const from = 'deploy/x/run.ts';
    expect(uses('`services/${name}/src/main.ts`', from)).to.have.members(mains);
    expect(uses(`join(root, 'services', name, 'src/main.ts')`, from)).to.have.members(mains);
  });
});

describe('the specs that a change can reach', () => {
  const uses = new Map(
    Object.entries({
      'services/a/src/app.ts': ['packages/http/src/server.ts'],
      'services/a/src/app.int.spec.ts': ['services/a/src/app.ts'],
      'services/b/src/b.int.spec.ts': [],
      'packages/http/src/http.int.spec.ts': ['packages/http/src/server.ts'],
      'deploy/local/setup/x.mjs': ['deploy/local/kafka/x.xml'],
      'deploy/local/bootstrap.mjs': ['deploy/local/setup/x.mjs', 'services/a/src/app.ts'],
    }).map(([file, used]) => [file, new Set(used)]),
  );
  const reached = (...changed: string[]) => {
    const found = specsReached(changed, uses);
    return found === 'all' ? found : [...found].sort();
  };

  it('use it, or use what uses it', () => {
    expect(reached('packages/http/src/server.ts')).to.deep.equal([
      'packages/http/src/http.int.spec.ts',
      'services/a/src/app.int.spec.ts',
    ]);
    expect(reached('services/a/src/app.ts')).to.deep.equal(['services/a/src/app.int.spec.ts']);
    expect(reached('services/b/src/b.int.spec.ts')).to.deep.equal(['services/b/src/b.int.spec.ts']);
  });

  it('are those of its service when nothing names it, and none of a page', () => {
    expect(reached('services/b/list/x.sql')).to.deep.equal(['services/b/src/b.int.spec.ts']);
    expect(reached('docs/tour.md')).to.deep.equal([]);
  });

  it('are all when the dependencies change, or something outside that nothing names', () => {
    for (const file of ['pnpm-lock.yaml', 'package.json', 'services/a/package.json']) {
      expect(reached(file), file).to.equal('all');
    }
    for (const file of [
      'patches/kafkajs.patch',
      'deploy/edge/x.template',
      'deploy/local/test.ts',
      'deploy/local/kafka/x.xml',
    ]) {
      expect(reached(file), file).to.equal('all');
    }
  });
});

describe('in this tree', function () {
  this.timeout(60_000);
  const root = join(import.meta.dirname, '..', '..', '..', '..');

  it('every source file of a service or package is reached from some spec', () => {
    const files = listTree(root);
    const uses = readUses(root, files);
    const sources = files.filter((file) =>
      /^(packages|services)\/[^/]+\/(src|migrations)\//.test(file),
    );
    expect(sources).to.have.length.above(500);
    const reached = new Set<string>();
    const waiting = files.filter((file) => file.endsWith('.spec.ts'));
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (reached.has(file)) continue;
      reached.add(file);
      waiting.push(...(uses.get(file) ?? []));
    }
    const unnamed = sources.filter((file) => !reached.has(file));
    const unreached = unnamed.filter((file) => {
      const specs = specsReached([file], uses);
      return specs !== 'all' && specs.size === 0;
    });
    expect(unreached).to.deep.equal([]);
    expect(unnamed, 'few are known by their folder only').to.have.length.below(20);
    // The whole system is started by its programs' paths.
    for (const name of ['portal', 'rewards', 'ingest-api']) {
      const specs = specsReached([`services/${name}/src/main.ts`], uses);
      expect(specs, name).to.include('test-e2e/main-path.spec.ts');
    }
    // So are browser scripts, with what they are made of and by.
    for (const name of ['build/bundle-scripts.ts', 'browser/widget/launcher.css']) {
      const specs = specsReached([`services/widget/${name}`], uses);
      expect(specs, name).to.include('test-e2e/browser/widget-pictures.spec.ts');
      expect(specs, name).to.include('test-e2e/main-path.spec.ts');
    }
    expect(specsReached(['deploy/local/kafka/pom.xml'], uses)).to.equal('all');
  });
});

describe('a change', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tributary-change-'));
    git('init', '--quiet');
    git('symbolic-ref', 'HEAD', 'refs/heads/main');
    write('packages/x/src/x.ts', 'export const x = 1;');
    write('packages/x/src/x.int.spec.ts', `import './x.ts';`);
    write('packages/y/src/y.int.spec.ts', `it('y', () => {});`);
    commit();
    git('checkout', '--quiet', '-b', 'mine');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  // Nothing of whoever runs the tests: neither a repository that a hook names, nor settings.
  const settings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) => runGit(root, [...author, ...args], settings);
  const commit = () => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'x');
  };
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const reached = () => {
    const { isReached } = readChange(root);
    return ['packages/x/src/x.int.spec.ts', 'packages/y/src/y.int.spec.ts'].map(isReached);
  };

  it('is not known where there is no main', () => {
    git('branch', '--quiet', '--delete', '--force', 'main');
    expect(() => readChange(root)).to.throw(/compares with the branch main/);
  });

  it('is what was committed since main, and what is not committed yet', () => {
    expect(reached()).to.deep.equal([false, false]);
    write('packages/x/src/x.ts', 'export const x = 2;');
    expect(reached()).to.deep.equal([true, false]);
    commit();
    expect(reached()).to.deep.equal([true, false]);
    write('packages/y/src/y.int.spec.ts', `it('z', () => {});`);
    expect(reached()).to.deep.equal([true, true]);
  });

  it('is that of this folder, whichever repository a hook names', () => {
    write('packages/x/src/x.ts', 'export const x = 2;');
    process.env['GIT_DIR'] = join(root, 'nowhere');
    try {
      expect(reached()).to.deep.equal([true, false]);
    } finally {
      delete process.env['GIT_DIR'];
    }
  });
});
