import { rm } from 'node:fs/promises';
import { startNativeServer } from '@tributary/native-servers/native-server';
import { freePorts } from '../free-port.ts';
import { freshDirectory } from '../native-test-servers.ts';
import { stripeApiVersions, type StripeShape } from './api-version.ts';
import { buildStripeMock } from './build-stripe-mock.ts';

/** The official stripe-mock whose API version is that shape's. */
export const stripeMockVersions: Record<StripeShape, string> = {
  old: 'v0.148.0',
  new: 'v0.203.0',
};

export type StripeMock = {
  /** `http://127.0.0.1:port`. Any key of the form `rk_test_…` is accepted; nothing is kept. */
  readonly url: string;
  readonly shape: StripeShape;
  readonly apiVersion: string;
  stop(): Promise<void>;
};

/**
 * A mocha hook that starts one needs this much time, for the case that it has to be built first.
 */
export const stripeMockTimeoutMs = 600_000;

/**
 * Builds the stripe-mock of that shape when this user's cache lacks it (about 20 s, once, and a
 * little more where Go is missing too) and starts it on a free port. Requests with another version
 * than its own are refused.
 */
export async function startStripeMock(shape: StripeShape): Promise<StripeMock> {
  const { program } = await buildStripeMock(stripeMockVersions[shape]);
  // With an address for HTTP it takes one for HTTPS too, 12112 unless told.
  const [port = 0, httpsPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const dir = await freshDirectory('stripe-mock');
  const server = await startNativeServer({
    ...{ name: 'stripe-mock', dir, port, command: program, stopSignal: 'SIGTERM' },
    args: [
      ...['-http-addr', `127.0.0.1:${port}`, '-https-addr', `127.0.0.1:${httpsPort}`],
      '-strict-version-check',
    ],
    otherPorts: [httpsPort],
    isReady: () => answers(url),
  });
  return {
    url,
    shape,
    apiVersion: stripeApiVersions[shape],
    async stop() {
      await server.kill(); // It keeps nothing.
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Without a key: 401. */
async function answers(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  return fetch(`${url}/v1/customers`, { signal }).then(
    (response) => response.status === 401,
    () => false,
  );
}
