import { readFileSync } from 'node:fs';
import type { EdgeLimits } from './edge-limits.ts';

/** Where the edge listens and the `host:port` of every replica behind it. */
export type EdgeSettings = {
  listen: string;
  ingestApi: readonly string[];
  legacyEvents: readonly string[];
  processorEvents: readonly string[];
  widget: readonly string[];
  portal: readonly string[];
  /** Where a line is written for each request that is refused for its address. */
  refusalsLog: string;
  /** Where nginx tells of its connections: `host:port` that only the counter may reach. */
  statusListen: string;
  /** Where a line is sent by UDP for each request (services/edge-metrics). */
  counter: string;
  limits: EdgeLimits;
};

/** The http-level configuration: what the nginx image makes of the same template. */
export function renderEdge(settings: EdgeSettings): string {
  const values: Record<string, string> = {
    EDGE_LISTEN: settings.listen,
    INGEST_API_SERVERS: serverDirectives(
      settings.ingestApi,
      `max_conns=${settings.limits.requestsPerReplica}`,
    ),
    LEGACY_EVENTS_SERVERS: serverDirectives(settings.legacyEvents),
    PROCESSOR_EVENTS_SERVERS: serverDirectives(settings.processorEvents),
    WIDGET_SERVERS: serverDirectives(settings.widget),
    PORTAL_SERVERS: serverDirectives(settings.portal),
    EDGE_REFUSALS_LOG: settings.refusalsLog,
    EDGE_STATUS_LISTEN: settings.statusListen,
    EDGE_COUNTER: settings.counter,
    EDGE_REQUESTS_PER_ADDRESS: String(settings.limits.requestsPerAddress),
    EDGE_HEADER_SECONDS: String(settings.limits.headerSeconds),
    // Every replica is known here: none has to be found by a new connection.
    EDGE_REQUESTS_PER_CONNECTION: '100000',
  };
  const template = readFileSync(new URL('edge.conf.template', import.meta.url), 'utf8');
  return template.replace(/\$\{([A-Z_]+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the edge template names an unknown ${placeholder}`);
    return value;
  });
}

/** A replica that refuses a connection is left out for a second; a lone one is always tried. */
function serverDirectives(addresses: readonly string[], limit = ''): string {
  return addresses
    .map((address) => `server ${address} max_fails=1 fail_timeout=1s ${limit};`)
    .join(' ');
}
