import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { clientVersion, languages, packLanguage } from '../deploy/clients/archives.ts';
import { freePort } from '@tributary/testkit/free-port';
import { findOrFetchGo } from '@tributary/testkit/stripe/go-program';
import { createPackedProject } from '../packages/client/src/testing/packed-project.ts';

const run = promisify(execFile);
const examples = join(import.meta.dirname, '../docs/receivers');
const scenarios = join(import.meta.dirname, 'clients');

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

/** Copies of the receivers in a project that has only the clients, and express. */
export async function prepareReceivers(names: readonly string[]) {
  const project = await createPackedProject();
  const { dir } = project;
  try {
    await project.link('express');
    for (const name of names) await copyFile(join(examples, name), join(dir, name));
    for (const language of languages) {
      await run('tar', ['-xzf', await packLanguage(language, dir)], { cwd: dir });
    }
  } catch (error) {
    await project.remove();
    throw error;
  }
  return {
    receiver: (name: string) => createReceiver(dir, name),
    /** Runs a program to its end: one of test-e2e/clients, or this text of one. */
    async runProgram(name: string, { input = '', content = '', env = {} }): Promise<string> {
      if (content === '') await copyFile(join(scenarios, name), join(dir, name));
      else await writeFile(join(dir, name), content);
      const [program, ...args] = await commandOf(name, dir);
      const child = spawn(program!, args, {
        ...{
          cwd: dir,
          env: { ...(await environment(dir)), ...env },
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      });
      child.stdin.end(input);
      const ended = once(child, 'exit');
      const output = await text(child.stdout);
      const [code] = (await ended) as [number | null];
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${output}`);
      return output;
    },
    remove: () => project.remove(),
  };
}

/** Where the clients are, for languages that do not find them beside the program. */
async function environment(dir: string): Promise<Record<string, string>> {
  const version = await clientVersion();
  return {
    PATH: process.env['PATH'] ?? '',
    PYTHONPATH: join(dir, `tributary-python-${version}/src`),
    TRIBUTARY_AUTOLOAD: join(dir, `tributary-php-${version}/autoload.php`),
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
      const serve = ['-S', `127.0.0.1:${port}`];
      const [program, ...args] = await commandOf(name, cwd, name.endsWith('.php') ? serve : []);
      child = spawn(program!, args, {
        cwd,
        // A group of its own: PHP's server has workers, which must go with it.
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore'],
        env: {
          ...(await environment(cwd)),
          ...{ PORT: port, GRANTS_FILE: file },
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
async function commandOf(name: string, cwd: string, phpFlags: string[] = []): Promise<string[]> {
  switch (name.split('.').at(-1)) {
    case 'py':
      return ['python3', name];
    case 'go':
      return [await buildGo(name, cwd)];
    case 'php':
      return ['php', ...phpFlags, name];
    default:
      return [process.execPath, name];
  }
}

/** A module of its own beside the client's, which it names by its folder. */
async function buildGo(name: string, cwd: string): Promise<string> {
  const dir = join(cwd, `${name}-module`);
  const client = join(cwd, `tributary-go-${await clientVersion()}`);
  await mkdir(dir, { recursive: true });
  await copyFile(join(cwd, name), join(dir, 'main.go'));
  const needs = `require tributary.local/client v0.1.0\nreplace tributary.local/client => ${client}\n`;
  await writeFile(join(dir, 'go.mod'), `module main\n\ngo 1.23\n\n${needs}`);
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '', GOWORK: 'off' };
  await run(await findOrFetchGo(), ['build', '-o', 'program', '.'], { cwd: dir, env });
  return join(dir, 'program');
}

function isSql(name: string): boolean {
  return name.endsWith('.py');
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
