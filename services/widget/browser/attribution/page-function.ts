import type { Referral } from './referral.ts';

/** `[method, arguments, resolve, reject]`: one call as the documented stub keeps it. */
type Waiting = [
  method: string,
  args?: unknown,
  resolve?: ((value: unknown) => void) | undefined,
  reject?: ((error: unknown) => void) | undefined,
];

/** `window.TributaryAttribution`, before this script has run (the stub) and after. */
export type PageFunction = {
  (method: string): Promise<unknown>;
  q?: { push(call: Waiting): unknown };
  /** There is one script on a page, however often it is loaded. */
  loaded?: true;
};

/** The function that the page calls with a method's name (interface 4.7 rule 5). */
export function createPageFunction(referral: Referral): PageFunction & { loaded: true } {
  const methods = new Map<unknown, () => unknown>([
    ['getUcc', () => referral.current()?.ucc],
    ['getReferrerName', async () => (await referral.config()).referrerName],
    ['getCampaignConfig', async () => ({ ...(await referral.config()).campaignConfig })],
    ['requireConsent', referral.requireConsent],
    ['grantConsent', referral.grantConsent],
    ['revokeConsent', referral.revokeConsent],
  ]);

  const call = async (method: string): Promise<unknown> => {
    const run = methods.get(method);
    if (run) return run();
    const names = [...methods.keys()].join(', ');
    throw new TypeError(`TributaryAttribution has no method ${String(method)}; it has ${names}`);
  };
  return Object.assign(call, {
    loaded: true as const,
    // For a page that kept the stub itself and goes on calling it.
    q: { push: (waiting: Waiting) => void answer(call, waiting) },
  });
}

/** Calls made before the script was there, each answered by its own promise and in their order. */
export function answerWaiting(call: PageFunction, waiting: readonly Waiting[]): void {
  for (const each of waiting) void answer(call, each);
}

async function answer(call: PageFunction, waiting: Waiting): Promise<void> {
  const [method, , resolve, reject] = waiting;
  await call(method).then(resolve, reject ?? (() => undefined));
}

/** What the stub has kept. A page may have anything by this name, an element even. */
export function waitingCalls(stub: unknown): Waiting[] {
  const queue = (stub as { q?: unknown } | undefined)?.q;
  return Array.isArray(queue) ? queue.filter((each): each is Waiting => Array.isArray(each)) : [];
}
