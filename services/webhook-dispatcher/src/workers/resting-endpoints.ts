/**
 * Endpoints that this process leaves alone for a while, because it lacks something (a key of the
 * ring). Others may be able to send to them, and whatever it claimed of them would end the same.
 */
export type RestingEndpoints = {
  /** Says whether it was not resting already. */
  rest(tenantId: string): boolean;
  tenantIds(): string[];
};

const restMs = 60_000;

export function createRestingEndpoints(): RestingEndpoints {
  const untilMs = new Map<string, number>();

  function tenantIds(): string[] {
    const nowMs = performance.now();
    for (const [tenantId, atMs] of untilMs) if (nowMs >= atMs) untilMs.delete(tenantId);
    return [...untilMs.keys()];
  }

  return {
    rest(tenantId) {
      const isNew = !tenantIds().includes(tenantId);
      if (isNew) untilMs.set(tenantId, performance.now() + restMs);
      return isNew;
    },
    tenantIds,
  };
}
