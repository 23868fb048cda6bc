import { beats, type Claim, type Holder, holds, toHolder } from './claim.ts';
import { claimKeysOf, type Fact, isRefund } from './fact.ts';

/**
 * New facts against the claims that are there: who holds each key afterwards. Facts that share any
 * name are about one invoice, and so are facts that a third one joins (design 7): refunds join
 * names as purchases do. The names of an invoice are a set that only grows, so it does not matter
 * in which order they meet.
 */
export type Contest = {
  /** By business key: all that the facts or the present claims name. */
  claims: Map<string, Claim>;
  /**
   * Keys of invoices (one each) whose older facts are to be decided again: another holder, which is
   * so of some whenever names meet, or a refund.
   */
  touched: Claim[];
  /** Who held them and lost. */
  displaced: Holder[];
  /** Keys that nobody had named before, and no refund names now. */
  unrefunded: Set<string>;
};

/** `present` holds all names of each invoice of which it holds one. */
export function contest(facts: readonly Fact[], present: ReadonlyMap<string, Claim>): Contest {
  const groups = createGroups();
  for (const claim of present.values())
    groups.join([claim.invoice ?? claim.businessKey, claim.businessKey]);
  for (const fact of facts) groups.join(claimKeysOf(fact));
  const factsOf = Map.groupBy(facts, (fact) => groups.rootOf(claimKeysOf(fact)[0]!));
  const result: Contest = { claims: new Map(), touched: [], displaced: [], unrefunded: new Set() };
  for (const [root, keys] of groups.all()) {
    settle(keys, factsOf.get(root) ?? [], present, result);
  }
  return result;
}

function settle(
  keys: readonly string[],
  facts: readonly Fact[],
  present: ReadonlyMap<string, Claim>,
  { claims, touched, displaced, unrefunded }: Contest,
): void {
  const before = keys.flatMap((key) => present.get(key) ?? []);
  const tenantId = before[0]?.tenantId ?? facts[0]!.event.tenantId;
  let holder: Holder | undefined;
  const rivals = [
    ...before.flatMap((claim) => claim.holder ?? []),
    ...facts.filter((fact) => holds(fact, keys[0]!)).map(toHolder),
  ];
  for (const rival of rivals) if (!holder || beats(rival, holder)) holder = rival;

  const known = before.flatMap((claim) => claim.invoice ?? []);
  const invoice = keys.length > 1 ? smallest(known.length > 0 ? known : keys) : undefined;
  for (const businessKey of keys) {
    claims.set(businessKey, {
      tenantId,
      businessKey,
      ...(holder && { holder }),
      ...(invoice !== undefined && { invoice }),
    });
  }
  const lost = new Map(
    before.flatMap(({ holder: was }) =>
      was && was.eventId !== holder?.eventId ? [[was.eventId, was] as const] : [],
    ),
  );
  displaced.push(...lost.values());
  const changed = before.some((claim) => claim.holder?.eventId !== holder?.eventId);
  const refunded = facts.some(isRefund);
  const reported = claims.get(keys[0]!);
  if (before.length === 0 && !refunded) for (const key of keys) unrefunded.add(key);
  if (reported && before.length > 0 && (changed || refunded)) touched.push(reported);
}

/** Keys that belong together, directly or through others. */
function createGroups() {
  const parents = new Map<string, string>();

  function rootOf(key: string): string {
    let root = key;
    for (let next = parents.get(root); next !== undefined && next !== root;) {
      root = next;
      next = parents.get(root);
    }
    return root;
  }

  return {
    rootOf,
    join(keys: readonly string[]): void {
      const [first, ...others] = keys;
      if (first === undefined) return;
      if (!parents.has(first)) parents.set(first, first);
      for (const key of others) {
        if (!parents.has(key)) parents.set(key, key);
        const [a, b] = [rootOf(first), rootOf(key)];
        if (a !== b) parents.set(a < b ? b : a, a < b ? a : b);
      }
    },
    all: () =>
      [...Map.groupBy(parents.keys(), rootOf)].map(([root, keys]) => [root, keys] as const),
  };
}

function smallest(texts: readonly string[]): string {
  return texts.reduce((a, b) => (b < a ? b : a));
}
