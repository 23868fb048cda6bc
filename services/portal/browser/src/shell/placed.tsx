import type { ReactNode } from 'react';
import { may, roleIn, useSession } from '../api/session.ts';
import { type Place, usePlace } from '../app/place.ts';
import { Forbidden, Loading } from '../parts/states.tsx';
import { MissingPage } from './missing-page.tsx';
import { useTenants } from './tenants.ts';

/**
 * Around each page: a tenant in which one is nothing is not there, and not all is for every role.
 */
export function Placed({ place, children }: { place: Place; children: ReactNode }) {
  const { data: session } = useSession();
  const { tenantId } = usePlace(place);
  const { tenants } = useTenants();
  if (!session) return <Loading />;
  if (roleIn(session, tenantId) === undefined) return <MissingPage />;
  if (tenants?.every((each) => each.tenantId !== tenantId)) return <MissingPage />;
  if (!may(session, tenantId, place.right)) return <Forbidden />;
  return children;
}
