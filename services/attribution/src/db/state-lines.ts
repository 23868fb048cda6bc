import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { decisionDigest, toLine } from '@tributary/contracts/state-item';
import { readPages, type TextRow } from '@tributary/runtime/read-pages';
import type pg from 'pg';

/** Neither: everything. */
export type Narrowing = { tenantId?: string | undefined; userId?: string | undefined };

/**
 * Current decisions as lines (contracts), in pages of them; the last line of each page is ended.
 */
export async function* decisionPages(
  tx: Pick<pg.ClientBase, 'query'>,
  { tenantId, userId }: Narrowing,
): AsyncGenerator<{ text: string; lines: number }, void, void> {
  const query = {
    text: `select decision.tenant_id, decision.event_id, decision.outcome, decision.campaign_id,
             decision.record::text
           from decision
           where ($1::text is null or decision.tenant_id = $1)
             and ($2::text is null or decision.event_id in (
               select event_id from fact
               where new_user_id = $2 and ($1::text is null or fact.tenant_id = $1)))`,
    values: [tenantId ?? null, userId ?? null],
  };
  for await (const rows of readPages(tx, query)) {
    let text = '';
    for (const row of rows) text += `${lineOf(row)}\n`;
    yield { text, lines: rows.length };
  }
}

/**
 * Columns are used for finding rows and the record for what it says; where they differ, it shows.
 */
function lineOf([tenantId, eventId, outcome, campaignId, record]: TextRow): string {
  const decision = JSON.parse(record!) as DecisionRecord;
  const isSound =
    decision.tenantId === tenantId &&
    decision.eventId === eventId &&
    decision.outcome === outcome &&
    (decision.campaignId ?? null) === campaignId;
  return toLine({
    kind: 'decision',
    tenantId: tenantId!,
    newUserId: decision.newUserId,
    eventId: eventId!,
    digest: isSound ? decisionDigest(decision) : 'the columns of its row contradict its record',
  });
}
