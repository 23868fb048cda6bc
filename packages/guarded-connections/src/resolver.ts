import { readFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Every address of a name, at least one: a connection cannot be made to none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Every TXT record of a name, its strings joined. */
export type ResolveTxt = (hostname: string) => Promise<string[]>;

export class NameNotResolved extends Error {
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'NameNotResolved';
  }
}

/**
 * Looks names up without `dns.lookup`: that takes one of four threads for as long as a name server
 * is silent, so four customers with a dead one would stop all others (and files, and passwords).
 * What `dns.lookup` adds is done here: the hosts file and localhost.
 *
 * Asks for both families at once. When one has answered, the other gets a moment more: name servers
 * that are silent about AAAA exist. What it would have said is then not connected to either.
 */
export function createResolver(options: {
  servers: readonly string[];
  /** For all tries together. */
  timeoutMs: number;
  hostsFile?: string;
}): { resolve: Resolve; resolveTxt: ResolveTxt; stop: () => void } {
  const { servers, timeoutMs, hostsFile = '/etc/hosts' } = options;
  // The second try waits twice as long as the first.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const hosts = createHosts(hostsFile);
  const underWay = new Map<string, Promise<string[]>>();

  function ask(name: string): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const answers = [resolver.resolve4(name), resolver.resolve6(name)];
      const found: string[][] = [];
      const failures: unknown[] = [];
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        if (found.length > 0) resolve(found.flat());
        else reject(notResolved(name, failures));
      };
      let answersLeft = answers.length;
      answers.forEach((answer, family) => {
        const answered = (addresses: string[]) => {
          // To c-ares an alias that leads to no address is no error.
          if (addresses.length === 0) throw noAddress();
          // IPv4 first, whichever answered first.
          if (family === 0) found.unshift(addresses);
          else found.push(addresses);
          timer ??= setTimeout(end, secondFamilyMs);
        };
        const done = () => {
          answersLeft -= 1;
          if (answersLeft === 0) end();
        };
        answer
          .then(answered)
          .catch((error: unknown) => void failures.push(error))
          .then(done, reject);
      });
    });
  }

  return {
    async resolve(hostname) {
      const name = hostname.toLowerCase().replace(/\.$/, '');
      if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
      const known = hosts().get(name);
      if (known) return known;
      // Many connections are made to a name at once, when it is first needed.
      let answer = underWay.get(name);
      if (!answer) {
        answer = ask(name).finally(() => underWay.delete(name));
        underWay.set(name, answer);
      }
      return answer;
    },
    async resolveTxt(hostname) {
      try {
        return (await resolver.resolveTxt(hostname)).map((strings) => strings.join(''));
      } catch (error) {
        throw notResolved(hostname, [error], 'the name has no TXT record');
      }
    },
    stop: () => resolver.cancel(),
  };
}

const secondFamilyMs = 500;

/** The more telling of both failures: that there is no AAAA says nothing. */
function notResolved(name: string, failures: readonly unknown[], none = explanations['ENODATA']) {
  const cause = failures.find((failure) => codeOf(failure) !== 'ENODATA') ?? failures[0];
  const code = codeOf(cause);
  const why =
    (code === 'ENODATA' ? none : explanations[code ?? '']) ?? 'the name could not be looked up';
  return new NameNotResolved(`${name}: ${why}${code === undefined ? '' : ` (${code})`}`, { cause });
}

function noAddress(): Error {
  return Object.assign(new Error('no address'), { code: 'ENODATA' });
}

const explanations: Record<string, string> = {
  ENOTFOUND: 'no such name',
  ENODATA: 'the name has no address',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refused to answer',
  ETIMEOUT: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server cannot be reached',
  EBADNAME: 'not a name',
  EBADRESP: 'the answer of the name server makes no sense',
  EFORMERR: 'the name server did not understand',
};

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The hosts file, read again at most every few seconds; it is small, and read at once. */
function createHosts(file: string): () => Map<string, string[]> {
  let known = new Map<string, string[]>();
  let readAtMs = -Infinity;
  return () => {
    const nowMs = performance.now();
    if (nowMs - readAtMs < hostsAgeMs) return known;
    readAtMs = nowMs;
    known = parseHosts(textOf(file));
    return known;
  };
}

const hostsAgeMs = 5_000;

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A machine without one has only names that are looked up.
    return '';
  }
}

export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  return hosts;
}
