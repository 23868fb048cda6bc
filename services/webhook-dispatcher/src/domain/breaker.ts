/**
 * One breaker per endpoint, shared by all processes through the endpoint's row.
 *
 *   closed ──too many failures──▶ open ──its wait is over──▶ half-open: one delivery, alone
 *     ▲                            ▲                             │
 *     │                            └─────────── it failed ───────┤   the wait doubles
 *     └──────────────────────────────────────── it arrived ──────┘
 *
 * Half-open is no state of its own: it is an open breaker whose wait is over, and whoever claims
 * then takes one delivery, as a probe. What was under way when the breaker opened ends as it ends
 * and moves an open breaker neither way; only a probe does.
 */
export type Breaker = {
  /** When the next probe may go; null while closed. */
  probeAtMs: number | null;
  /** Openings and failed probes since it was last closed. */
  opened: number;
  consecutiveFailures: number;
  windowStartedAtMs: number;
  windowAttempts: number;
  windowFailures: number;
};

export type BreakerSettings = {
  /** Opens after so many failures in a row … */
  failuresInARow: number;
  /** … or when this share of at least `windowMinAttempts` attempts within `windowMs` failed. */
  failureShare: number;
  windowMinAttempts: number;
  windowMs: number;
  /** The first wait; it doubles with each failed probe up to `maxOpenMs`. */
  openMs: number;
  maxOpenMs: number;
};

export const breakerSettings: BreakerSettings = {
  failuresInARow: 10,
  failureShare: 0.5,
  windowMinAttempts: 20,
  windowMs: 60_000,
  openMs: 5_000,
  maxOpenMs: 300_000,
};

export function closedBreaker(atMs: number): Breaker {
  return {
    probeAtMs: null,
    opened: 0,
    consecutiveFailures: 0,
    windowStartedAtMs: atMs,
    windowAttempts: 0,
    windowFailures: 0,
  };
}

/** The breaker after an attempt ended at `atMs` by the database clock. */
export function evolveBreaker(
  breaker: Breaker,
  attempt: { delivered: boolean; probe: boolean; atMs: number },
  settings: BreakerSettings,
): Breaker {
  const { delivered, probe, atMs } = attempt;
  if (breaker.probeAtMs !== null) {
    if (!probe) return breaker;
    return delivered ? closedBreaker(atMs) : open(breaker, atMs, settings);
  }
  const counted = count(breaker, delivered, atMs, settings.windowMs);
  return isTooMuch(counted, settings) ? open(counted, atMs, settings) : counted;
}

function count(breaker: Breaker, delivered: boolean, atMs: number, windowMs: number): Breaker {
  // A window that begins in the future is of a clock that was set back since.
  const ageMs = atMs - breaker.windowStartedAtMs;
  const fresh = ageMs < 0 || ageMs >= windowMs;
  const window = fresh ? closedBreaker(atMs) : breaker;
  return {
    probeAtMs: null,
    opened: breaker.opened,
    consecutiveFailures: delivered ? 0 : breaker.consecutiveFailures + 1,
    windowStartedAtMs: window.windowStartedAtMs,
    windowAttempts: window.windowAttempts + 1,
    windowFailures: window.windowFailures + (delivered ? 0 : 1),
  };
}

function isTooMuch(breaker: Breaker, settings: BreakerSettings): boolean {
  const { consecutiveFailures, windowAttempts, windowFailures } = breaker;
  if (consecutiveFailures >= settings.failuresInARow) return true;
  return (
    windowAttempts >= settings.windowMinAttempts &&
    windowFailures >= settings.failureShare * windowAttempts
  );
}

function open(breaker: Breaker, atMs: number, { openMs, maxOpenMs }: BreakerSettings): Breaker {
  const waitMs = Math.min(openMs * 2 ** Math.min(breaker.opened, 30), maxOpenMs);
  return { ...breaker, probeAtMs: atMs + waitMs, opened: Math.min(breaker.opened + 1, 1_000_000) };
}
