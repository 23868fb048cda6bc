import { Refusal } from './refusal.ts';

/**
 * A service acts on some hundred at once. With `seen` that is done until nothing is left of what
 * was counted, or for as long as a caller may be kept waiting: one request is one entry of the
 * audit list, and what is asked again changes nothing that was done.
 */
export async function inParts(
  { body: { seen } }: { body: { seen?: unknown } },
  act: () => Promise<{ done: number; more: boolean }>,
): Promise<{ done: number; more: boolean }> {
  const until = performance.now() + patienceMs;
  let done = 0;
  for (;;) {
    const part = await act();
    done += part.done;
    const isLast = !part.more || part.done === 0 || seen === undefined;
    if (isLast || performance.now() > until) return { done, more: part.more };
  }
}

/** The edge waits for 30 s. */
const patienceMs = 15_000;

export function stateIsMissing(): Refusal {
  return new Refusal('VALIDATION_ERROR', {
    errors: [{ pointer: '/state', code: 'REQUIRED', detail: 'must select what to act on' }],
  });
}
