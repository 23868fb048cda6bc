import { createExchange, type Exchange, type ExchangeSettings } from '../exchange.ts';
import { parseNetworks } from '@tributary/guarded-connections/address-rules';
import type { ExchangeEnd } from '../../domain/outcome.ts';
import { createScrub } from '../scrub.ts';
import { patiently } from '@tributary/testkit/patience';

export const testCredentials = { username: 'hook-user', password: 'pässword:1/+&"' };
export const authorization = `Basic ${Buffer.from('hook-user:pässword:1/+&"').toString('base64')}`;

/** An exchange as in production, but for what a spec says; this machine may be reached. */
export function testExchange(changes: Partial<ExchangeSettings> = {}): Exchange {
  return createExchange({
    timeoutMs: patiently(5_000),
    answerLimitBytes: 16 * 1024,
    allowedNetworks: parseNetworks('127.0.0.0/8'),
    dnsServers: [],
    ...changes,
  });
}

export function post(exchange: Exchange, origin: string, path = '/hook'): Promise<ExchangeEnd> {
  return exchange.post({
    origin,
    path,
    headers: ['content-type', 'application/json; charset=utf-8'],
    authorizations: [authorization],
    body: Buffer.from('{"eventId":"ev-1"}'),
    scrub: createScrub([testCredentials]),
  });
}
