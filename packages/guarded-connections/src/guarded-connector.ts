import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import { buildConnector } from 'undici';
import type { RefusalOf } from './address-rules.ts';
import type { Resolve } from './resolver.ts';

/** Our own rules forbid the connection. */
export class ConnectionBlocked extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'ConnectionBlocked';
  }
}

/**
 * Makes connections only to addresses that the rules allow. A name is looked up once for each
 * connection; if any of its addresses is refused, all are: a name that mixes public and private
 * ones is no mistake. The connection then goes to the vetted addresses themselves, so a name server
 * that says something else a moment later (rebinding) changes nothing.
 *
 * What the connection is kept for is the same scheme, host and port, so reuse needs no new check.
 */
export function createGuardedConnector(options: {
  resolve: Resolve;
  refusalOf: RefusalOf;
  timeoutMs: number;
  extraCa?: string;
}): buildConnector.connector {
  const { resolve, refusalOf, timeoutMs, extraCa } = options;

  async function vettedAddresses(hostname: string): Promise<string[]> {
    const addresses = await resolve(hostname);
    for (const address of addresses) {
      const refusal = refusalOf(address);
      if (refusal) throw new ConnectionBlocked(`${hostname}: ${address} ${refusal}`);
    }
    return addresses.slice(0, mostAddresses);
  }

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    vettedAddresses(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => callback(error, []),
    );
  };

  const connect = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    autoSelectFamily: true,
    // Between addresses of one name: enough for an answer from anywhere.
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.min(1_000, Math.ceil(timeoutMs / 4))),
    lookup,
    rejectUnauthorized: true,
    ...(extraCa !== undefined && { ca: [...getCACertificates('default'), extraCa] }),
  });

  return (target, callback) => {
    // An address that is written in the URL is connected to without a look-up.
    const refusal = isIP(target.hostname) === 0 ? undefined : refusalOf(target.hostname);
    if (refusal === undefined) return connect(target, callback);
    const blocked = new ConnectionBlocked(`${target.hostname} ${refusal}`);
    process.nextTick(() => callback(blocked, null));
  };
}

const mostAddresses = 8;
