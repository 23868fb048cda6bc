import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@tributary/testkit/free-port';
import type { Random } from '../../chain/random.ts';
import { type Direction, type Link, startLink } from '../link.ts';
import { aMoment, keysAreTaken, underWay } from './load.ts';
import type { Battlefield, Nemesis, StackNeeds } from './nemesis.ts';

const servers = ['kafka', 'redis', 'postgres'] as const;
type ServerName = (typeof servers)[number];
type Links = Partial<Record<ServerName, Link>>;

/** Puts a link between all services and each of these servers. */
async function putLinks(
  to: readonly ServerName[],
  links: Links,
  atEnd: Battlefield['atEnd'],
): Promise<StackNeeds> {
  const needs: StackNeeds = {
    async reach(addresses) {
      const { kafkaIndirect } = needs;
      return {
        ...addresses,
        redisUrl: await linked('redis', addresses.redisUrl),
        postgresUrl: await linked('postgres', addresses.postgresUrl),
        ...(kafkaIndirect && { kafkaBrokers: `127.0.0.1:${kafkaIndirect.advertisedPort}` }),
      };
    },
  };
  if (to.includes('kafka')) {
    // A broker tells its clients where to go, so it has to know where the link begins.
    const [port, advertisedPort] = (await freePorts(2)) as [number, number];
    links.kafka = await startLink({ host: '127.0.0.1', port }, advertisedPort);
    atEnd(links.kafka.close);
    needs.kafkaIndirect = { port, advertisedPort };
  }
  return needs;

  async function linked(name: 'redis' | 'postgres', address: string): Promise<string> {
    if (!to.includes(name)) return address;
    const url = new URL(address);
    const link = await startLink({ host: url.hostname, port: Number(url.port) });
    links[name] = link;
    atEnd(link.close);
    url.port = String(link.port);
    return url.href;
  }
}

/** A fault of the links between all services and these servers, which is over when it resolves. */
function onLinks(
  to: readonly ServerName[],
  nemesis: Pick<Nemesis, 'name' | 'says'>,
  fault: (field: Battlefield, links: Links) => Promise<string | undefined>,
): Nemesis {
  let links: Links = {};
  return {
    ...nemesis,
    stack(atEnd) {
      links = {};
      return putLinks(to, links, atEnd);
    },
    async run(field) {
      await aMoment(field);
      const hit = await underWay(field);
      field.doing();
      const done = await fault(field, links);
      if (done !== undefined && hit !== undefined) field.fired(`${done}, ${hit}`);
      if (to.includes('redis')) await keysAreTaken(field);
    },
  };
}

function slowLink(name: ServerName): Nemesis {
  const says = `everything between services and ${name} takes 200 ms ± 100 in each direction`;
  return onLinks([name], { name: `slow-${name}`, says }, async (field, links) => {
    const link = links[name]!;
    link.slow(() => 100 + field.random.below(200));
    await delay(field.windowMs);
    field.undoing();
    link.mend();
    const { late } = link.counts();
    return late > 0 ? `${late} packets came late` : undefined;
  });
}

function cutLink(name: ServerName, direction: Direction): Nemesis {
  const [whose, fault] =
    direction === 'server' ? ['services say to', 'deaf'] : ['services hear from', 'mute'];
  const says = `nothing that ${whose} ${name} comes through; connections stay`;
  return onLinks([name], { name: `${fault}-${name}`, says }, async (field, links) => {
    const link = links[name]!;
    link.cut(direction);
    await delay(field.windowMs);
    field.undoing();
    link.mend();
    const { held } = link.counts();
    return held > 0 ? `packets of ${held} connections were held` : undefined;
  });
}

/** So that some work is done with a part of the servers. */
const betweenMs = 1_500;

/** In an order that is drawn, and undone in another: a cut may look like a failure of the next. */
const swizzledLinks = onLinks(
  servers,
  {
    name: 'swizzled-links',
    says: 'links to all servers are cut one after the other, and mended in another order',
  },
  async (field, links) => {
    const { random, windowMs } = field;
    const cut = random.shuffle(servers);
    for (const name of cut) {
      links[name]!.cut(directionFrom(random));
      await delay(betweenMs);
    }
    await delay(windowMs);
    let mended = random.shuffle(servers);
    while (mended.join() === cut.join()) mended = random.shuffle(servers);
    for (const name of mended) {
      field.undoing();
      links[name]!.mend();
      await delay(betweenMs);
    }
    const held = cut.map((name) => links[name]!.counts().held);
    if (held.some((count) => count === 0)) return undefined;
    return `${cut.join(', ')} were cut, packets of ${held.join(', ')} connections held, ${mended.join(', ')} mended`;
  },
);

function directionFrom(random: Random): Direction {
  return random.below(2) === 0 ? 'server' : 'services';
}

export const postgresLinks = linksTo('postgres');
export const otherLinks = [...linksTo('kafka'), ...linksTo('redis'), swizzledLinks];

function linksTo(name: ServerName): Nemesis[] {
  return [slowLink(name), cutLink(name, 'server'), cutLink(name, 'services')];
}
