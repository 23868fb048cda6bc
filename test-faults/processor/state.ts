import { expect } from 'chai';
import type { Connection } from './connections.ts';
import type { World } from './world.ts';

/** What processor-events has made of the log: as operators see it, and what is to be sent. */
export type State = { items: object[]; shown: object[]; status: object[]; facts: object[] };

type ShownItem = { itemId: string; customerId: string | null };

export async function searchItems(world: World, tenantId: string, filter: object) {
  return world.ask<{ items: ShownItem[]; nextCursor?: string | null }>(
    `tenants/${tenantId}/items/search`,
    { ...filter, limit: 100 },
  );
}

export async function readState(world: World, connections: readonly Connection[]): Promise<State> {
  const state: State = { items: [], shown: [], status: [], facts: [] };
  for (const { tenantId } of connections) {
    const { items, nextCursor } = await searchItems(world, tenantId, {});
    expect(nextCursor ?? null, 'more items').to.equal(null);
    state.items.push(...items);
    state.shown.push(
      ...(await Promise.all(
        items.map(({ itemId }) => world.ask<object>(`tenants/${tenantId}/items/${itemId}/show`)),
      )),
    );
    state.status.push(await world.ask<object>(`tenants/${tenantId}/connections/status`));
  }
  const facts = [...(await world.facts()).values()];
  state.facts.push(...facts.sort((a, b) => (a.eventId < b.eventId ? -1 : 1)));
  return state;
}

export function expectSameState(after: State, before: State): void {
  for (const part of ['items', 'status', 'facts', 'shown'] as const) {
    const [was, is] = [before[part], after[part]].map((all) =>
      all.map((one) => JSON.stringify(one)),
    );
    expect(
      is!.filter((one) => !was!.includes(one)),
      part,
    ).to.deep.equal([]);
    expect(is, part).to.deep.equal(was);
  }
}
