import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import type { processorRoutes } from '@tributary/contracts/admin/processor';

/** One page of a walk, as the admin API answers. */
export type ReconcilePage = AnswerBodyOf<(typeof processorRoutes)['reconcileConnection']>;
export type Finding = ReconcilePage['findings'][number];

/** What was found by all pages so far. */
export type Reconciliation = {
  connectionId: string;
  kinds: readonly ('invoices' | 'sessions' | 'refunds')[];
  since: string;
  /** Objects that Stripe listed. */
  scanned: number;
  appended: number;
  findings: Finding[];
  finished: boolean;
};

/** Missing with a reason that is known here: it is listed as an item, and tried again by itself. */
export function isKnown({ finding, state }: Finding): boolean {
  return finding === 'missing' && (state === 'unmatched' || state === 'waiting');
}

export function isInOrder({ findings }: Reconciliation): boolean {
  return findings.every((finding) => isKnown(finding) || finding.appended === true);
}
