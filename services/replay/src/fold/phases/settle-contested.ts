import type { Claim } from '@tributary/attribution-fold/claim';
import { invoicesOf } from '@tributary/attribution-fold/decide-from-scratch';
import { type Fact, namesOf, toFact, userKeyOf } from '@tributary/attribution-fold/fact';
import { type Invoice, toInvoice } from '@tributary/attribution-fold/invoice';
import { shardOf } from '../store/hash.ts';
import { type Entry, jsonOf } from '../store/store.ts';
import { distinctEvents } from './read-facts.ts';
import type { TaskContext } from './task.ts';

/**
 * Who holds each name that several users share, and what is left of those invoices, told to every
 * shard that has a fact about it. A refund follows the decision of its purchase, so the shard of a
 * purchase is told which others want to know that.
 */
export function settleContested(
  { store, shape, cut }: TaskContext,
  { batch }: { batch: number },
): void {
  const byGroup = Map.groupBy(store.read(`groups/${batch}`), ({ key }) => key.split(' ')[0]!);
  for (const entries of byGroup.values()) {
    const facts = distinctEvents(cut, entries).map(toFact);
    const { claims, invoices } = invoicesOf(facts);
    const shardOfFact = (fact: Fact) => shardOf(userKeyOf(fact), shape.shards);
    for (const [shard, own] of Map.groupBy(facts, shardOfFact)) {
      const names = new Set(own.flatMap(namesOf));
      const known = linksOf([...names], claims, invoices);
      store.append(`links/${shard}`, '', JSON.stringify(known));
    }
    for (const { purchase, all } of new Set(invoices.values())) {
      if (!purchase) continue;
      const owner = userKeyOf(purchase);
      for (const user of new Set(all.map(userKeyOf))) {
        if (user === owner) continue;
        const wanted = String(shardOf(user, shape.shards));
        store.append(`wanted/${shardOf(owner, shape.shards)}`, purchase.event.eventId, wanted);
      }
    }
  }
}

type Links = {
  claims: Claim[];
  /** Facts, since they make the invoice again. */
  invoices: { names: string[]; purchase?: Fact; refunds: Fact[] }[];
};

function linksOf(
  names: readonly string[],
  claims: ReadonlyMap<string, Claim>,
  invoices: ReadonlyMap<string, Invoice>,
): Links {
  const known = Map.groupBy(
    names.filter((name) => invoices.has(name)),
    (name) => claims.get(name)?.invoice ?? name,
  );
  return {
    claims: names.flatMap((name) => claims.get(name) ?? []),
    invoices: [...known.values()].map((own) => {
      const { purchase, all } = invoices.get(own[0]!)!;
      return { names: own, ...(purchase && { purchase }), refunds: [...all] };
    }),
  };
}

/** Contested names of a shard, by business key; they hold in place of what its facts alone say. */
export type Contested = { claims: Map<string, Claim>; invoices: Map<string, Invoice> };

export function readContested({ store }: TaskContext, shard: number): Contested {
  const contested: Contested = { claims: new Map(), invoices: new Map() };
  for (const entry of store.read(`links/${shard}`)) {
    const links = jsonOf<Links>(entry);
    for (const claim of links.claims) contested.claims.set(claim.businessKey, claim);
    for (const { names, purchase, refunds } of links.invoices) {
      const invoice = toInvoice(purchase, refunds);
      for (const name of names) contested.invoices.set(name, invoice);
    }
  }
  return contested;
}

/** By event of a purchase: shards with refunds of it by other users. */
export function readWanted({ store }: TaskContext, shard: number): Map<string, Set<number>> {
  const wanted = new Map<string, Set<number>>();
  for (const entry of store.read(`wanted/${shard}`) satisfies Entry[]) {
    const shards = wanted.get(entry.key) ?? new Set<number>();
    wanted.set(entry.key, shards.add(Number(entry.value.toString())));
  }
  return wanted;
}
