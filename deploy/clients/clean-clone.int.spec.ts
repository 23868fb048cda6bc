import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../..');

describe('npm pack ./packages/client', function () {
  this.timeout(180_000);

  it('makes the tarball on a clone in which nothing is installed', async () => {
    const clone = await mkdtemp(join(tmpdir(), 'tributary-clone-'));
    try {
      // What a commit of this tree would have.
      const list = 'git ls-files -co --exclude-standard -z';
      const copy = `${list} | tar --null --ignore-failed-read -T - -c | tar -x -C '${clone}'`;
      await run('bash', ['-o', 'pipefail', '-c', copy], { cwd: checkout });
      const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
      const env = Object.fromEntries(own);
      await run('npm', ['pack', './packages/client'], { cwd: clone, env });
      const { stdout } = await run('tar', ['-tzf', 'tributary-client-0.1.0.tgz'], { cwd: clone });
      expect(stdout.split('\n')).to.include.members([
        ...['package/dist/client.js', 'package/dist/client.d.ts', 'package/dist/main.js'],
      ]);
    } finally {
      await rm(clone, { recursive: true, force: true });
    }
  });
});

describe('the clients', () => {
  it('have one version, in their manifests and in all that is said of them', async () => {
    const read = (file: string) => readFile(join(checkout, file), 'utf8');
    const { version } = JSON.parse(await read('packages/client/package.json')) as {
      version: string;
    };
    expect(await read('clients/python/pyproject.toml')).to.contain(`\nversion = "${version}"\n`);
    expect(JSON.parse(await read('clients/php/composer.json'))).to.include({ version });
    const pages = ['docs/integration.md', 'docs/webhooks.md', 'docs/release-notes.md'];
    const readmes = ['packages/client', 'clients/python', 'clients/go', 'clients/php'].map(
      (dir) => `${dir}/README.md`,
    );
    const receivers = ['express.mjs', 'receiver.py', 'receiver.go', 'receiver.php'].map(
      (name) => `docs/receivers/${name}`,
    );
    for (const file of [...pages, ...readmes, ...receivers]) {
      const named = (await read(file)).matchAll(
        /tributary-(?:client|python|go|php)-(\d+\.\d+\.\d+)/g,
      );
      const versions = new Set([...named].map(([, one]) => one));
      expect([...versions], file).to.deep.equal([version]);
    }
  });
});
