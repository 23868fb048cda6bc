import type {
  Difference,
  HashedSet,
  TenantHashes,
  VerifiedTenant,
  VerifyResult,
} from '@tributary/contracts/admin/replay-results';
import { printable, table } from '../print.ts';
import { counted } from './numbers.ts';

export function describeVerification({
  outcome,
  generation,
  events,
  broken = 0,
  tenants,
  differences,
}: VerifyResult): string {
  const compared = `generation ${generation} against ${eventsOf(events)} of the log`;
  return [
    outcome === 'identical' ? `Identical: ${compared}.` : `Different: ${compared}.`,
    tenants.length === 0
      ? 'Neither has anything of what was asked for: look at the tenant and the user that were given.'
      : describeTenants(tenants),
    ...(broken === 0
      ? []
      : [`${counted(broken)} broken on the log, for neither to read: tributary dead-letters list`]),
    ...describeDifferences(differences),
  ].join('\n');
}

function eventsOf(count: number): string {
  return count === 1 ? '1 event' : counted(count, 'events');
}

/** The hashes are those of what was compared; equal sets have equal ones, in whatever order. */
export function describeTenants(tenants: readonly VerifiedTenant[]): string {
  const rows = tenants.flatMap(({ tenantId, identical, replayed, ...live }) => [
    { tenantId, ...hashesOf(live), is: identical ? 'identical' : 'different' },
    ...(replayed === undefined
      ? []
      : [{ tenantId: '', ...hashesOf(replayed), is: 'what the log gives' }]),
  ]);
  return table(['tenantId', 'decisions', 'rewards', 'recipients', 'is'], rows);
}

function hashesOf({ decisions, rewards, recipients }: Omit<TenantHashes, 'tenantId'>) {
  return {
    decisions: hashed(decisions),
    rewards: hashed(rewards),
    recipients: hashed(recipients),
  };
}

function hashed({ count, hash }: HashedSet): string {
  return `${counted(count)} ${hash.slice(0, 12)}`;
}

export function describeDifferences(differences: VerifyResult['differences']): string[] {
  const { count, shown } = differences;
  if (count === 0) return [];
  return [
    '',
    count === shown.length
      ? counted(count, count === 1 ? 'difference:' : 'differences:')
      : `${counted(count, 'differences')}, the first ${shown.length}:`,
    ...shown.flatMap(describeDifference),
  ];
}

function describeDifference(difference: Difference): string[] {
  const { kind, tenantId, id, live, replayed, fields, changedSince } = difference;
  const where = `${kind} ${id} of tenant ${tenantId}`;
  return [
    '',
    live === null
      ? `${where}: only the log gives it`
      : replayed === null
        ? `${where}: only live has it`
        : `${where}: ${fields.join(', ')}`,
    ...side('live', live, fields, difference.liveExplanation),
    ...side('by the log', replayed, fields, difference.replayedExplanation),
    ...(changedSince ? ['  What live has is another by now.'] : []),
  ].map(printable);
}

/** Shows the members that differ, or all of them when none are named; then why. */
function side(
  name: string,
  item: object | null,
  fields: readonly string[],
  explanation: readonly string[],
): string[] {
  if (item === null) return [];
  const members = Object.entries(item);
  const shown = members.filter(([member]) => fields.length === 0 || fields.includes(member));
  return [
    `  ${name}: ${(shown.length === 0 ? members : shown)
      .map(([member, value]) => `${member} ${printable(value)}`)
      .join(', ')}`,
    ...explanation.map((sentence) => `    ${sentence}`),
  ];
}
