import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { Invitation } from '../account/invitation.tsx';
import { SignIn } from '../account/sign-in.tsx';
import { Home } from '../shell/home.tsx';
import { MissingPage } from '../shell/missing-page.tsx';
import { Placed } from '../shell/placed.tsx';
import { SignedIn } from '../shell/signed-in.tsx';
import { pages } from './pages.ts';
import { parseSearch, readSearch, writeSearch } from './search.ts';

const root = createRootRoute({ notFoundComponent: MissingPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/portal/sign-in',
  component: SignIn,
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/portal/invitation',
  component: Invitation,
});
const signedIn = createRoute({ getParentRoute: () => root, path: '/portal', component: SignedIn });
const home = createRoute({ getParentRoute: () => signedIn, path: '/', component: Home });
const account = createRoute({
  getParentRoute: () => signedIn,
  path: 'account',
  component: lazyRouteComponent(() => import('../account/account.tsx'), 'Account'),
});
const missing = createRoute({ getParentRoute: () => signedIn, path: '$', component: MissingPage });
const tenant = createRoute({ getParentRoute: () => signedIn, path: 'tenants/$tenantId' });
const tenantHome = createRoute({ getParentRoute: () => tenant, path: '/', component: Home });
const tenantMissing = createRoute({
  getParentRoute: () => tenant,
  path: '$',
  component: MissingPage,
});

const placed = pages.map(({ place, load }) => {
  const Screen = lazyRouteComponent(load, 'Screen');
  return createRoute({
    getParentRoute: () => tenant,
    path: place.path,
    validateSearch: (given: Record<string, unknown>) => readSearch(place.search, given),
    component: () => (
      <Placed place={place}>
        <Screen />
      </Placed>
    ),
  });
});

const inTenant = tenant.addChildren([tenantHome, tenantMissing, ...placed]);
const inPortal = signedIn.addChildren([home, account, missing, inTenant]);

export const router = createRouter({
  routeTree: root.addChildren([signIn, invitation, inPortal]),
  parseSearch,
  stringifySearch: writeSearch,
  // Pages are loaded when somebody is about to open them.
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  scrollRestoration: true,
});
