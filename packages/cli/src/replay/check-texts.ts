import type { CommitCheckResult } from '@tributary/contracts/admin/replay-results';
import { printable, table } from '../print.ts';
import { counted } from './numbers.ts';
import { describeDifferences, describeTenants } from './verify-texts.ts';

/** Whether live came to what the preview showed, and what has come in between. */
export function describeCheck(check: CommitCheckResult): string {
  const { outcome, previewHolds, tenants, differences, arrived } = check;
  return [
    outcome === 'identical'
      ? 'Checked: live is what the preview showed, and what has come since.'
      : previewHolds
        ? 'Different: live is not what the log gives.'
        : 'Different: the revision that was published does not give what the preview showed.',
    describeTenants(tenants),
    ...describeDifferences(differences),
    ...describeArrived(arrived),
  ].join('\n');
}

function describeArrived({ events, shown }: CommitCheckResult['arrived']): string[] {
  if (events === 0) return ['No event arrived between the preview and the commit.'];
  const more = events > shown.length ? `, the first ${shown.length}` : '';
  const verb = events === 1 ? 'event' : 'events';
  return [
    printable(`${counted(events, verb)} arrived between the preview and the commit${more}:`),
    table(['receivedAt', 'eventType', 'newUserId', 'occurredAt', 'eventId'], shown),
  ];
}
