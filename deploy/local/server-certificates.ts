import { X509Certificate } from 'node:crypto';
import { createAuthority, type ServerTls } from '../../packages/native-servers/src/certificates.ts';
import { readJsonFile, writeSecretFile } from '../demo/demo-file.ts';

const servers = ['kafka', 'redis', 'postgres'] as const;

/** What each server presents to the services of one deployment. */
export type ServerCertificates = Record<(typeof servers)[number], ServerTls>;

/**
 * The certificates in the file; made and written (mode 0600) the first time, and anew, all of them,
 * a quarter of a year before they end. They are for this machine, and for the servers' names in
 * `docker-compose.yml`. The key of the authority is kept nowhere.
 */
export function ensureCertificates(file: string, now = new Date()): ServerCertificates {
  const found = readJsonFile<ServerCertificates>(file);
  if (found !== undefined && servers.every((name) => holds(found[name], now))) return found;
  const authority = createAuthority({ days: lifetimeDays, now });
  const issued = servers.map((name) => {
    return [name, authority.issue(name, [name, 'localhost', '127.0.0.1'])] as const;
  });
  const certificates = Object.fromEntries(issued) as ServerCertificates;
  writeSecretFile(file, certificates);
  return certificates;
}

const lifetimeDays = 3_650;
const renewalMs = 90 * 86_400_000;

function holds({ certificate }: ServerTls, now: Date): boolean {
  const { validTo } = new X509Certificate(certificate);
  return Date.parse(validTo) - now.getTime() > renewalMs;
}
