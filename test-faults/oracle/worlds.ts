import type { EventRecord } from '@tributary/contracts/event-record';
import fc from 'fast-check';
import { mostly } from './moments.ts';
import type { Flavour } from './names.ts';
import { campaigns, tenantVersions } from './some-catalogs.ts';
import { plainCodes, trickyCodes } from './some-codes.ts';
import { event, repetition, untimed } from './some-events.ts';
import type { World } from './world.ts';

export function worlds(flavour: Flavour): fc.Arbitrary<World> {
  const tenantIds = ['t1', ...(flavour.attribution === 'tricky' ? ['t2'] : [])];
  const codes = flavour.attribution === 'tricky' ? trickyCodes : plainCodes;
  return fc
    .record({
      events: fc.array(
        fc.oneof({ arbitrary: event(flavour), weight: 7 }, { arbitrary: repetition, weight: 1 }),
        { minLength: 1, maxLength: flavour.events, size: 'max' },
      ),
      codes: fc.tuple(...tenantIds.map((tenantId) => codes(tenantId))),
      tenants: fc.tuple(...tenantIds.map((tenantId) => tenantVersions(tenantId, flavour))),
      revisions: fc.tuple(...tenantIds.map((tenantId) => campaigns(tenantId, flavour))),
      isUntimed: mostly([false], [true]),
    })
    .map(({ events, isUntimed, ...world }) => ({
      events: events
        .reduce<EventRecord[]>((all, make, i) => [...all, make(idOf(i), all)], [])
        .map(isUntimed ? untimed : (made) => made),
      codes: world.codes.flat(),
      tenants: world.tenants.flat(),
      revisions: world.revisions.flat(),
    }));
}

/** Neither ascending nor descending by number. */
function idOf(i: number): string {
  const scattered = ((i + 1) * 40_503) % 65_536;
  return `00000000-0000-4000-8000-${scattered.toString(16).padStart(12, '0')}`;
}
