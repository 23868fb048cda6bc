import { awaitRelayed } from '@tributary/event-log/outbox';
import type { Deployment } from '../catalog/commands/deployment.ts';
import type { Answer, ServedRoute } from './route.ts';

/**
 * Changes are answered once the log has them, as whoever reads the answer uses at once what it
 * says, at a service that reads it there. When the log has not taken them after two seconds, the
 * answer says so with `published: false`: the change is made, and holds once the log takes it
 * (docs/decisions/0022).
 */
export function whenPublished(deployment: Deployment, served: ServedRoute): ServedRoute {
  const { route, handle } = served;
  if (!route.publishes) return served;
  return {
    ...served,
    async handle(request) {
      const answer = await handle(request);
      const tenantId = request.params['tenantId'] || tenantIdIn(answer);
      if (tenantId === undefined || (await isPublished(deployment, tenantId))) return answer;
      return { ...answer, body: { ...(answer.body as object), published: false } };
    },
  };
}

/** Waits, for two seconds at most by default, until the log has what was changed of a tenant. */
export async function isPublished(
  { pool, publishesWithinMs: boundMs = 2_000 }: Deployment,
  tenantId: string,
): Promise<boolean> {
  // The change is made, whatever becomes of this look: its answer may hold a secret that is shown
  // once.
  return awaitRelayed(pool, { key: tenantId, boundMs }).catch(() => false);
}

/** A tenant that was just created, or that a preview is of, is in the answer only. */
function tenantIdIn({ body }: Answer): string | undefined {
  const { tenantId } = body as { tenantId?: unknown };
  return typeof tenantId === 'string' ? tenantId : undefined;
}
