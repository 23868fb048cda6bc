import { createServer } from 'node:net';

/**
 * Every port of the local stack by name. Each can be set by hand with
 * `TRIBUTARY_LOCAL_<NAME>_PORT`, e.g. `TRIBUTARY_LOCAL_INGEST_API_ADMIN_PORT`.
 */
export const defaultPorts = {
  edge: 8080,
  edgeStatus: 8081,
  ingestApi: 8101,
  ingestApiAdmin: 8201,
  legacyEvents: 8102,
  legacyEventsAdmin: 8202,
  portal: 8103,
  portalAdmin: 8203,
  processorEvents: 8104,
  widget: 8105,
  attributionAdmin: 8204,
  rewardsAdmin: 8205,
  webhookDispatcherAdmin: 8206,
  replayAdmin: 8207,
  processorEventsAdmin: 8208,
  widgetAdmin: 8209,
  edgeMetricsAdmin: 8210,
  demoReceiver: 8300,
  demoShop: 8310,
  kafka: 19092,
  kafkaController: 19093,
  redis: 16379,
  postgres: 15432,
};

export type PortName = keyof typeof defaultPorts;
export type Ports = Record<PortName, number>;

export const portNames = Object.keys(defaultPorts) as PortName[];

/** The ports this environment asks for; throws an error that lists every mistake. */
export async function choosePorts(env: NodeJS.ProcessEnv): Promise<Ports> {
  const random = env['TRIBUTARY_LOCAL_RANDOM_PORTS'] === '1';
  const ports = random ? await randomPorts() : { ...defaultPorts };
  const mistakes: string[] = [];
  for (const name of portNames) {
    const variable = portVariable(name);
    const text = env[variable];
    if (text === undefined || text === '') continue;
    const port = Number(text);
    if (Number.isInteger(port) && port > 0 && port < 65_536) ports[name] = port;
    else mistakes.push(`${variable} must be a port number, not "${text}"`);
  }
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  return ports;
}

/**
 * Ports that were free a moment ago, all different. For tests: the images read this file too, and
 * have no test kit.
 */
export async function freePorts(count: number): Promise<number[]> {
  if (count === 0) return [];
  return (await import('@tributary/testkit/free-port')).freePorts(count);
}

export async function randomPorts(): Promise<Ports> {
  const free = await freePorts(portNames.length);
  return Object.fromEntries(portNames.map((name, i) => [name, free[i]])) as Ports;
}

/** `TRIBUTARY_LOCAL_INGEST_API_ADMIN_PORT` for `ingestApiAdmin`. */
export function portVariable(name: PortName): string {
  return `TRIBUTARY_LOCAL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_PORT`;
}

export function listenOn(port: number): Promise<{ port: number; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no port'));
      const close = () => new Promise<void>((closed) => server.close(() => closed()));
      resolve({ port: address.port, close });
    });
  });
}
