import type { InternalRoute } from '@tributary/http/internal-router';
import { createConnectionRoutes } from './connection-routes.ts';
import { createItemRoutes } from './item-routes.ts';
import { createReconcileRoutes } from './reconcile-routes.ts';

/**
 * What the portal asks for people, under `/internal` of the admin listener; each of the three has
 * its paths and bodies in front of it. Reading what Stripe has needs no log; what follows from the
 * log is told once it was read to its end.
 */
export function createInternalRoutes(
  options: Parameters<typeof createConnectionRoutes>[0] &
    Parameters<typeof createItemRoutes>[0] &
    Parameters<typeof createReconcileRoutes>[0],
): InternalRoute[] {
  return [
    ...createConnectionRoutes(options),
    ...createItemRoutes(options),
    ...createReconcileRoutes(options),
  ];
}
