import { posix } from 'node:path';
import { findUpwardImport } from './service-rooms.ts';

// Which file may import what, as one pure function over paths relative to the root of the checkout.
// The arrows of the tree: contracts and runtime import no workspace package; http and event-log
// import those two; services import packages; never service → service; domain is pure. Which room
// of a service may import which is in service-rooms.ts.

/** Why an import is not allowed, or undefined when it is. */
export function findFenceBroken(file: string, source: string): string | undefined {
  const from = placeOf(file);
  const target = targetOf(file, source);
  for (const fence of fences) {
    const reason = fence(from, target);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

type Place = {
  file: string;
  /** `packages/http`, `services/portal`, or the top folder. */
  unit: string;
  isTest: boolean;
  /** The domain folder that the file is in, if any. */
  domain: string | undefined;
};

type Target = {
  source: string;
  /** The path inside the checkout, for a relative import. */
  path: string | undefined;
  /** The unit that it leads to, by path or by package name. */
  unit: string | undefined;
};

type Fence = (from: Place, target: Target) => string | undefined;

const fences: readonly Fence[] = [
  keepKafkajsInEventLog,
  keepServicesApart,
  keepPackagesInOrder,
  keepToSubpaths,
  keepTestToolsInTests,
  keepE2eOutside,
  keepDomainPure,
  keepRoomsInOrder,
];

function keepKafkajsInEventLog(from: Place, { source }: Target): string | undefined {
  if (packageOf(source) !== 'kafkajs' || from.unit === 'packages/event-log') return undefined;
  // The benchmark measures event-log beside kafkajs as it comes.
  if (from.unit === 'bench') return undefined;
  return 'kafkajs is imported in packages/event-log only';
}

function keepServicesApart(from: Place, target: Target): string | undefined {
  if (target.unit === from.unit || !target.unit?.startsWith('services/')) return undefined;
  // The local stack and the benchmarks put services together; they are no service.
  if (from.unit === 'deploy' || from.unit === 'bench') return undefined;
  // The oracle is compared with the pure folds themselves.
  if (from.file.startsWith('test-faults/oracle/')) return undefined;
  // What real processes tell is compared with the fold itself, item by item.
  if (from.file === 'test-faults/replay/live-state.long.spec.ts') return undefined;
  // Stops a swap between any two of its statements, and derives the state that services must hold.
  if (from.file.startsWith('test-faults/replay/')) return undefined;
  // What services show of one history is compared with the ledger and with each other.
  if (from.file.startsWith('test-faults/views/')) return undefined;
  // Erased data is looked for in packed records, too, and only their reader can unpack them.
  if (from.file === 'test-faults/erasure.spec.ts') return undefined;
  // A dispatcher that dies at a given moment of its work is one that tells of its moments.
  if (from.file === 'test-faults/webhooks/dispatcher-process.ts') return undefined;
  if (from.file === 'test-faults/processor/processor-process.ts') return undefined;
  // The same of processor-events: its moments are named, and its rows compared with an oracle's.
  if (from.file.startsWith('test-faults/processor/')) return undefined;
  return `${from.unit} must not import ${target.unit}: it learns from topics, and asks over HTTP`;
}

/** What each package may import besides itself. Tests may also use the test kit. */
const packageArrows: Record<string, readonly string[]> = {
  'packages/contracts': [],
  'packages/runtime': [],
  'packages/native-servers': [],
  'packages/guarded-connections': [],
  'packages/http': ['packages/contracts', 'packages/runtime'],
  'packages/event-log': ['packages/contracts', 'packages/runtime'],
  'packages/testkit': ['packages/native-servers'],
  // Pure: a service applies them to what arrives, a replay to all of history.
  'packages/attribution-fold': ['packages/contracts'],
  'packages/rewards-fold': ['packages/contracts'],
  'packages/generations': [
    'packages/contracts',
    'packages/event-log',
    'packages/http',
    'packages/runtime',
  ],
  // A client of the admin API over HTTP; export and import read and write the log itself. It plays
  // the receiver rules as what a customer installs does.
  'packages/cli': [
    'packages/client',
    'packages/contracts',
    'packages/event-log',
    'packages/runtime',
  ],
  // Asks the admin API, which is all that it knows.
  'packages/admin-client': [],
  // Installed by customers, without the rest of this repository.
  'packages/client': [],
};

function keepPackagesInOrder(from: Place, target: Target): string | undefined {
  if (target.unit === undefined || target.unit === from.unit) return undefined;
  if (isUnknownPackage(target.unit)) return `${target.unit} has no row in lint/import-fence.ts`;
  if (!from.unit.startsWith('packages/')) return undefined;
  const allowed = packageArrows[from.unit];
  if (allowed === undefined) return `${from.unit} has no row in lint/import-fence.ts`;
  if (allowed.includes(target.unit)) return undefined;
  if (from.isTest && testArrows(from.unit).includes(target.unit)) return undefined;
  return `${from.unit} may import ${allowed.join(' and ') || 'no workspace package'}`;
}

/** The command line's tests start a portal, which needs its topics. */
function testArrows(unit: string): string[] {
  return ['packages/testkit', ...(unit === 'packages/cli' ? ['packages/event-log'] : [])];
}

function isUnknownPackage(unit: string): boolean {
  return unit.startsWith('packages/') && !(unit in packageArrows);
}

/**
 * Between packages and services the way is the package name, so that `exports` says what is public.
 */
function keepToSubpaths({ unit }: Place, target: Target): string | undefined {
  const inWorkspace = unit.startsWith('packages/') || unit.startsWith('services/');
  if (!inWorkspace || target.path === undefined || target.unit === unit) return undefined;
  // By its name it is what customers install, which nothing builds here.
  if (target.unit === 'packages/client') return undefined;
  return 'another package is imported by its name and a subpath, not by a relative path';
}

function keepTestToolsInTests(from: Place, target: Target): string | undefined {
  const inWorkspace = from.unit.startsWith('packages/') || from.unit.startsWith('services/');
  if (from.isTest || !inWorkspace || from.unit === 'packages/testkit') return undefined;
  if (target.unit === 'packages/testkit' || target.unit === 'packages/native-servers') {
    return target.unit === from.unit ? undefined : 'test servers are for tests and the local stack';
  }
  if (target.path?.includes('/testing/')) return 'a testing folder is for tests';
  return undefined;
}

/** End-to-end tests know the public HTTP and the webhook, so they see what a customer sees. */
function keepE2eOutside(from: Place, target: Target): string | undefined {
  if (from.unit !== 'test-e2e' || target.unit === undefined) return undefined;
  const allowed = ['test-e2e', 'deploy', 'packages/testkit', 'packages/client'];
  if (allowed.includes(target.unit)) return undefined;
  return 'test-e2e uses public HTTP, the browser and the webhook only';
}

function keepDomainPure(from: Place, target: Target): string | undefined {
  if (from.domain === undefined) return undefined;
  if (purePackages.includes(target.unit ?? '')) return undefined;
  if (target.path?.startsWith(`${from.domain}/`)) return undefined;
  if (from.isTest && (target.path !== undefined || isTestLibrary(target.source))) return undefined;
  return 'domain imports @tributary/contracts, the folds and its own folder only (no IO, no library)';
}

const purePackages = ['packages/contracts', 'packages/attribution-fold', 'packages/rewards-fold'];

function keepRoomsInOrder(from: Place, { source }: Target): string | undefined {
  return findUpwardImport(from.file, source);
}

function isTestLibrary(source: string): boolean {
  return ['chai', 'fast-check', 'mocha'].includes(packageOf(source)) || source.startsWith('node:');
}

function placeOf(file: string): Place {
  const domain = /^(.*?\/src\/(?:[^/]+\/)?domain)\//.exec(file)?.[1];
  const isTest = /\.spec\.ts$|\/testing\//.test(file) || /^test-(e2e|faults)\//.test(file);
  return { file, unit: unitOf(file), isTest, domain };
}

function targetOf(file: string, source: string): Target {
  if (source.startsWith('.')) {
    const path = posix.join(posix.dirname(file), source);
    return { source, path, unit: unitOf(path) };
  }
  if (!source.startsWith('@tributary/')) return { source, path: undefined, unit: undefined };
  const name = packageOf(source).slice('@tributary/'.length);
  const unit = serviceNames.includes(name) ? `services/${name}` : `packages/${name}`;
  return { source, path: undefined, unit };
}

const serviceNames = [
  ...['ingest-api', 'legacy-events', 'processor-events', 'widget'],
  ...['attribution', 'rewards', 'replay', 'webhook-dispatcher', 'portal'],
];

function unitOf(path: string): string {
  const [top = '', name = ''] = path.split('/');
  return top === 'packages' || top === 'services' ? `${top}/${name}` : top;
}

function packageOf(source: string): string {
  const parts = source.split('/');
  return source.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}
