import { everFirstCode } from '@tributary/attribution-fold/attribution-mode';
import type { CodeHistory } from '@tributary/attribution-fold/code-history';
import { invoicesOf } from '@tributary/attribution-fold/decide-from-scratch';
import type { Fact } from '@tributary/attribution-fold/fact';
import { bindUser } from '@tributary/attribution-fold/fold-user';
import type { DecisionContext } from '@tributary/attribution-fold/decision-context';
import { withUntimed } from '@tributary/attribution-fold/untimed-payments';
import { type UserState, withFacts } from '@tributary/attribution-fold/user-state';
import type { Precedence } from '@tributary/attribution-fold/precedence';
import { jsonOf } from '../store/store.ts';
import { readLoops } from './find-loops.ts';
import { readOwners } from './list-owners.ts';
import { readContested } from './settle-contested.ts';
import type { TaskContext } from './task.ts';

/**
 * What the decisions about a user of the shard depend on: their own facts, and what others
 * reported.
 */
export function createContexts(context: TaskContext, shard: number) {
  const { store, catalog, cut } = context;
  const { foldVersion } = cut;
  const codes = new Map(
    store.read(`histories/${shard}`).map((entry) => [entry.key, jsonOf<CodeHistory>(entry)]),
  );
  const owners = readOwners(context, shard);
  const loops = readLoops(context, shard);
  const contested = readContested(context, shard);

  return {
    /** `facts`: all of the user. */
    of(user: string, facts: readonly Fact[]): DecisionContext {
      const since = owners.get(user);
      const modes = catalog.modes.get(facts[0]!.event.tenantId) ?? [];
      const { untimed } = withUntimed(undefined, facts, { foldVersion, modes });
      const state: UserState = {
        ...withFacts({}, facts),
        ...(since !== undefined && { ownsCodeSince: since }),
        ...(untimed && { untimed }),
      };
      const users = new Map([[user, state]]);
      const { claims, invoices } = invoicesOf(facts);
      for (const key of claims.keys()) {
        const claim = contested.claims.get(key);
        if (claim) claims.set(key, claim);
        const invoice = contested.invoices.get(key);
        if (invoice) invoices.set(key, invoice);
      }
      const decisionContext: DecisionContext = {
        ...{ foldVersion, codes, users, claims, invoices },
        campaigns: catalog.campaigns,
        referrals: loops.get(user) ?? none,
        modes: catalog.modes,
      };
      if (everFirstCode(modes))
        users.set(user, { ...state, bound: bindUser(facts, decisionContext) });
      return decisionContext;
    },
  };
}

const none: ReadonlyMap<string, Precedence> = new Map();
