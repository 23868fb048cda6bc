import type { Arrival } from '../../packages/attribution-fold/src/testing/arbitraries.ts';
import type { World } from './world.ts';

/** Every record of a world as one of its topic. */
export function arrivalsOf(world: World): Arrival[] {
  return [
    ...world.events.map((record) => ({ topic: 'events' as const, record })),
    ...world.codes.map((record) => ({ topic: 'codes' as const, record })),
    ...world.revisions.map((record) => ({ topic: 'catalog' as const, record })),
    ...world.tenants.map((record) => ({ topic: 'catalog' as const, record })),
  ];
}

/** Some of them twice; which come when is all in the numbers. */
export function shuffled<T>(all: readonly T[], by: readonly number[]): T[] {
  const some = all.filter((_, i) => by[i % by.length]! % 5 === 0);
  return [...all, ...some]
    .map((one, i) => [one, ((by[i % by.length]! + i) * 7_919) % 1_009] as const)
    .sort(([, a], [, b]) => a - b)
    .map(([one]) => one);
}

/** Records of one code come in the order of their versions, as they are on the log. */
export function inVersionOrder(arrivals: readonly Arrival[]): Arrival[] {
  const nameOf = (arrival: Arrival) =>
    arrival.topic === 'codes' ? `${arrival.record.tenantId}:${arrival.record.ucc}` : '';
  const ordered = [...Map.groupBy(arrivals, nameOf)].map(([name, own]) => {
    const version = (arrival: Arrival) => (arrival.topic === 'codes' ? arrival.record.version : 0);
    return [name, own.toSorted((a, b) => version(a) - version(b))] as const;
  });
  const queues = new Map(ordered.map(([name, own]) => [name, own.values()]));
  return arrivals.flatMap((arrival) => queues.get(nameOf(arrival))!.next().value ?? []);
}

/** What is known once these have arrived. */
export function worldOf(arrivals: readonly Arrival[]): World {
  const catalog = arrivals.flatMap((a) => (a.topic === 'catalog' ? [a.record] : []));
  const once = <R>(all: readonly R[]) => [...new Set(all)];
  return {
    events: once(arrivals.flatMap((a) => (a.topic === 'events' ? [a.record] : []))),
    codes: once(arrivals.flatMap((a) => (a.topic === 'codes' ? [a.record] : []))),
    tenants: once(catalog.filter((record) => record.entity === 'tenant')),
    revisions: once(catalog.filter((record) => record.entity === 'campaign-revision')),
  };
}
