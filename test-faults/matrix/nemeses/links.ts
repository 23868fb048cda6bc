import { setTimeout as delay } from 'node:timers/promises';
import type { StackOptions } from '../../../deploy/local/stack.ts';
import { type Direction, type Link, startLink } from '../link.ts';
import { aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/**
 * A fault of the links between all services and Postgres. Kafka tells its clients where it is, so
 * that nothing can be put in between.
 */
function onLink(
  nemesis: Pick<Nemesis, 'name' | 'says'>,
  fault: (field: Battlefield, link: Link) => Promise<string | undefined>,
): Nemesis {
  let link: Link | undefined;
  const reach: StackOptions['reach'] = async (servers) => {
    const url = new URL(servers.postgresUrl);
    link = await startLink({ host: url.hostname, port: Number(url.port) });
    url.port = String(link.port);
    return { ...servers, postgresUrl: url.href };
  };
  return {
    ...nemesis,
    stack: { reach },
    async run(field) {
      await aMoment(field);
      const hit = await underWay(field);
      field.doing();
      const done = await fault(field, link!);
      field.undoing();
      link!.mend();
      if (done !== undefined && hit !== undefined) field.fired(`${done}, ${hit}`);
    },
  };
}

export function slowLink(): Nemesis {
  const says = 'everything between services and postgres takes 200 ms ± 100 in each direction';
  return onLink({ name: 'slow-postgres', says }, async ({ random, windowMs }, link) => {
    link.slow(() => 100 + random.below(200));
    await delay(windowMs);
    const { late } = link.counts();
    return late > 0 ? `${late} packets came late` : undefined;
  });
}

export function cutLink(direction: Direction): Nemesis {
  const [whose, name] =
    direction === 'server' ? ['services say to', 'deaf'] : ['services hear from', 'mute'];
  const says = `nothing that ${whose} postgres comes through; connections stay`;
  return onLink({ name: `${name}-postgres`, says }, async ({ windowMs }, link) => {
    link.cut(direction);
    await delay(windowMs);
    const { held } = link.counts();
    return held > 0 ? `packets of ${held} connections were held` : undefined;
  });
}
