import { lines, printable, table } from '../print.ts';

/** As far as it is printed; how it fares is missing while processor-events is away. */
export type Connection = Record<string, unknown> & {
  items?: Record<string, unknown>;
};
/** `ok` is null when it could not be checked in time. */
export type Check = { ok?: boolean | null; findings?: readonly Record<string, unknown>[] };

export function describeConnections(connections: readonly Connection[]): string {
  if (connections.length === 0) return 'There is none: tributary processor connect';
  const rows = connections.map((connection) => ({ ...flat(connection), ...connection.items }));
  return table(listColumns, rows);
}

const listColumns = [
  ...['connectionId', 'status', 'livemode', 'apiVersion', 'taxPolicy', 'lastEventAt', 'silent'],
  ...['failing', 'reported', 'waiting', 'unmatched', 'ignored'],
];

/** A connection with what was found when it was checked. */
export function describeChecked(
  heading: string,
  connection: Record<string, unknown>,
  check: Check,
): string {
  return [lines(heading, flat(connection)), describeCheck(check)].join('\n');
}

export function describeCheck({ ok, findings = [] }: Check): string {
  const shown = findings.map(({ check, ok: isGood, detail }) => ({
    result: isGood === true ? 'ok' : 'FAILED',
    check,
    detail,
  }));
  return [
    ...(shown.length === 0 ? [] : [table(['result', 'check', 'detail'], shown)]),
    verdict(ok),
  ].join('\n');
}

function verdict(ok: Check['ok']): string {
  if (ok === true) return 'All is in order.';
  return ok === false
    ? 'Not all is in order.'
    : 'It could not be checked in time: tributary processor check';
}

/** Fields within fields as lines of their own: `items.waiting`. */
export function flat(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (value === null || typeof value !== 'object') return [[name, value]];
    if (Array.isArray(value)) return [[name, value.length === 0 ? undefined : value.join(', ')]];
    if (name === 'failing') {
      const { since, detail } = value as { since?: unknown; detail?: unknown };
      return [[name, `since ${printable(since)}: ${printable(detail)}`]];
    }
    const within = Object.entries(flat(value as Record<string, unknown>));
    return within.map(([inner, member]) => [`${name}.${inner}`, member]);
  });
  return Object.fromEntries(entries);
}
