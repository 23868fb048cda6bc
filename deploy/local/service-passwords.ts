import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaPrincipals } from '../../packages/contracts/src/topic-rights.ts';
import { readJsonFile, writeSecretFile } from '../demo/demo-file.ts';
import { readPasswordDirectory } from '../topics/password-directory.ts';

/**
 * Who connects to which server, each as itself. A service is absent where it has nothing to do;
 * `admin` is who makes the others and what they use.
 */
export const principals = {
  postgres: [
    'admin',
    'ingest-api',
    'processor-events',
    'attribution',
    'rewards',
    'webhook-dispatcher',
    'replay',
    'widget',
    'portal',
    'portal-read-model',
  ],
  redis: ['admin', 'ingest-api'],
  kafka: ['admin', ...kafkaPrincipals],
} as const;

type Server = keyof typeof principals;

/** By server and principal. */
export type ServicePasswords = {
  [S in Server]: Record<(typeof principals)[S][number], string>;
};

/**
 * The passwords in the file; made and written (mode 0600) the first time, and again when this
 * release has a principal that the file of an older release lacks. They can stand in a URL as they
 * are.
 *
 * A directory, as Kubernetes mounts Secrets, has a file `<server>/<principal>` for each.
 *
 * @throws naming every principal of Postgres and Redis that a directory has no file of
 */
export function ensurePasswords(file: string): ServicePasswords {
  if (existsSync(file) && statSync(file).isDirectory()) return readMountedPasswords(file);
  const found = readJsonFile<Known>(file);
  const passwords = createPasswords(found);
  if (countOf(passwords) > countOf(found ?? {})) writeSecretFile(file, passwords);
  return passwords;
}

/** Nobody would know what was made up for a service here, so nothing is. */
function readMountedPasswords(dir: string): ServicePasswords {
  const ofServer = (server: Server) => {
    const own = join(dir, server);
    return existsSync(own) ? readPasswordDirectory(own) : {};
  };
  const found = { postgres: ofServer('postgres'), redis: ofServer('redis') };
  const missing = (['postgres', 'redis'] as const).flatMap((server) =>
    principals[server]
      .filter((name) => name !== 'admin' && !found[server][name])
      .map((name) => `${server}/${name}`),
  );
  if (missing.length > 0) throw new Error(`${dir} has no password for ${missing.join(', ')}`);
  return createPasswords(found);
}

type Known = Partial<Record<Server, Record<string, string>>>;

/** A password for every principal: the known one, else a new one. */
export function createPasswords(known: Known = {}): ServicePasswords {
  const ofServer = <S extends Server>(server: S) =>
    Object.fromEntries(
      principals[server].map((name) => [name, known[server]?.[name] ?? createPassword()]),
    ) as ServicePasswords[S];
  return {
    postgres: ofServer('postgres'),
    redis: ofServer('redis'),
    kafka: ofServer('kafka'),
  };
}

function createPassword(): string {
  return randomBytes(32).toString('base64url');
}

function countOf(passwords: Known): number {
  return Object.values(passwords).reduce((sum, server) => sum + Object.keys(server).length, 0);
}
