import { secretContext } from '@tributary/contracts/secret-context';
import { type KeyRing, openSecret } from '@tributary/runtime/secrets';
import type { PortRange } from '../domain/allowed-ports.ts';
import type { ExchangeEnd } from '../domain/outcome.ts';
import { type EndpointTarget, type Target, targetOf } from '../domain/target.ts';
import type { Exchange } from './exchange.ts';
import { createScrub, type Credentials, type Scrub } from './scrub.ts';

export type ServiceEnvironment = 'prod' | 'sandbox';

/**
 * Sends the stored bytes of a delivery to an endpoint (interface 6.1). `now` is database time.
 *
 * @throws when a password of the endpoint cannot be opened: that is our key ring, not the
 * customer's endpoint, so it must not use up an attempt.
 */
export type SendDelivery = (
  request: { body: Buffer; attempt: number; now: Date; traceparent?: string | undefined },
  endpoint: EndpointTarget,
) => Promise<ExchangeEnd>;

/**
 * What an endpoint's configuration comes to (URL taken apart, passwords opened) is kept, because
 * opening costs as much as the rest of a fast exchange, and made anew when the configuration
 * differs.
 */
export function createDeliverySender(options: {
  exchange: Exchange;
  secrets: KeyRing;
  environment: ServiceEnvironment;
  allowedPorts: readonly PortRange[];
}): SendDelivery {
  const { exchange, environment } = options;
  const preparedByTenant = new Map<string, Prepared>();

  function prepared(endpoint: EndpointTarget): Prepared {
    const known = preparedByTenant.get(endpoint.tenantId);
    if (known && isSame(known.endpoint, endpoint)) return known;
    const made = prepare(endpoint, options);
    preparedByTenant.delete(endpoint.tenantId);
    preparedByTenant.set(endpoint.tenantId, made);
    if (preparedByTenant.size > mostPrepared) {
      const [oldest] = preparedByTenant.keys();
      if (oldest !== undefined) preparedByTenant.delete(oldest);
    }
    return made;
  }

  return async ({ body, attempt, now, traceparent }, endpoint) => {
    const { target, scrub, authorization, previous } = prepared(endpoint);
    if (target.outcome === 'blocked') {
      return { end: 'no-answer', result: 'blocked', detail: target.reason };
    }
    // A receiver changes its credentials at some moment of the overlap: before it knows the old
    // ones, after it answers them with 401 and knows the new ones.
    const overlaps = previous && now.getTime() < previous.untilMs;
    return exchange.post({
      origin: target.origin,
      path: target.path,
      headers: [
        'content-type',
        'application/json; charset=utf-8',
        'x-service-env',
        environment,
        'user-agent',
        'Tributary-Webhooks/1.0',
        'x-tributary-attempt',
        String(attempt),
        ...(traceparent === undefined ? [] : ['traceparent', traceparent]),
      ],
      authorizations: overlaps ? [previous.authorization, authorization] : [authorization],
      body,
      scrub,
    });
  };
}

type Prepared = {
  endpoint: EndpointTarget;
  target: ({ outcome: 'target' } & Target) | { outcome: 'blocked'; reason: string };
  authorization: string;
  previous?: { authorization: string; untilMs: number };
  scrub: Scrub;
};

/** Some 10 KiB each, most of it what looks for credentials in answers. */
const mostPrepared = 5_000;

function prepare(
  endpoint: EndpointTarget,
  options: {
    secrets: KeyRing;
    environment: ServiceEnvironment;
    allowedPorts: readonly PortRange[];
  },
): Prepared {
  const context = secretContext(endpoint.tenantId, 'webhook-password');
  const open = (sealed: { username: string; sealedPassword: string }): Credentials => ({
    username: sealed.username,
    password: openSecret(options.secrets, sealed.sealedPassword, context),
  });
  const current = open(endpoint);
  const previous = endpoint.previous && open(endpoint.previous);
  return {
    endpoint,
    target: targetOf(endpoint.url, options),
    authorization: basic(current),
    ...(previous &&
      endpoint.previous && {
        previous: {
          authorization: basic(previous),
          untilMs: endpoint.previous.until.getTime(),
        },
      }),
    scrub: createScrub(previous ? [current, previous] : [current]),
  };
}

function isSame(a: EndpointTarget, b: EndpointTarget): boolean {
  return (
    a.url === b.url &&
    a.username === b.username &&
    a.sealedPassword === b.sealedPassword &&
    a.previous?.sealedPassword === b.previous?.sealedPassword &&
    a.previous?.username === b.previous?.username &&
    a.previous?.until.getTime() === b.previous?.until.getTime()
  );
}

/** RFC 7617 with UTF-8, which is what receivers decode. */
function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
