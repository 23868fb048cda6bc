import { AppShell } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useLiveChanges } from '../api/live-changes.ts';
import { useSession } from '../api/session.ts';
import { answerStepUp } from '../api/step-up.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { Failed, Loading, Silent } from '../parts/states.tsx';
import { Header } from './header.tsx';
import { rememberTenant } from './last-tenant.ts';
import { Navigation } from './navigation.tsx';

/** What everybody sees who is signed in; whoever is not is sent to the sign-in, and back. */
export function SignedIn() {
  const { data: session, error, refetch } = useSession();
  const [wasSignedIn, setWasSignedIn] = useState(false);
  if (session && !wasSignedIn) setWasSignedIn(true);
  if (session === undefined) {
    return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  if (session === null) {
    return <ToSignIn hasEnded={wasSignedIn} />;
  }
  return <Shell />;
}

/**
 * Goes there once: the address changes on the way, and must not be a reason to go again. Nothing
 * stays of what was shown.
 */
function ToSignIn({ hasEnded }: { hasEnded: boolean }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { href } = useLocation();
  const [to] = useState(href);
  useEffect(() => {
    client.removeQueries({ queryKey: ['tenant'] });
    notifications.clean();
    answerStepUp(false);
    const search = { to, ...(hasEnded && { ended: 'yes' }) };
    void navigate({ to: '/portal/sign-in', search, replace: true });
  }, [navigate, client, to, hasEnded]);
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
  const silentSince = useLiveChanges(tenantId);
  useEffect(() => rememberTenant(tenantId), [tenantId]);
  return (
    <>
      {silentSince !== null && <Silent since={silentSince} />}
      {children}
    </>
  );
}
