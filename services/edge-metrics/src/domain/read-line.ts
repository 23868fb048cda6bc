/** What the edge says of a request that is over. */
export type AnsweredRequest = {
  /** The service that its path leads to; `none`: no service. */
  route: Route;
  status: string;
  /** `service` when the caller got the answer of a service, `edge` when nginx gave its own. */
  by: 'edge' | 'service';
  seconds: number;
};

/** The upstreams of the edge's template, by the names of the services; a test compares them. */
export const routes = [
  ...(['ingest-api', 'legacy-events', 'processor-events', 'widget', 'portal'] as const),
  'none',
] as const;
type Route = (typeof routes)[number];

/**
 * Reads a line of the form `counted` of the edge's template; undefined for anything else. Whatever
 * becomes a label is of a list here: a datagram can come from any process on the machine.
 */
export function readLine(text: string): AnsweredRequest | undefined {
  const [, by, status, seconds, upstream] = line.exec(text) ?? [];
  if (by === undefined || status === undefined) return undefined;
  const route = routeOf.get(upstream ?? '');
  if (route === undefined) return undefined;
  return { route, status, by: by as AnsweredRequest['by'], seconds: Number(seconds) };
}

/** `<190>Nov 30 12:00:00 edge: service 202 0.004 ingest_api` */
const line = /^<\d{1,3}>[\w :]{15,16} edge: (edge|service) ([1-5]\d\d) (\d{1,9}\.\d{3}) (\w*)$/;

/** Without an upstream nginx has an empty name. */
const routeOf: ReadonlyMap<string, Route> = new Map(
  routes.map((route) => [route === 'none' ? '' : route.replaceAll('-', '_'), route]),
);
