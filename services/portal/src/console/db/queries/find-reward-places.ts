import type { KeptBack, ShownState } from '@tributary/contracts/reward-state';
import { keyOf } from '@tributary/generations/read-model-keys';
import { type ClassFilter, findClasses, isClassed } from './classes.ts';
import type { Conditions } from './conditions.ts';
import type { RewardFilter } from './list-rewards.ts';
import type { Page } from './paging.ts';
import { type Places, placesIn, placesInClasses, placesWalked, type Source } from './places.ts';
import type { Queryable } from './queryable.ts';
import { keptBackAs, settledUnpaid } from './reward-state.ts';

/** Where the rewards of a page are: as {@link findEventPlaces} does it. */
export async function findRewardPlaces(
  db: Queryable,
  tenantId: string,
  filter: RewardFilter,
  page: Page,
): Promise<Places> {
  const ofTenant = (conditions: Conditions) => conditions.equal('tenant_id', tenantId);
  const driver = driverOf(tenantId, filter);
  if (driver !== undefined && isAlone(filter)) return placesIn(db, [driver], filter, page);
  if (driver !== undefined) {
    const left = (conditions: Conditions) => addRewardFilter(conditions, filter);
    const from = 'reward on reward.reward_id = walked.id';
    return placesWalked(db, driver, { from, where: left }, filter, page);
  }
  if (!isClassed(rewardClassFilter(filter))) {
    return placesIn(db, [{ ...recorded, from: 'reward', where: ofTenant }], filter, page);
  }
  const classes = await findClasses(db, tenantId, 'reward', rewardClassFilter(filter));
  const more = settledSources(tenantId, filter);
  return placesInClasses(
    db,
    { tenantId, classes },
    { ...recorded, table: 'reward', more },
    filter,
    page,
  );
}

/** Nothing else is asked for, so that every row of the index is one of the list. */
function isAlone({ recipient, user, event, ...filter }: RewardFilter): boolean {
  const drivers = [recipient, user, event].filter((one) => one !== undefined);
  return drivers.length === 1 && !isClassed(rewardClassFilter(filter));
}

const recorded = { at: 'reward.recorded_at', id: 'reward.reward_id' };

export function driverOf(
  tenantId: string,
  { recipient, user, event }: RewardFilter,
): Source | undefined {
  const by = (column: string, value: string | undefined): Source | undefined =>
    value === undefined
      ? undefined
      : {
          ...recorded,
          from: 'reward',
          where: (conditions) => {
            conditions.equal('tenant_id', tenantId);
            conditions.equal(column, value);
          },
        };
  return (
    by('event_id', event && keyOf(event)) ??
    by('new_user_id', user) ??
    by('recipient_id', recipient)
  );
}

/** All of the filter but its period and tenant. */
export function addRewardFilter(conditions: Conditions, filter: RewardFilter): void {
  conditions.equal('recipient_id', filter.recipient);
  conditions.equal('recipient_role', filter.role);
  conditions.equal('campaign_id', filter.campaign);
  conditions.equal('rule_id', filter.rule);
  conditions.equal('new_user_id', filter.user);
  conditions.equal('event_id', filter.event && keyOf(filter.event));
  if (filter.state !== undefined) conditions.add(isShownAs(filter.state));
}

function isShownAs(state: ShownState): string {
  switch (state) {
    case 'issued':
      return `state = '${state}'`;
    case 'held':
    case 'review':
    case 'withheld':
      return `(state = '${state}' or ${settledUnpaid}) and ${keptBackAs} = '${state}'`;
    case 'reversed':
      return `state = 'reversed' and not capped`;
    case 'capped':
      return `state = 'reversed' and capped`;
    default:
      return state satisfies never;
  }
}

export function rewardClassFilter({ state, campaign, rule, role }: RewardFilter): ClassFilter {
  return { state, campaign, rule, role };
}

/**
 * Settled rewards that are in review, or withheld, with what they have grown by: no class says it.
 */
export function settledSources(tenantId: string, filter: RewardFilter): Source[] {
  const { state } = filter;
  if (state !== 'review' && state !== 'withheld') return [];
  const where = (conditions: Conditions) => {
    conditions.equal('reward.tenant_id', tenantId);
    conditions.add(settledAs[state]);
    addRewardFilter(conditions, { ...filter, state: undefined });
  };
  return [{ ...recorded, from: 'reward', where }];
}

/** By the indexes that have the few of which it can be true. */
export const settledAs: Record<Exclude<KeptBack, 'held'>, string> = {
  review: `${settledUnpaid} and reward.reviewed and ${keptBackAs} = 'review'`,
  withheld: `${settledUnpaid} and ${keptBackAs} = 'withheld'
    and exists (select from reward_action as withheld
      where withheld.tenant_id = reward.tenant_id and withheld.reward_id = reward.reward_id
        and withheld.type = 'withheld')`,
};
