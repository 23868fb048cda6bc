import { AppShell } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useLiveChanges } from '../api/live-changes.ts';
import { useSession } from '../api/session.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { Header } from './header.tsx';
import { rememberTenant } from './last-tenant.ts';
import { Navigation } from './navigation.tsx';

/** What everybody sees who is signed in; whoever is not is sent to the sign-in, and back. */
export function SignedIn() {
  const { data: session, error, refetch } = useSession();
  if (session === undefined) {
    return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  if (session === null) {
    return <ToSignIn />;
  }
  return <Shell />;
}

/** Goes there once: the address changes on the way, and must not be a reason to go again. */
function ToSignIn() {
  const navigate = useNavigate();
  const { href } = useLocation();
  const [to] = useState(href);
  useEffect(() => {
    void navigate({ to: '/portal/sign-in', search: { to }, replace: true });
  }, [navigate, to]);
  return null;
}

function Shell() {
  const t = useTexts(commonTexts);
  const { tenantId }: { tenantId?: string } = useParams({ strict: false });
  const { pathname } = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a href="#main" className="skip-link">
        {t.skip}
      </a>
      <AppShell.Header>
        <Header tenantId={tenantId} isOpen={isOpen} onToggle={toggle} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t.navigation}>
        {tenantId !== undefined && <Navigation tenantId={tenantId} />}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        {tenantId === undefined ? (
          <Outlet />
        ) : (
          <OfTenant key={tenantId} tenantId={tenantId}>
            <Outlet />
          </OfTenant>
        )}
      </AppShell.Main>
    </AppShell>
  );
}

function OfTenant({ tenantId, children }: { tenantId: string; children: ReactNode }) {
  useLiveChanges(tenantId);
  useEffect(() => rememberTenant(tenantId), [tenantId]);
  return children;
}
