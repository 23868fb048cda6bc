import { hostNameOf } from '@tributary/contracts/registered-domain';
import { createAddressRules, type Network } from '@tributary/guarded-connections/address-rules';
import { createGuardedConnector } from '@tributary/guarded-connections/guarded-connector';
import { createResolver } from '@tributary/guarded-connections/resolver';
import { isIP } from 'node:net';
import { Agent, request } from 'undici';

/** Where the proof of a domain is looked for, and what has to stand there. */
export type ProofPlaces = {
  value: string;
  /** The name of a TXT record; null for an address, which has none. */
  txtName: string | null;
  /** Null for a wildcard: who answers for one host need not have all of those below it. */
  fileUrl: string | null;
};

export type ProofFound = { found: 'dns' | 'file' } | { found: 'none'; details: string[] };

export type ProofFinder = {
  find(domain: string, challenge: string): Promise<ProofFound>;
  close(): Promise<void>;
};

export type ProofSettings = {
  /** Networks that may be reached although they are not public. */
  allowedNetworks: readonly Network[];
  /** Name servers to ask instead of the machine's. */
  dnsServers: readonly string[];
  /** A certificate authority (PEM) trusted beside the usual ones. For tests only. */
  extraCa?: string;
};

export function proofPlaces(domain: string, challenge: string): ProofPlaces {
  const name = hostNameOf(domain);
  const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  return {
    value: `tributary=${challenge}`,
    txtName: isAddress ? null : `_tributary-challenge.${name}`,
    fileUrl: domain.startsWith('*.')
      ? null
      : `https://${domain}/.well-known/tributary-domain-${challenge}`,
  };
}

/**
 * Looks for the proof in both places at once. Both are chosen by a customer, so connections are
 * guarded as those to webhook endpoints are: public addresses only, no redirect followed, one
 * timeout for everything, and no more than a little of an answer is read.
 */
export function createProofFinder(settings: ProofSettings): ProofFinder {
  const { allowedNetworks, dnsServers, extraCa } = settings;
  const resolver = createResolver({ servers: dnsServers, timeoutMs: timeoutMs / 2 });
  const agent = new Agent({
    allowH2: false,
    connect: createGuardedConnector({
      resolve: resolver.resolve,
      refusalOf: createAddressRules(allowedNetworks),
      timeoutMs,
      ...(extraCa !== undefined && { extraCa }),
    }),
    maxHeaderSize: 16 * 1024,
  });

  async function findRecord({ txtName, value }: ProofPlaces): Promise<void> {
    if (txtName === null) throw new Error('an address has no TXT record');
    const texts = await resolver.resolveTxt(txtName);
    if (!texts.some((text) => text.trim() === value)) throw new Error(`${txtName}: another text`);
  }

  async function findFile({ fileUrl, value }: ProofPlaces): Promise<void> {
    if (fileUrl === null) throw new Error('a wildcard is proved by its TXT record only');
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode, body } = await request(fileUrl, { dispatcher: agent, signal });
    let text = '';
    for await (const chunk of body as AsyncIterable<Buffer>) {
      text += chunk.toString('latin1');
      if (text.length > mostBytes) break;
    }
    if (statusCode !== 200) throw new Error(`${fileUrl}: status ${statusCode}`);
    if (text.trim() !== value) throw new Error(`${fileUrl}: another text`);
  }

  return {
    async find(domain, challenge) {
      const places = proofPlaces(domain, challenge);
      const [record, file] = await Promise.allSettled([findRecord(places), findFile(places)]);
      if (record.status === 'fulfilled') return { found: 'dns' };
      if (file.status === 'fulfilled') return { found: 'file' };
      return { found: 'none', details: [describe(record.reason), describe(file.reason)] };
    },
    async close() {
      await agent.destroy();
      resolver.stop();
    },
  };
}

/** Half of it for look-ups. */
const timeoutMs = 8_000;
const mostBytes = 1_024;

/** What a library wraps is its cause. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return describe(error.errors[0]);
  if (!(error instanceof Error)) return 'no answer';
  return (error.message || error.name).slice(0, 300);
}
