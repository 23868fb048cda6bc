import { join } from 'node:path';
import { type NativeServer, startNativeServer } from '@tributary/native-servers/native-server';
import { places } from '../places.ts';
import type { NodePlace } from './addresses.ts';
import { inNetworkOf } from './network.ts';

/** A program of the cluster; it ends with this process, and its log is in the state directory. */
export type Program = {
  name: string;
  command: string;
  args: readonly string[];
  /** A port on loopback that must be free; what it listens on elsewhere is not looked at. */
  port: number;
  /** The node in whose network it runs, with the programs of Debian's packages. */
  on?: NodePlace;
  isReady(): Promise<boolean>;
};

export type StartProgram = (program: Program) => Promise<NativeServer>;

/** @returns a function that starts one, and tells `onStart` how to stop it. */
export function programStarter(options: {
  stateDir: string;
  logs: string;
  onStart(server: NativeServer): void;
  onUnexpectedExit(reason: string): void;
}): StartProgram {
  const { stateDir, logs, onStart, onUnexpectedExit } = options;
  return async ({ name, command, args, port, on, isReady }) => {
    const [first, ...rest] = [...(on === undefined ? [] : inNetworkOf(on)), command, ...args];
    const server = await startNativeServer({
      ...{ name, port, command: first!, args: rest, stopSignal: 'SIGTERM', onUnexpectedExit },
      dir: join(stateDir, name),
      logFile: join(logs, `${name}.log`),
      env: on === undefined ? {} : nodeEnvironment(),
      readyTimeoutMs: 90_000,
      isReady: () => isReady().catch(() => false),
    });
    onStart(server);
    return server;
  };
}

/** Where programs of the unpacked packages find each other, and their libraries. */
export function nodeEnvironment(): Record<string, string> {
  const below = (...paths: string[]) => paths.map((path) => join(places.nodeRoot, path)).join(':');
  return {
    PATH: `${below('usr/sbin', 'usr/bin', 'sbin', 'bin')}:${process.env['PATH'] ?? ''}`,
    LD_LIBRARY_PATH: below('usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'),
    XTABLES_LIBDIR: below('usr/lib/x86_64-linux-gnu/xtables'),
  };
}
