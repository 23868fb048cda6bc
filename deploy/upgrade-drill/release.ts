import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type Ports, portNames, portVariable, randomPorts } from '../local/ports.ts';

/** One checkout of the product, run the way an operator runs it: by its own npm scripts. */
export type Release = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Runs the command line of this release; rejects with what it printed unless it ended with 0. */
  tributary(...args: string[]): Promise<string>;
};

/** The variables that have every release find the same data at the same addresses. */
export async function sharedVariables(stateDir: string): Promise<Record<string, string>> {
  const ports: Ports = await randomPorts();
  return {
    TRIBUTARY_INFRA: 'native',
    TRIBUTARY_LOCAL_STATE_DIR: stateDir,
    ...Object.fromEntries(portNames.map((name) => [portVariable(name), String(ports[name])])),
  };
}

export function createRelease(checkout: string, variables: Record<string, string>): Release {
  async function npm(...args: string[]): Promise<string> {
    const child = spawn('npm', args, {
      cwd: checkout,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const [out, err, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      ended,
    ]);
    if (code === 0) return out;
    throw new Error(`npm ${args.join(' ')} ended with ${code ?? signal}:\n${out}\n${err}`);
  }
  return {
    async start() {
      await npm('start', '--', '--detach');
    },
    async stop() {
      await npm('run', 'stop');
    },
    tributary: (...args) => npm('run', '--silent', 'tributary', '--', ...args),
  };
}
