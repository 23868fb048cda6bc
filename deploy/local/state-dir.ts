import { canChooseUser } from '@tributary/native-servers/os-user';
import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Everything a local stack keeps, below one directory. */
export type StateDir = {
  root: string;
  /** Kafka, Redis, Postgres and what the demo receiver got; survives restarts. */
  data: string;
  logs: string;
  /** Keys of this deployment, made once, mode 0600. */
  secretsFile: string;
  /** Passwords of the services at the servers, made once, mode 0600. */
  passwordsFile: string;
  /** What Node has compiled, so that the next start need not. */
  compiled: string;
  /** What the servers present, with their keys, made once, mode 0600. */
  certificatesFile: string;
  /** Whom clients of the servers believe; for everybody to read. */
  authorityFile: string;
  /** How far provisioning has come, with the secrets the API shows only once, mode 0600. */
  provisionedFile: string;
  demoFile: string;
  /** Which processes are running; gone when nothing is. */
  runFile: string;
};

export function stateDirFrom(env: NodeJS.ProcessEnv): StateDir {
  // Set but empty is not set, as for the command line, which must find the same directory.
  return stateDirAt(env['TRIBUTARY_LOCAL_STATE_DIR'] || join(repository, '.tributary'));
}

export function stateDirAt(path: string): StateDir {
  const root = resolve(path);
  return {
    root,
    data: join(root, 'data'),
    logs: join(root, 'logs'),
    secretsFile: join(root, 'secrets.json'),
    passwordsFile: join(root, 'passwords.json'),
    compiled: join(root, 'compiled'),
    certificatesFile: join(root, 'certificates.json'),
    authorityFile: join(root, 'authority.pem'),
    provisionedFile: join(root, 'provisioned.json'),
    demoFile: join(root, 'demo.json'),
    runFile: join(root, 'run.json'),
  };
}

export function makeStateDir(state: StateDir): void {
  // Logs and data are for their owner alone, like the secrets. Where root gives each process a user
  // of its own, they pass through to what is theirs, and see nothing else.
  const passable = canChooseUser() ? 0o711 : 0o700;
  for (const [dir, mode] of [
    [state.root, passable],
    [state.data, passable],
    [state.logs, 0o700],
  ] as const) {
    mkdirSync(dir, { recursive: true });
    chmodSync(dir, mode);
  }
}
