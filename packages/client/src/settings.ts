import type { RetryLimits } from './retry.ts';
import type { TokenRequest, Warning } from './wire-types.ts';

export type TributaryClientOptions = {
  /** The address of the service, such as `https://referrals.example.com`. */
  baseUrl: string;
  /** The access key pair from the portal; it stays on your server (interface 5 rule 1). */
  accessKeyId: string;
  secretAccessKey: string;
  /** How long one request may take: 10 s unless given. */
  timeoutMs?: number | undefined;
  /** How long a call may take with all attempts and pauses: 60 s unless given. */
  deadlineMs?: number | undefined;
  /** How often a call is tried at most: 5 times unless given. */
  maxAttempts?: number | undefined;
  /** Told of every warning of an accepted event; the result of the call has them, too. */
  onWarning?: ((warning: Warning, about: WarnedEvent) => void) | undefined;
  /** Another fetch than Node's, for a proxy or for tracing. */
  fetch?: typeof globalThis.fetch | undefined;
};

export type WarnedEvent = { eventType: string; eventId: string };

/** How one call may differ from what the client was created with. */
export type CallOptions = {
  /** Ends the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  deadlineMs?: number | undefined;
  maxAttempts?: number | undefined;
};

export type Settings = {
  baseUrl: string;
  accessKey: TokenRequest;
  timeoutMs: number;
  limits: RetryLimits;
  onWarning: TributaryClientOptions['onWarning'];
  fetch: typeof globalThis.fetch;
};

/** No message repeats a value: what stands in the wrong place may be a secret. */
export function readSettings(options: TributaryClientOptions): Settings {
  const { accessKeyId, secretAccessKey, timeoutMs, deadlineMs, maxAttempts } = options;
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    accessKey: {
      accessKeyId: readText('accessKeyId', accessKeyId),
      secretAccessKey: readText('secretAccessKey', secretAccessKey),
    },
    timeoutMs: timeoutMs ?? 10_000,
    limits: { deadlineMs: deadlineMs ?? 60_000, maxAttempts: maxAttempts ?? 5 },
    onWarning: options.onWarning,
    // Looked up at each call, so that what instruments the global fetch later is used.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    ['http:', 'https:'].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!isPlain) {
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

/** A variable that was forgotten in the environment is found at the start. */
function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} is missing`);
}
