import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createResolver, parseHosts } from './resolver.ts';

describe('createResolver', () => {
  let dir: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-hosts-'));
    await writeFile(join(dir, 'hosts'), '10.0.0.5 receiver\n10.0.0.6 localhost\n');
  });
  after(() => rm(dir, { recursive: true }));

  it('knows the names of the hosts file, in any case and with a dot behind', async () => {
    const { resolve } = createResolver({ ...settings, hostsFile: join(dir, 'hosts') });
    for (const name of ['receiver', 'Receiver', 'receiver.']) {
      expect(await resolve(name)).to.deep.equal(['10.0.0.5']);
    }
  });

  it('takes localhost for this machine, whatever the hosts file says', async () => {
    const { resolve } = createResolver({ ...settings, hostsFile: join(dir, 'hosts') });
    for (const name of ['localhost', 'localhost.', 'x.localhost']) {
      expect(await resolve(name)).to.deep.equal(['127.0.0.1', '::1']);
    }
  });

  it('does without a hosts file', async () => {
    const { resolve } = createResolver({ ...settings, hostsFile: join(dir, 'none') });
    expect(await resolve('localhost')).to.include('127.0.0.1');
  });
});

const settings = { servers: ['127.0.0.1:9'], timeoutMs: 1_000 };

describe('parseHosts', () => {
  it('reads names and aliases with all their addresses', () => {
    const hosts = parseHosts(
      '# the usual\n127.0.0.1\tlocalhost\n10.0.0.5  Receiver receiver.example.test # ours\n' +
        'fd00::5 receiver\n\nnonsense line\n10.0.0.300 broken\n',
    );
    expect(Object.fromEntries(hosts)).to.deep.equal({
      localhost: ['127.0.0.1'],
      receiver: ['10.0.0.5', 'fd00::5'],
      'receiver.example.test': ['10.0.0.5'],
    });
  });
});
