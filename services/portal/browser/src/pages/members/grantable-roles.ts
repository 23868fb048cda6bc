import { mayGrant, type TenantRole, tenantRoles } from '@tributary/contracts/admin/rights';
import { roleIn, useSession } from '../../api/session.ts';

/** The roles that whoever is signed in may give: none above their own. */
export function useGrantableRoles(tenantId: string): readonly TenantRole[] {
  const { data: session } = useSession();
  const own = session && roleIn(session, tenantId);
  return own ? tenantRoles.filter((role) => mayGrant(own, role)) : [];
}
