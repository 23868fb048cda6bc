import { createTokenBuckets } from './token-buckets.ts';

/** Whether an event of a tenant is taken now. */
export type Admission =
  | { outcome: 'admitted' }
  | { outcome: 'suspended' }
  /** More came than the tenant may send. */
  | { outcome: 'over-quota'; retryAfterSeconds: number };

export type Admit = (tenantId: string) => Admission;

type Limited = { status: 'active' | 'suspended'; eventsPerSecond?: number };

/**
 * Evaluates each tenant by its status and by a token bucket of its own. A bucket is one process's,
 * so n replicas together accept up to n times the rate; that spares each event a round trip, and
 * what has to be kept is that one tenant cannot fill the log for all others.
 */
export function createAdmission(options: {
  tenant: (tenantId: string) => Limited | undefined;
  /** For tenants that have no limit of their own. */
  eventsPerSecond: number;
  nowMs: () => number;
}): Admit {
  const { tenant, eventsPerSecond, nowMs } = options;
  const take = createTokenBuckets({ nowMs });

  return (tenantId) => {
    const known = tenant(tenantId);
    if (known?.status === 'suspended') return { outcome: 'suspended' };
    const perSecond = known?.eventsPerSecond ?? eventsPerSecond;
    const retryAfterSeconds = take(tenantId, { perSecond });
    if (retryAfterSeconds === undefined) return { outcome: 'admitted' };
    return { outcome: 'over-quota', retryAfterSeconds };
  };
}
