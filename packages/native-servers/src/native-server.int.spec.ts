import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNativeServer, type NativeServer, type ServerRecipe } from './native-server.ts';
import { stopLeftover } from './ownership.ts';
import { identify, isAlive, type ProcessIdentity } from './process-tree.ts';

// The rules that all native servers share, on the smallest server there is.

describe('a native server', () => {
  let dir: string;
  let server: NativeServer | undefined;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-native-'));
  });

  afterEach(async () => {
    await server?.kill();
    server = undefined;
    await rm(dir, { recursive: true, force: true });
  });

  const start = async (recipe: ServerRecipe = echoServer(dir)): Promise<NativeServer> => {
    server = await startNativeServer(recipe);
    return server;
  };

  it('answers when it is ready and is gone when it is stopped', async () => {
    const { port, pid, stop } = await start();
    await until(() => answers(port));
    const identity = await identityOf(pid);
    await stop();
    expect(await isAlive(identity)).to.equal(false);
    expect(await answers(port)).to.equal(false);
  });

  it('comes back on the same port after a kill and after a pause', async () => {
    const running = await start();
    const first = running.pid;
    await running.kill();
    await running.restart();
    expect(running.pid).to.not.equal(first);
    await running.pause();
    expect(await answers(running.port)).to.equal(false);
    await running.restart();
    expect(await answers(running.port)).to.equal(true);
  });

  it('refuses a taken port and names its owner', async () => {
    const { port, pid } = await start();
    const other = await mkdtemp(join(tmpdir(), 'tributary-native-'));
    const refusal = await failure(startNativeServer(echoServer(other, port)));
    expect(refusal).to.match(new RegExp(`port ${port} \\(echo\\) is taken by process ${pid} \\(`));
    await rm(other, { recursive: true });
  });

  it('refuses a directory on which another program runs one', async () => {
    const { pid } = await start();
    const refusal = await failure(startNativeServer(echoServer(dir)));
    expect(refusal).to.match(new RegExp(`echo already runs on ${dir} as process ${pid}`));
  });

  it('ends when the program that started it is killed', async () => {
    const { pid, starter } = await startElsewhere(echoServer(dir));
    const identity = await identityOf(pid);
    process.kill(starter, 'SIGKILL');
    await until(async () => !(await isAlive(identity)));
  });

  it('takes the place of a leftover whose starter is gone', async () => {
    const { port, args } = echoServer(dir);
    const leftover = spawn(process.execPath, [...args], { detached: true, stdio: 'ignore' });
    const identity = await identityOf(leftover.pid ?? 0);
    await until(() => answers(port));
    const owner = { server: identity, starter: { pid: 2 ** 22, startedAt: '1' } };
    await writeFile(join(dir, 'echo.pid'), JSON.stringify(owner));
    await start(echoServer(dir, port));
    expect(await isAlive(identity)).to.equal(false);
    await until(() => answers(port));
  });

  it('outlives its starter when detached, and is stopped by its directory', async () => {
    const { pid, port, starter } = await startElsewhere({ ...echoServer(dir), detached: true });
    const identity = await identityOf(pid);
    const starterIdentity = await identityOf(starter);
    process.kill(starter, 'SIGKILL');
    await until(async () => !(await isAlive(starterIdentity)));
    await until(() => answers(port));
    expect(await stopLeftover(dir, 'echo')).to.equal(true);
    expect(await isAlive(identity)).to.equal(false);
  });

  it('shows the end of its log when it does not come up', async () => {
    const recipe = {
      ...echoServer(dir),
      args: ['-e', 'console.log("no such thing"); process.exit(3)'],
    };
    const refusal = await failure(startNativeServer({ ...recipe, isReady: async () => false }));
    expect(refusal).to.match(/echo ended with 3; the end of its log .*echo\.log:\nno such thing/);
  });

  it('tells when it ends unasked', async () => {
    const reasons: string[] = [];
    const { pid } = await start({
      ...echoServer(dir),
      onUnexpectedExit: (reason) => void reasons.push(reason),
    });
    process.kill(pid, 'SIGKILL');
    await until(async () => reasons.length > 0);
    expect(reasons).to.deep.equal(['echo ended (SIGKILL)']);
  });
});

/**
 * Survives a client that is killed before it has read the greeting, which resets the connection.
 */
function echoServer(dir: string, port = randomInt(20_000, 32_000)): ServerRecipe {
  const program = `require('net')
    .createServer((s) => s.on('error', () => {}).end('hello'))
    .listen(${port}, '127.0.0.1')`;
  return {
    ...{ name: 'echo', dir, port, command: process.execPath, args: ['-e', program] },
    stopSignal: 'SIGTERM',
    isReady: () => answers(port),
  };
}

/** Starts a server from a process of its own, which then waits to be killed. */
async function startElsewhere(
  recipe: ServerRecipe,
): Promise<{ pid: number; port: number; starter: number }> {
  const { isReady: _isReady, ...plain } = recipe;
  const program = `
    import { connect } from 'node:net';
    import { startNativeServer } from ${JSON.stringify(join(import.meta.dirname, 'native-server.ts'))};
    const isReady = () => new Promise((resolve) => {
      const socket = connect(${recipe.port}, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    const server = await startNativeServer({ ...${JSON.stringify(plain)}, isReady });
    console.log(server.pid);
    setInterval(() => {}, 1000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve) => {
    starter.stdout.once('data', (data: Buffer) => resolve(Number(data.toString())));
  });
  return { pid, port: recipe.port, starter: starter.pid ?? 0 };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 500 });
    const finish = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('data', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}

async function identityOf(pid: number): Promise<ProcessIdentity> {
  const identity = await identify(pid);
  if (identity === undefined) throw new Error(`no process ${pid}`);
  return identity;
}

async function failure(started: Promise<NativeServer>): Promise<string> {
  const server = await started.catch((error: unknown) => error);
  if (server instanceof Error) return server.message;
  throw new Error('it started');
}

/** This package is below the test kit, so it waits by itself. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000 * Number(process.env['TRIBUTARY_TEST_PATIENCE'] || 1);
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not become so in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
