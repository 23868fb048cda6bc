type Handle = {
  type: string;
  is_active: boolean;
  is_referenced: boolean;
  pid?: number;
  localEndpoint?: Endpoint | null;
  remoteEndpoint?: Endpoint | null;
};
type Endpoint = { host?: string; ip4?: string; port: number };

/** Not documented, and the only one that has the names that are being looked up. */
type Internals = { _getActiveRequests?: () => readonly { hostname?: unknown }[] };

/**
 * What keeps this process from ending: its timers, its servers, connections and children, and the
 * names that are being looked up, which nothing cancels.
 */
export function printWhatIsAlive(): string {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const { libuv } = process.report.getReport() as unknown as { libuv: Handle[] };
  const handles = libuv.filter(
    ({ type, is_active: isActive, is_referenced: isReferenced }) =>
      isActive && isReferenced && type !== 'loop',
  );
  return [
    [...counts].map(([type, count]) => `${count} ${type}`).join(', '),
    ...handles.map(({ type, pid, localEndpoint, remoteEndpoint }) =>
      [
        type,
        ...(pid === undefined ? [] : [`of process ${pid}`]),
        ...(localEndpoint ? [`at ${portOf(localEndpoint)}`] : []),
        ...(remoteEndpoint ? [`to ${portOf(remoteEndpoint)}`] : []),
      ].join(' '),
    ),
    ...namesLookedUp().map((name) => `looks up ${name}`),
  ].join('\n');
}

function namesLookedUp(): string[] {
  const internals = process as unknown as Internals;
  const requests = internals._getActiveRequests?.() ?? [];
  return requests.flatMap(({ hostname }) => (typeof hostname === 'string' ? [hostname] : []));
}

const portOf = ({ host, ip4, port }: Endpoint) => `${ip4 ?? host ?? ''}:${port}`;
