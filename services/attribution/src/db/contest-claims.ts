import type { Tx } from '@tributary/runtime/postgres';
import {
  type ClaimKey,
  insertClaims,
  lockClaims,
  moveClaims,
  readClaimsOfInvoices,
} from './claims.ts';
import type { Claim } from '@tributary/attribution-fold/claim';
import { contest, type Contest } from '@tributary/attribution-fold/contest';
import type { FreshFacts } from './facts.ts';

/**
 * Locks the claims on all names of the new facts and of the invoices that these belong to; who
 * holds them then, and who did and lost. Where nobody had named any, which is the usual case, it is
 * one statement.
 */
export async function contestClaims(tx: Tx, fresh: FreshFacts): Promise<Contest> {
  const facts = [...fresh.values()];
  const unopposed = contest(facts, new Map());
  const taken = await insertClaims(tx, [...unopposed.claims.values()]);
  const contested = [...unopposed.claims.values()].filter((claim) => !taken.has(claim.businessKey));
  if (contested.length === 0) return unopposed;

  const present = new Map(
    (await lockInvoices(tx, contested, fresh)).map((claim) => [claim.businessKey, claim]),
  );
  const result = contest(facts, present);
  const stored = (key: string) => present.get(key) ?? unopposed.claims.get(key);
  await moveClaims(
    tx,
    [...result.claims.values()].filter((claim) => !same(claim, stored(claim.businessKey))),
  );
  return result;
}

/**
 * All names of an invoice are locked in one sorted statement, like all claims. Which they are is
 * known for sure only when one of them is locked; so when it turns out that there are more, the
 * locks are given back and taken anew with these.
 */
async function lockInvoices(
  tx: Tx,
  contested: readonly ClaimKey[],
  fresh: FreshFacts,
): Promise<Claim[]> {
  let wanted = contested;
  for (;;) {
    await tx.query('savepoint claims');
    const locked = await lockClaims(tx, wanted, fresh);
    const others = await findOthers(tx, locked, fresh);
    if (others.length > 0) await tx.query('rollback to savepoint claims');
    // What is written behind an open savepoint may still be taken back, so it is not sent at once.
    await tx.query('release savepoint claims');
    if (others.length === 0) return locked;
    wanted = [...wanted, ...others];
  }
}

/** Claims of the same invoices that are not among these. */
async function findOthers(
  tx: Tx,
  locked: readonly Claim[],
  fresh: FreshFacts,
): Promise<ClaimKey[]> {
  const joined = locked.flatMap(({ tenantId, invoice }) =>
    invoice === undefined ? [] : [{ tenantId, invoice }],
  );
  if (joined.length === 0) return [];
  const held = new Set(locked.map(({ businessKey }) => businessKey));
  const all = await readClaimsOfInvoices(tx, joined, fresh);
  return all.filter(({ businessKey }) => !held.has(businessKey));
}

function same(a: Claim, b: Claim | undefined): boolean {
  return a.holder?.eventId === b?.holder?.eventId && a.invoice === b?.invoice;
}
