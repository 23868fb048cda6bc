import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Certificate = { key: string; cert: string };

/** A certificate authority of its own, that issues what a spec asks for. */
export type Authority = {
  cert: string;
  /** `names` as in subjectAltName: `DNS:hooks.example.test`, `IP:127.0.0.1`. */
  issue(options: { names: string; days?: number }): Promise<Certificate>;
  selfSigned(options: { names: string }): Promise<Certificate>;
  remove(): Promise<void>;
};

export async function createAuthority(): Promise<Authority> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-authority-'));
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => run('openssl', args, { cwd: dir });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=test'];
  let count = 0;

  await openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', ...subject);
  const read = async (base: string) => ({
    key: await readFile(file(`${base}.key`), 'utf8'),
    cert: await readFile(file(`${base}.pem`), 'utf8'),
  });

  return {
    cert: await readFile(file('ca.pem'), 'utf8'),

    async issue({ names, days = 2 }) {
      count += 1;
      const base = `leaf${count}`;
      const [key, request, out, extensions] = ['key', 'csr', 'pem', 'ext'].map(
        (e) => `${base}.${e}`,
      );
      await writeFile(file(extensions!), `subjectAltName=${names}`);
      await openssl('req', ...newKey, '-keyout', key!, '-out', request!, ...subject);
      const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
      const validity = ['-days', String(days), '-extfile', extensions!];
      await openssl('x509', '-req', '-in', request!, ...issuer, ...validity, '-out', out!);
      return read(base);
    },

    async selfSigned({ names }) {
      count += 1;
      const base = `self${count}`;
      const files = ['-keyout', `${base}.key`, '-out', `${base}.pem`];
      const extension = ['-addext', `subjectAltName=${names}`];
      await openssl('req', '-x509', ...newKey, ...files, ...subject, ...extension);
      return read(base);
    },

    remove: () => rm(dir, { recursive: true }),
  };
}

const run = promisify(execFile);
