import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../is-alive.ts';
import { processState } from '../../stopped-process.ts';
import { aMoment, keysAreTaken, underWay } from './load.ts';
import type { Nemesis } from './nemesis.ts';

type ServerName = 'kafka' | 'redis' | 'postgres';

export function killServer(
  name: ServerName,
  awayMs: number,
  more: Pick<Nemesis, 'sources'> = {},
): Nemesis {
  return {
    ...more,
    name: `kill-${name}`,
    says: `SIGKILL of ${name} under load; it is back ${awayMs} ms later, on its data`,
    async run(field) {
      const server = field.stack.servers[name];
      await aMoment(field);
      const { pid } = server;
      const hit = await underWay(field);
      await server.kill();
      if (!isAlive(pid) && hit !== undefined) field.fired(`${name} (pid ${pid}) is gone, ${hit}`);
      await delay(awayMs);
      field.undoing();
      await server.restart();
      if (name === 'redis') await keysAreTaken(field);
    },
  };
}

/** Longer than services wait for an answer of it, so that they give up what may still be done. */
const hungMs = 20_000;

export function hangServer(name: ServerName): Nemesis {
  return {
    name: `hang-${name}`,
    says: `SIGSTOP of ${name} under load for ${hungMs / 1_000} s: connections stay, no answer comes`,
    async run(field) {
      const server = field.stack.servers[name];
      await aMoment(field);
      const hit = await underWay(field);
      field.doing();
      await server.pause();
      const { pid } = server;
      await delay(hungMs);
      const isStopped = processState(pid) === 'T';
      field.undoing();
      await server.resume();
      if (isStopped && hit !== undefined) field.fired(`${name} (pid ${pid}) hung, ${hit}`);
      if (name === 'redis') await keysAreTaken(field);
    },
  };
}
