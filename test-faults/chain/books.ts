import type pg from 'pg';

/**
 * What must be true of the ledger after anything whatever. Rows are what is wrong; none is good.
 * - each posting sums to zero, and no issuance is posted twice
 * - of each reward: what the ledger says of `entitled` is the entitlement, what was issued is the
 *   issuance facts, and owed is the rest
 */
export async function findWrongBooks(db: pg.ClientBase, generation = 1): Promise<object[]> {
  const found: object[] = [];
  for (const [what, sql] of Object.entries(wrongs)) {
    const { rows } = await db.query<object>(sql.replaceAll('rewards_g1', `rewards_g${generation}`));
    found.push(...rows.slice(0, 3).map((row) => ({ what, ...row })));
  }
  return found;
}

const wrongs: Record<string, string> = {
  'a posting does not sum to zero': `
    select posting_id, sum(credits) from rewards_g1.ledger_entry group by 1 having sum(credits) <> 0`,
  'an issuance is posted twice': `
    select issuance_id, count(*) from rewards_g1.ledger_posting
    where issuance_id is not null group by 1 having count(*) > 1`,
  'the ledger and a reward disagree': `
    with booked as (
      select reward_id,
        -coalesce(sum(credits) filter (where account = 'entitled'), 0) as entitled,
        coalesce(sum(credits) filter (where account = 'issued'), 0) as issued,
        coalesce(sum(credits) filter (where account = 'owed'), 0) as owed
      from rewards_g1.ledger_posting join rewards_g1.ledger_entry using (posting_id) group by 1)
    select reward_id, e.entitled, e.issued, b.entitled as booked, b.issued as booked_issued, b.owed
    from rewards_g1.entitlement e left join booked b using (reward_id)
    where (e.entitled, e.issued, e.entitled - e.issued)
      <> (coalesce(b.entitled, 0), coalesce(b.issued, 0), coalesce(b.owed, 0))`,
  'the issuance facts and a reward disagree': `
    with facts as (select reward_id, sum(credits) as issued from issuance.issuance group by 1)
    select reward_id, e.issued, f.issued as facts
    from rewards_g1.entitlement e full join facts f using (reward_id)
    where coalesce(e.issued, 0) <> coalesce(f.issued, 0)`,
  'a recipient and their rewards disagree': `
    with rewards as (
      select tenant_id, recipient_id, sum(entitled) as entitled, sum(issued) as issued
      from rewards_g1.entitlement group by 1, 2)
    select tenant_id, recipient_id, r.entitled, r.issued, s.entitled as sum, s.issued as sum_issued
    from rewards_g1.recipient r left join rewards s using (tenant_id, recipient_id)
    where (r.entitled, r.issued) <> (coalesce(s.entitled, 0), coalesce(s.issued, 0))`,
};
