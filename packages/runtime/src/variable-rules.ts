import { accessSync, constants } from 'node:fs';
import { Type } from '@sinclair/typebox';

// Rules of variables.ts that a type cannot express. Each gives a mistake in words that follow the
// variable's name, or undefined, and repeats no value of a secret.

type Values = Readonly<Record<string, unknown>>;

/** Makes sense only together with the others. */
export function needs(...others: string[]) {
  return (_value: unknown, all: Values): string | undefined => {
    const missing = others.filter((name) => all[name] === undefined);
    return missing.length === 0 ? undefined : `is set without ${missing.join(' and ')}`;
  };
}

/** For the switch that allows production to do without the others. */
export function productionNeeds(...others: string[]) {
  return (isAllowed: boolean, all: Values): string | undefined => {
    if (isAllowed || all['SERVICE_ENV'] !== 'prod') return undefined;
    const lacking = others.filter((name) => !all[name]);
    return lacking.length === 0
      ? undefined
      : `is not true, and production needs ${lacking.join(' and ')}`;
  };
}

/** The same for addresses of other services, of which each is https or not. */
export function productionNeedsHttps(...links: string[]) {
  return (isAllowed: boolean, all: Values): string | undefined => {
    if (isAllowed || all['SERVICE_ENV'] !== 'prod') return undefined;
    const plain = links.filter((name) => /(^|,)\s*http:/i.test(String(all[name])));
    return plain.length === 0
      ? undefined
      : `is not true, and production needs https:// in ${plain.join(' and ')}`;
  };
}

/** A file of certificate authorities, which is read only when `switchName` is on. */
export function caFile(switchName: string) {
  const verify = (path: string, all: Values) =>
    all[switchName] === true ? mistakeOfFile(path) : `is set while ${switchName} is not true`;
  return Type.Optional(Type.String({ expected: 'a PEM file', verify }));
}

export function mistakeOfFile(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** Where another service answers this one; with `several`, a comma list. */
export function internalUrl({ several = false } = {}) {
  const one = 'http://host:port or https://host:port';
  const expected = several ? `${one}, or several with commas between` : one;
  return Type.String({
    expected,
    verify(text: string) {
      const urls = several ? text.split(',').map((url) => url.trim()) : [text];
      return urls.every(isInternalUrl) ? undefined : `must be ${expected}`;
    },
  });
}

/** A host outside of the deployment, or as seen from there: at production by https only. */
export function outsideUrl() {
  const expected = 'https://host, with :port when it is another one; http:// only with sandbox';
  return Type.String({
    expected,
    verify(text: string, all: Values) {
      const isTaken = all['SERVICE_ENV'] !== 'prod' || URL.parse(text)?.protocol === 'https:';
      return isInternalUrl(text) && isTaken ? undefined : `must be ${expected}`;
    },
  });
}

function isInternalUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return `${url.origin}/` === url.href;
}

export function mistakeOfBrokers(text: string): string | undefined {
  const wrong = text
    .split(',')
    .findIndex((item) => !/^\s*(\[[0-9a-f:]+\]|[^\s:/]+):\d{1,5}\s*$/i.test(item));
  // Not repeated: a URL with a password is easily pasted here.
  return wrong === -1
    ? undefined
    : `entry ${wrong + 1} is wrong; it must be host:port, or several with commas between`;
}

export function mistakeOfPostgresUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return 'must be postgresql://user:password@host:port/database';
  }
  // They would silently win over the settings that say the same.
  const owned = [...url.searchParams.keys()].filter((name) =>
    /^(ssl|options$|uselibpq)/.test(name),
  );
  return owned.length === 0
    ? undefined
    : `must not have the parameter ${owned[0]}; use TRIBUTARY_POSTGRES_TLS and its companions`;
}

export function mistakeOfTracesEndpoint(text: string): string | undefined {
  const url = parseUrl(text);
  const isHttp = url !== undefined && ['http:', 'https:'].includes(url.protocol);
  if (isHttp && url.username === '' && url.password === '' && url.pathname !== '/')
    return undefined;
  return 'must be http(s)://host:port/v1/traces, without user and password';
}

export function mistakeOfRedisUrl(text: string, all: Values): string | undefined {
  if (!isRedisUrl(text)) return 'must be redis://host:port or rediss://user:password@host:port';
  const { port, host } = new URL(text);
  if (all['TRIBUTARY_REDIS_SENTINELS'] !== undefined && port !== '') {
    return (
      'must be redis://master or rediss://user:password@master with TRIBUTARY_REDIS_SENTINELS: ' +
      'the name of the master instead of an address'
    );
  }
  const nodes = all['TRIBUTARY_REDIS_CLUSTER_NODES'];
  return nodes === undefined || entriesOf(nodes).includes(host)
    ? undefined
    : 'must have the address of one of TRIBUTARY_REDIS_CLUSTER_NODES, with its port';
}

function isRedisUrl(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && ['redis:', 'rediss:'].includes(url.protocol) && url.hostname !== '';
}

/** Fewer could not say by majority who serves a key when one of them is gone. */
const fewestWitnesses = 3;

export function mistakeOfClusterNodes(text: string, all: Values): string | undefined {
  if (all['TRIBUTARY_REDIS_SENTINELS'] !== undefined) {
    return 'is set beside TRIBUTARY_REDIS_SENTINELS; a cluster has no sentinels, set one of them';
  }
  return mistakeOfBrokers(text) ?? mistakeOfCount(text, 'nodes');
}

export function mistakeOfSentinels(text: string): string | undefined {
  const wrong = entriesOf(text).findIndex((entry) => !isRedisUrl(entry));
  return wrong === -1
    ? mistakeOfCount(text, 'sentinels')
    : `entry ${wrong + 1} is wrong; it must be redis://host:port or rediss://user:password@host:port`;
}

function mistakeOfCount(text: string, what: string): string | undefined {
  const count = new Set(entriesOf(text)).size;
  return count >= fewestWitnesses
    ? undefined
    : `has ${count}; it must have three ${what} or more, as most of them say who serves a key`;
}

function entriesOf(list: unknown): string[] {
  return String(list)
    .split(',')
    .map((entry) => entry.trim());
}

/** The same for Redis, where the URLs say whether there is TLS. */
export function productionNeedsRedisTls(isAllowed: boolean, all: Values): string | undefined {
  if (isAllowed || all['SERVICE_ENV'] !== 'prod') return undefined;
  const plain = redisUrlVariables.filter((name) => !urlsOf(all, name).every(isEncrypted));
  return plain.length === 0
    ? undefined
    : `is not true, and production needs rediss:// in ${plain.join(' and ')}`;
}

/** A file of certificate authorities for Redis, where the URLs say whether there is TLS. */
export function mistakeOfRedisCa(path: string, all: Values): string | undefined {
  const isUsed = redisUrlVariables.flatMap((name) => urlsOf(all, name)).some(isEncrypted);
  return isUsed || !isRedisUrl(String(all['TRIBUTARY_REDIS_URL']))
    ? mistakeOfFile(path)
    : 'is set while TRIBUTARY_REDIS_URL is redis://; TLS needs rediss://';
}

const redisUrlVariables = ['TRIBUTARY_REDIS_URL', 'TRIBUTARY_REDIS_SENTINELS'];

function urlsOf(all: Values, name: string): string[] {
  return all[name] === undefined ? [] : entriesOf(all[name]);
}

function isEncrypted(url: string): boolean {
  return parseUrl(url)?.protocol === 'rediss:';
}

export function singleKey() {
  const expected = 'base64 of at least 32 random bytes';
  const verify = (text: string) => (hasBytes(text, 32) ? undefined : `must be ${expected}`);
  return Type.String({ secret: true, expected, verify });
}

export function keyRing(size: { minBytes: number; maxBytes?: number }) {
  const { minBytes, maxBytes = Infinity } = size;
  const bytes = maxBytes === minBytes ? `${minBytes}` : `at least ${minBytes}`;
  const expected = `keyId:base64 of ${bytes} random bytes, or several with commas between, newest first`;
  const verify = (text: string) => {
    const entries = text.split(',').map((entry) => entry.trim());
    const keyIds = entries.map((entry) => entry.split(':')[0] ?? '');
    const wrong = entries.findIndex((entry) => !isRingEntry(entry, minBytes, maxBytes));
    if (wrong !== -1) return `entry ${wrong + 1} is wrong; it must be ${expected}`;
    const repeated = keyIds.find((keyId, i) => keyIds.indexOf(keyId) !== i);
    return repeated === undefined ? undefined : `has the key id ${repeated} twice`;
  };
  return Type.String({ secret: true, expected, verify });
}

/** Both alphabets; a key id has no dot and no colon, as those separate it from what follows. */
function isRingEntry(entry: string, minBytes: number, maxBytes: number): boolean {
  const match = /^[A-Za-z0-9_-]{1,32}:(.*)$/.exec(entry);
  return match !== null && hasBytes(match[1] ?? '', minBytes, maxBytes);
}

function hasBytes(base64: string, minBytes: number, maxBytes = Infinity): boolean {
  if (!isBase64(base64)) return false;
  const { length } = Buffer.from(base64, 'base64');
  return length >= minBytes && length <= maxBytes;
}

export function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
