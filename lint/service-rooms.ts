import { posix } from 'node:path';

// The rooms of a service: the directories at the top of its src, and which of them may import
// which. An outer room imports inner ones, never the other way round:
//
//   domain ◀─ db, redis, stripe, endpoint, nginx ◀─ metrics ◀─ fold, live ◀─ log ◀─ commands
//          ◀─ workers, http ◀─ app, config ◀─ main
//
// Rooms that stand side by side do not import each other.

/** From the inside out. */
const order: readonly (readonly string[])[] = [
  ['domain', 'settings.ts', 'test-hooks.ts'],
  ['db', 'redis', 'stripe', 'endpoint', 'nginx', 'docs'],
  ['metrics.ts'],
  ['fold', 'live'],
  ['log'],
  ['commands'],
  ['workers', 'http'],
  ['app.ts'],
  ['main.ts'],
];

const common = ['domain', 'db', 'log', 'http', 'workers', 'commands', 'testing'];

/** What a service has besides the common rooms, and why. */
const own: Record<string, readonly string[]> = {
  // Applies the fold of its package to what is stored: gathers, decides, writes.
  attribution: ['fold'],
  rewards: ['fold'],
  // Folds the whole log beside the services; what these hold, asked for and compared.
  replay: ['fold', 'live'],
  // Other systems than Postgres and Kafka: idempotency keys, Stripe, endpoints of customers, nginx.
  'ingest-api': ['redis'],
  'processor-events': ['stripe'],
  'webhook-dispatcher': ['endpoint'],
  'edge-metrics': ['nginx'],
};

/** The portal's parts have rooms of their own, below one `http` for all of the admin API. */
const portalHalves: Record<string, readonly string[]> = {
  // Its endpoints are mail servers and the provider of single sign-on.
  accounts: ['domain', 'db', 'endpoint', 'commands', 'workers'],
  // Its endpoints are the hosts of domains that are to be proved.
  catalog: ['domain', 'db', 'endpoint', 'log', 'commands', 'workers'],
  console: ['domain', 'db', 'docs', 'log', 'commands', 'workers'],
};

/** Files that may lie at the top of src, with their specs. */
const topFile =
  /^(?:main|app|config|generation|settings|metrics|test-hooks|start-[a-z-]+)(?:\.[a-z]+)*\.ts$/;

export type Room = {
  service: string;
  /** `accounts`, `catalog` or `console` of the portal. */
  half: string | undefined;
  /** `db`, or `metrics.ts` for a file at the top. */
  name: string;
  isTest: boolean;
};

/** Where in its service a file is, if it is in one. */
export function roomOf(file: string): Room | undefined {
  const [, service = '', path] = /^services\/([^/]+)\/src\/(.+)$/.exec(file) ?? [];
  if (path === undefined) return undefined;
  const isTest = /\.spec\.ts$|(?:^|\/)testing\//.test(path);
  const parts = path.split('/');
  const half = service === 'portal' && parts[0]! in portalHalves ? parts.shift() : undefined;
  return { service, half, name: parts[0] ?? '', isTest };
}

/** Why a file may not be where it is, or undefined when it may. */
export function findMisplaced(file: string): string | undefined {
  const room = roomOf(file);
  if (!room) return undefined;
  const { service, half, name } = room;
  const isTop = half === undefined && file.endsWith(`/src/${name}`);
  if (isTop) {
    return topFile.test(name) ? undefined : `${name} is none of the files at the top of src`;
  }
  const rooms = half === undefined ? roomsOf(service) : (portalHalves[half] ?? []);
  if (rooms.includes(name)) return undefined;
  return `${name} is no room of ${half ?? service}: ${rooms.join(', ')}`;
}

function roomsOf(service: string): readonly string[] {
  if (service === 'portal') return ['http', 'testing'];
  return [...common, ...(own[service] ?? [])];
}

/** Why a file may not import another one of its service, or undefined when it may. */
export function findUpwardImport(file: string, source: string): string | undefined {
  if (!source.startsWith('.')) return undefined;
  const from = roomOf(file);
  const to = roomOf(posix.join(posix.dirname(file), source));
  if (!from || from.isTest || !to || to.service !== from.service) return undefined;
  if (from.half === 'catalog' && to.half === 'console') return 'catalog knows nothing of console';
  if (from.name === to.name && (from.half === to.half || to.half === 'catalog')) return undefined;
  if (rankOf(to.name) < rankOf(from.name)) return undefined;
  if (rankOf(to.name) === rankOf('app.ts') && rankOf(from.name) === rankOf('app.ts')) {
    return undefined;
  }
  return `${from.name} must not import ${to.name}: an outer room imports inner ones only`;
}

/** All files at the top belong to the start, but for those that are named in the order. */
function rankOf(name: string): number {
  const rank = order.findIndex((names) => names.includes(name));
  return rank >= 0 ? rank : order.findIndex((names) => names.includes('app.ts'));
}
