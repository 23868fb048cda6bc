/** What the edge takes; in containers the same variables are in docker-compose.yml. */
export type EdgeLimits = {
  /** Connections of one nginx worker, those to the services included. */
  workerConnections: number;
  /** Requests of one address that are under way at once. */
  requestsPerAddress: number;
  /** Requests that one replica of ingest-api has under way at once; more get 503. */
  requestsPerReplica: number;
  /** How long a request line with its headers may take. */
  headerSeconds: number;
};

const defaults = {
  TRIBUTARY_EDGE_WORKER_CONNECTIONS: 16_384,
  TRIBUTARY_EDGE_REQUESTS_PER_ADDRESS: 500,
  TRIBUTARY_EDGE_REQUESTS_PER_REPLICA: 1_000,
  TRIBUTARY_EDGE_HEADER_SECONDS: 15,
};

/** @throws naming the variable that is not a whole number above zero */
export function edgeLimits(env: NodeJS.ProcessEnv): EdgeLimits {
  const read = (name: keyof typeof defaults): number => {
    const text = env[name] || String(defaults[name]);
    if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
    throw new Error(`${name} must be a whole number from 1 on, not "${text}"`);
  };
  return {
    workerConnections: read('TRIBUTARY_EDGE_WORKER_CONNECTIONS'),
    requestsPerAddress: read('TRIBUTARY_EDGE_REQUESTS_PER_ADDRESS'),
    requestsPerReplica: read('TRIBUTARY_EDGE_REQUESTS_PER_REPLICA'),
    headerSeconds: read('TRIBUTARY_EDGE_HEADER_SECONDS'),
  };
}
