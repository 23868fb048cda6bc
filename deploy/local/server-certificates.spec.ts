import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ensureCertificates } from './server-certificates.ts';

describe('the certificates of the servers of one deployment', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tributary-certificates-'));
    file = join(dir, 'certificates.json');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const read = (pem: string) => new X509Certificate(pem);
  const yearsAhead = (years: number) => new Date(Date.now() + years * 365 * 86_400_000);

  it('are of one authority, each with a key of its own and for its own names', () => {
    const certificates = ensureCertificates(file);
    const keys = new Set<string>();
    for (const [name, { authority, certificate, key }] of Object.entries(certificates)) {
      const [own, above] = [read(certificate), read(authority)];
      expect(own.verify(above.publicKey), name).to.equal(true);
      expect(own.checkIssued(above), name).to.equal(true);
      expect([own.ca, above.ca]).to.deep.equal([false, true]);
      expect(own.checkHost(name), name).to.equal(name);
      expect(own.checkIP('127.0.0.1'), name).to.equal('127.0.0.1');
      expect(own.checkHost('elsewhere.example'), name).to.equal(undefined);
      keys.add(key);
    }
    expect(keys.size).to.equal(3);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('stay until they are about to end, and are made anew then', () => {
    const first = ensureCertificates(file);
    expect(ensureCertificates(file, yearsAhead(9))).to.deep.equal(first);
    const renewed = ensureCertificates(file, yearsAhead(9.9));
    expect(renewed.kafka.certificate).to.not.equal(first.kafka.certificate);
    expect(renewed.kafka.authority).to.equal(renewed.redis.authority);
    expect(ensureCertificates(file, yearsAhead(9.9))).to.deep.equal(renewed);
  });

  it('leave the key of the authority nowhere', () => {
    const certificates = ensureCertificates(file);
    const kept = readFileSync(file, 'utf8').match(/BEGIN PRIVATE KEY/g);
    expect(kept).to.have.length(Object.keys(certificates).length);
  });
});
