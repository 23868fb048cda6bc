import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createPasswords, ensurePasswords } from './service-passwords.ts';

describe('the passwords of a deployment', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tributary-passwords-'));
    file = join(dir, 'passwords.json');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('are made once, each another one, for their owner alone', () => {
    const passwords = ensurePasswords(file);
    const all = Object.values(passwords).flatMap((server) => Object.values(server));
    expect(new Set(all).size).to.equal(all.length);
    for (const password of all) expect(password).to.match(/^[\w-]{43}$/);
    expect(ensurePasswords(file)).to.deep.equal(passwords);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('stay when a release brings another principal', () => {
    writeFileSync(file, JSON.stringify({ redis: { admin: 'known' } }));
    const passwords = ensurePasswords(file);
    expect(passwords.redis.admin).to.equal('known');
    expect(passwords.redis['ingest-api']).to.have.length(43);
    expect(ensurePasswords(file)).to.deep.equal(passwords);
  });

  it('are read from Secrets that are mounted, and none is made up there', () => {
    const { postgres, redis } = createPasswords();
    const mount = (server: string, passwords: Record<string, string>) => {
      mkdirSync(join(dir, server), { recursive: true });
      for (const [name, password] of Object.entries(passwords)) {
        writeFileSync(join(dir, server, name), `${password}\n`);
      }
      writeFileSync(join(dir, server, '..data'), 'of Kubernetes');
    };
    const { attribution, portal, ...others } = postgres;
    mount('postgres', others);
    mount('redis', redis);
    expect(() => ensurePasswords(dir)).to.throw('postgres/attribution, postgres/portal');
    mount('postgres', { attribution, portal });
    expect(ensurePasswords(dir)).to.deep.include({ postgres, redis });
  });
});
