import { compareDecimal } from '@tributary/contracts/canonical-order';

/** What attribution needs of a campaign revision. */
export type Revision = {
  revision: number;
  status: 'running' | 'stopped';
  effectiveFrom: string;
  effectiveFromSeconds: string;
};

/** The revision that decides what occurred at that time: the latest to take effect by then; of two
 *  with the same time, the higher. */
export function revisionInForce(
  revisions: readonly Revision[],
  occurredAtSeconds: string,
): Revision | undefined {
  return revisions
    .filter((r) => compareDecimal(r.effectiveFromSeconds, occurredAtSeconds) <= 0)
    .reduce<Revision | undefined>((best, r) => (best && !isLater(r, best) ? best : r), undefined);
}

function isLater(a: Revision, b: Revision): boolean {
  return (
    (compareDecimal(a.effectiveFromSeconds, b.effectiveFromSeconds) || a.revision - b.revision) > 0
  );
}
