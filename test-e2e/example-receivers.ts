import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@tributary/testkit/free-port';
import { createPackedProject } from '../packages/client/src/testing/packed-project.ts';

const run = promisify(execFile);
const examples = join(import.meta.dirname, '../docs/receivers');

export const credentials = { username: 'acme', password: 'a:sécret' };

export type Grant = { eventId: string; productUserId: string; amount: string };

export type ExampleReceiver = {
  url: string;
  start(): Promise<void>;
  /** Without a word, as a power cut would. */
  kill(): Promise<void>;
  /** Leaves half a line behind the grants, where they are lines of a file. */
  tear(): Promise<void>;
  grants(): Promise<Grant[]>;
};

/** Copies of the receivers in a project that has only what their first lines ask for. */
export async function prepareReceivers(names: readonly string[]) {
  const project = await createPackedProject();
  await project.link('express');
  for (const name of names) await copyFile(join(examples, name), join(project.dir, name));
  return {
    receiver: (name: string) => createReceiver(project.dir, name),
    remove: () => project.remove(),
  };
}

function createReceiver(cwd: string, name: string): ExampleReceiver {
  const file = join(cwd, `${name}.${isSql(name) ? 'sqlite' : 'jsonl'}`);
  let child: ChildProcess | undefined;
  const receiver: ExampleReceiver = {
    url: '',
    async start() {
      const port = String(await freePort());
      receiver.url = `http://127.0.0.1:${port}/rewards`;
      const [program, ...args] = await commandOf(name, cwd, port);
      child = spawn(program!, args, {
        cwd,
        // A group of its own: PHP's server has workers, which must go with it.
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore'],
        env: {
          ...{ PATH: process.env['PATH'], PORT: port, GRANTS_FILE: file },
          ...{ WEBHOOK_USERNAME: credentials.username, WEBHOOK_PASSWORD: credentials.password },
          PHP_CLI_SERVER_WORKERS: '8',
        },
      });
      await once(child, 'spawn');
    },
    async kill() {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
    async tear() {
      if (!isSql(name)) await appendFile(file, '{"eventId":"after-the-k');
    },
    grants: () => (isSql(name) ? readRows(file) : readLines(file)),
  };
  return receiver;
}

/** Programs that are missing here make this fail: nothing is passed over in silence. */
async function commandOf(name: string, cwd: string, port: string): Promise<string[]> {
  switch (name.split('.').at(-1)) {
    case 'py':
      return ['python3', name];
    case 'go':
      await run('go', ['build', '-o', 'receiver-of-go', name], { cwd });
      return [join(cwd, 'receiver-of-go')];
    case 'php':
      return ['php', '-S', `127.0.0.1:${port}`, name];
    default:
      return [process.execPath, name];
  }
}

function isSql(name: string): boolean {
  return name.endsWith('.py') || name.endsWith('.php');
}

async function readLines(file: string): Promise<Grant[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { eventId, productUserId, amount } = JSON.parse(line) as Grant;
    return { eventId, productUserId, amount: String(amount) };
  });
}

const dump = `import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("select event_id, user_id, amount from granted")
print(json.dumps([dict(zip(("eventId", "productUserId", "amount"), row)) for row in rows]))`;

async function readRows(file: string): Promise<Grant[]> {
  const { stdout } = await run('python3', ['-c', dump, file]);
  return JSON.parse(stdout) as Grant[];
}
