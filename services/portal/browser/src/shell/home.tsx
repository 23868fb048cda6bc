import { Navigate, useParams } from '@tanstack/react-router';
import { may, useSession } from '../api/session.ts';
import { pages } from '../app/pages.ts';
import { hrefOf } from '../app/place.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { Failed, Forbidden, Loading } from '../parts/states.tsx';
import { lastTenant } from './last-tenant.ts';
import { useTenants } from './tenants.ts';

/** Leads to the first page that whoever is signed in may see, of the tenant that was open last. */
export function Home() {
  const t = useTexts(commonTexts);
  const { data: session } = useSession();
  const { tenants, error } = useTenants();
  const given: { tenantId?: string } = useParams({ strict: false });
  if (!session || tenants === undefined) return error ? <Failed error={error} /> : <Loading />;
  const ids = tenants.map((each) => each.tenantId);
  const wanted = [given.tenantId, lastTenant(), ids[0]].find(
    (each) =>
      each !== undefined && each !== null && (each === given.tenantId || ids.includes(each)),
  );
  if (!wanted) return <Navigate to="/portal/account" replace />;
  const order = Object.keys(t.nav);
  const [first] = pages
    .flatMap(({ place }) => (place.nav === undefined ? [] : [place]))
    .filter((place) => may(session, wanted, place.right))
    .sort((a, b) => order.indexOf(a.nav ?? '') - order.indexOf(b.nav ?? ''));
  if (first === undefined) return <Forbidden />;
  return <Navigate to={hrefOf(first, { tenantId: wanted })} replace />;
}
