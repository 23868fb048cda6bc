import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ensurePasswordFile } from './password-file.ts';

describe('the passwords of services at the brokers', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tributary-kafka-passwords-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const mount = (name: string, password: string) => writeFileSync(join(dir, name), password);

  it('are read from a Secret that is mounted, whoever is in it', () => {
    mount('rewards', 'a-password-of-25-letters.\n');
    mount('..data', 'of Kubernetes');
    expect(ensurePasswordFile(dir)).to.deep.equal({ rewards: 'a-password-of-25-letters.' });
  });

  it('are refused when they are short, or nobody’s', () => {
    mount('rewards', 'short');
    expect(() => ensurePasswordFile(dir)).to.throw('the password of rewards has less than 20');
    rmSync(join(dir, 'rewards'));
    mount('reward', 'a-password-of-25-letters.');
    expect(() => ensurePasswordFile(dir)).to.throw('reward is none of');
  });

  it('are made in a file that is not there, and stay', () => {
    const file = join(dir, 'passwords.json');
    const made = ensurePasswordFile(file);
    expect(made).to.include.keys('rewards', 'topics');
    expect(ensurePasswordFile(file)).to.deep.equal(made);
  });
});
