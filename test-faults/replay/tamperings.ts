/**
 * One row each, changed by hand: the kind of item that a verification must name, and the statement,
 * which gives the tenant, the user and the id of it. No two are about the same recipient's same
 * item.
 */
export const tamperings: readonly { kind: string; sql: string }[] = [
  {
    kind: 'decision',
    sql: `
      update attribution_g1.fact
      set digest = sha256(digest)
      where event_id = (select event_id from attribution_g1.fact
        where outcome = 'attributed' and tenant_id = 't-event'
        order by event_id limit 1)
      returning tenant_id as tenant, new_user_id as user, event_id as id`,
  },
  {
    kind: 'reward',
    sql: `
      update rewards_g1.entitlement set entitled = entitled + 1
      where reward_id = (${rewardOf('t-event', 0)})
      returning tenant_id as tenant, recipient_id as user, reward_id as id`,
  },
  {
    kind: 'reward',
    sql: `
      update rewards_g1.entitlement set issued = issued + 1
      where reward_id = (${rewardOf('t-first', 0)})
      returning tenant_id as tenant, recipient_id as user, reward_id as id`,
  },
  {
    kind: 'reward',
    sql: `
      update issuance.issuance set credits = credits + 1
      where issuance_id = (select issuance_id from issuance.issuance
        where tenant_id = 't-event' and reward_id <> (${rewardOf('t-event', 0)})
        order by issuance_id limit 1)
      returning tenant_id as tenant, recipient_id as user, reward_id as id`,
  },
  {
    kind: 'recipient',
    sql: `
      update rewards_g1.recipient set issued = issued - 1
      where (tenant_id, recipient_id) = (select tenant_id, recipient_id from rewards_g1.recipient
        where issued > 1 and tenant_id = 't-first' order by recipient_id limit 1)
      returning tenant_id as tenant, recipient_id as user, recipient_id as id`,
  },
  {
    kind: 'recipient',
    sql: `
      update rewards_g1.entitlement set opened_credits = opened_credits + 1
      where reward_id = (select reward_id from rewards_g1.entitlement
        where tenant_id = 't-event' and opened_credits > 0 order by reward_id limit 1)
      returning tenant_id as tenant, recipient_id as user, recipient_id as id`,
  },
];

function rewardOf(tenantId: string, n: number): string {
  return `select reward_id from rewards_g1.entitlement
    where state = 'issued' and tenant_id = '${tenantId}' order by reward_id offset ${n} limit 1`;
}
