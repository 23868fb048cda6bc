import { readFileSync } from 'node:fs';

/** Where the edge listens and the `host:port` of every replica behind it. */
export type EdgeSettings = {
  listen: string;
  ingestApi: readonly string[];
  legacyEvents: readonly string[];
  processorEvents: readonly string[];
  widget: readonly string[];
  portal: readonly string[];
};

/** The http-level configuration: what the nginx image makes of the same template. */
export function renderEdge(settings: EdgeSettings): string {
  const values: Record<string, string> = {
    EDGE_LISTEN: settings.listen,
    INGEST_API_SERVERS: serverDirectives(settings.ingestApi),
    LEGACY_EVENTS_SERVERS: serverDirectives(settings.legacyEvents),
    PROCESSOR_EVENTS_SERVERS: serverDirectives(settings.processorEvents),
    WIDGET_SERVERS: serverDirectives(settings.widget),
    PORTAL_SERVERS: serverDirectives(settings.portal),
  };
  const template = readFileSync(new URL('edge.conf.template', import.meta.url), 'utf8');
  return template.replace(/\$\{([A-Z_]+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the edge template names an unknown ${placeholder}`);
    return value;
  });
}

/** A replica that refuses a connection is left out for a second; a lone one is always tried. */
function serverDirectives(addresses: readonly string[]): string {
  return addresses.map((address) => `server ${address} max_fails=1 fail_timeout=1s;`).join(' ');
}
