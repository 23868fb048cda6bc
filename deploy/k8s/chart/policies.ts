/** A port of a service's pod, or of a server outside of the cluster. */
export type Target = {
  of: string;
  /** As the container's port is called; `server` outside. */
  name: string;
  host: string;
  port: number;
  /** Where a command can be run, in the cluster. */
  pod?: string;
};

export type Reach = { from: string; to: Target; isOpen: boolean };

/** Whose internal listeners a service asks. */
const asked: Readonly<Record<string, readonly string[]>> = {
  portal: ['attribution', 'processor-events', 'replay', 'rewards', 'webhook-dispatcher'],
  replay: ['attribution', 'rewards'],
};

/** All services are at Kafka. */
const withoutPostgres = ['legacy-events'];
const withRedis = ['ingest-api'];

/** Customers' endpoints are on the machine here, on any port of it. */
const callsTheMachine = ['webhook-dispatcher'];

/**
 * What may reach what, written down without a look at the chart. `node` is let in everywhere;
 * `machine` is where KEDA's operator runs, which reads metrics; `stranger` is a pod of none of the
 * services, which no policy keeps from calling the outside.
 */
export function mayReach(from: string, { of, name }: Target): boolean {
  if (from === 'node' || from === of) return true;
  if (from === 'machine') return name !== 'http' || of === 'edge';
  if (from === 'edge') return name === 'http';
  if (name === 'server') {
    if (from === 'stranger' || callsTheMachine.includes(from)) return true;
    if (of === 'kafka') return true;
    if (of === 'postgres') return !withoutPostgres.includes(from);
    return of === 'redis' && withRedis.includes(from);
  }
  if (of === 'edge') return name === 'http' && from === 'stranger';
  return name === 'admin' && (asked[from] ?? []).includes(of);
}

/** One sentence for each connection that was let through and should not be, or the reverse. */
export function mistakesOf(reaches: readonly Reach[]): string[] {
  return reaches
    .filter(({ from, to, isOpen }) => isOpen !== mayReach(from, to))
    .map(({ from, to, isOpen }) => {
      const where = `${to.of} (${to.name}, port ${to.port})`;
      return isOpen ? `${from} reaches ${where}` : `${from} does not reach ${where}`;
    });
}
