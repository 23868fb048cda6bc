import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';

/**
 * Does the work, and again each second while Postgres refuses it for a right that the principal
 * lacks, or does not let it in: somebody has to grant that, and then it goes on without a restart.
 * Reports each new refusal once. Other failures are the caller's, and so is the refusal once the
 * work that it is part of has to stop ({@link untilStopped}).
 */
export async function untilAllowed<T>(
  work: () => Promise<T>,
  { url, logger, everyMs = 1_000 }: { url: string; logger: Logger; everyMs?: number },
): Promise<T> {
  let reported: string | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      if (refusal !== reported) {
        const principal = userOf(url);
        logger.error(`postgres refuses ${principal}: ${refusal}; trying again`, {
          principal,
          hint: 'node deploy/roles/create-roles.ts --check lists what lacks',
        });
      }
      reported = refusal;
      const signal = stopOf.getStore();
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal?.aborted) throw error;
    }
  }
}

/** Does the work; what it waits for by {@link untilAllowed}, however deep, ends with the signal. */
export function untilStopped<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return stopOf.run(signal, work);
}

const stopOf = new AsyncLocalStorage<AbortSignal>();

/** The server's words, when it is rights that lack or a password that is wrong. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  const isRefusal = typeof code === 'string' && refusals.test(code);
  // What a library throws in its place has no code.
  const [words] = refusalWords.exec(error.message) ?? [];
  return isRefusal ? error.message : (words ?? refusalOf(error.cause));
}

/** 42501 lacks a right, 28P01 wrong password, 28000 not let in. */
const refusals = /^(42501|28P01|28000)$/;
const refusalWords = /(permission denied for|must be owner of) [^\n]+/;

function userOf(url: string): string {
  return URL.canParse(url) ? decodeURIComponent(new URL(url).username) : 'the principal';
}
