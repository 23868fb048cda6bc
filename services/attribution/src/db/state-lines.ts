import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { decisionDigest, toLine } from '@tributary/contracts/state-item';
import { readPages, type TextRow } from '@tributary/runtime/read-pages';
import type pg from 'pg';
import { checksumOf } from './decision-checksum.ts';

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
    text: `select event_id, tenant_id, new_user_id, version, outcome, campaign_id, digest,
             checksum, former_record
           from fact
           where ($1::text is null or tenant_id = $1) and ($2::text is null or new_user_id = $2)`,
    values: [tenantId ?? null, userId ?? null],
  };
  for await (const rows of readPages(tx, query)) {
    let text = '';
    for (const row of rows) text += `${lineOf(row)}\n`;
    yield { text, lines: rows.length };
  }
}

function lineOf(row: TextRow): string {
  const [eventId, tenantId, newUserId] = row;
  return toLine({
    kind: 'decision',
    tenantId: tenantId!,
    newUserId: newUserId ?? '',
    eventId: eventId!,
    digest: isSound(row) ? digestOf(row) : 'the columns of its row contradict each other',
  });
}

/** Columns are used for finding rows, and the digest is what is compared. */
function isSound(row: TextRow): boolean {
  const [eventId, tenantId, , version, outcome, campaignId, , checksum, former] = row;
  if (former === null) {
    const digest = digestOf(row);
    const found = { eventId, tenantId, version: Number(version), outcome, campaignId, digest };
    return String(checksumOf(found as Checked)) === checksum;
  }
  const record = JSON.parse(former!) as DecisionRecord;
  return (
    record.tenantId === tenantId &&
    record.eventId === eventId &&
    record.outcome === outcome &&
    (record.campaignId ?? null) === campaignId
  );
}

/** Computed from the record where the release before has written the row. */
function digestOf([, , , , , , digest, , former]: TextRow): string {
  if (former !== null) return decisionDigest(JSON.parse(former!) as DecisionRecord);
  return Buffer.from(digest!.slice('\\x'.length), 'hex').toString('base64url');
}

type Checked = Parameters<typeof checksumOf>[0];
