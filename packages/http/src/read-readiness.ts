/** What a service says of itself at `/readyz?all` of its internal listener. */
export type Readiness = {
  answers: boolean;
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string | null }[];
};

/**
 * Asks each of a comma list, as several processes may run a generation each; whoever does not
 * answer in time is told of as that.
 */
export function readReadiness(baseUrl: string, timeoutMs = 3_000): Promise<Readiness[]> {
  const bases = baseUrl.split(',').map((url) => url.trim().replace(/\/+$/, ''));
  return Promise.all(
    bases.map(async (base) => {
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const response = await fetch(`${base}/readyz?all`, { signal, redirect: 'error' });
        return readinessOf(await response.json());
      } catch {
        return { answers: false, ok: false, checks: [] };
      }
    }),
  );
}

type Said = { ok: boolean; checks: Record<string, { ok: boolean; detail?: string }> };

/** @throws when it is no answer of a listener of ours. */
function readinessOf(said: unknown): Readiness {
  const { ok, checks } = said as Said;
  return { answers: true, ok, checks: checksOf(checks) };
}

export function checksOf(states: Said['checks']): Readiness['checks'] {
  return Object.entries(states).map(([name, { ok, detail = null }]) => ({ name, ok, detail }));
}
