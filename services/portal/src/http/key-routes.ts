import { keyRoutes as declared } from '@tributary/contracts/admin/keys';
import type { Office } from '../accounts/commands/office.ts';
import { resealSecondFactor } from '../accounts/commands/second-factor.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { listRings, resealSecrets } from '../catalog/commands/reseal-secrets.ts';
import { serve, type ServedRoute } from './route.ts';
import { isPublished } from './when-published.ts';

/** The keys of the deployment, for whoever rotates them (docs/runbooks/keys.md). */
export function keyRoutes(deployment: Deployment, office: Office): ServedRoute[] {
  return [
    serve(declared.listKeys)(async () => ({
      status: 200,
      body: { rings: await listRings(deployment), tokenKeys: deployment.tokenKeyIds },
    })),
    serve(declared.resealSecrets)(async () => {
      const { resealed, remaining, tenantIds } = await resealSecrets(deployment, (accountId) =>
        resealSecondFactor(office, accountId),
      );
      // Only then do those who open secrets open them by the other key.
      const published = await Promise.all(tenantIds.map((id) => isPublished(deployment, id)));
      const note = published.includes(false) ? { published: false } : {};
      return { status: 200, body: { resealed, remaining, ...note } };
    }),
  ];
}
