import { printable, table } from '../print.ts';
import { counted } from './numbers.ts';
import { describeDifferences, describeTenants, type Verification } from './verify-texts.ts';

/** As far as it is printed. */
export type CommitCheck = Verification & {
  /** The revision as it was published gives what the preview showed, at its place of the log. */
  previewHolds: boolean;
  /** Facts that came between the preview and the commit; the preview could not know them. */
  arrived: { events: number; shown: Record<string, unknown>[] };
};

/** Whether live came to what the preview showed, and what has come in between. */
export function describeCheck(check: CommitCheck): string {
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

function describeArrived({ events, shown }: CommitCheck['arrived']): string[] {
  if (events === 0) return ['No event arrived between the preview and the commit.'];
  const more = events > shown.length ? `, the first ${shown.length}` : '';
  const verb = events === 1 ? 'event' : 'events';
  return [
    printable(`${counted(events, verb)} arrived between the preview and the commit${more}:`),
    table(['receivedAt', 'eventType', 'newUserId', 'occurredAt', 'eventId'], shown),
  ];
}
