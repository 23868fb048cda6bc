import { NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { may, useSession } from '../api/session.ts';
import { pages } from '../app/pages.ts';
import { hrefOf } from '../app/place.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';

/** The pages that are built and that whoever is signed in may open, in the order of their names. */
export function Navigation({ tenantId }: { tenantId: string }) {
  const t = useTexts(commonTexts);
  const { data: session } = useSession();
  const { pathname } = useLocation();
  if (!session) return null;
  const order = Object.keys(t.nav);
  const shown = pages
    .flatMap(({ place }) => (place.nav === undefined ? [] : [{ place, nav: place.nav }]))
    .filter(({ place }) => may(session, tenantId, place.right))
    .sort((a, b) => order.indexOf(a.nav) - order.indexOf(b.nav));
  return shown.map(({ place, nav }) => {
    const href = hrefOf(place, { tenantId });
    const isHere = pathname === href || pathname.startsWith(`${href}/`);
    return (
      <NavLink
        key={nav}
        label={t.nav[nav]}
        active={isHere}
        variant="filled"
        {...(isHere && { 'aria-current': 'page' as const })}
        renderRoot={(props) => <Link {...props} to={href} />}
      />
    );
  });
}
