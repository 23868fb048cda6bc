import type { AdminClient } from './admin-client.ts';

/** Who a developer is in the pages of a local system: an operator, who sees every tenant. */
const email = 'demo@tributary.example';

type People = {
  operators: readonly { email: string }[];
  invitations: readonly { email: string; invitationId: string }[];
};

/**
 * A sentence that says how to get into the pages: by the link of an invitation, which holds once
 * and replaces that of an earlier start, until somebody has taken one and has a password.
 */
export async function portalEntrance(admin: AdminClient, portalUrl: string): Promise<string> {
  const { operators, invitations } = await admin.call<People>('GET', '/api/operators');
  if (operators.some((one) => one.email === email)) {
    return `The portal: ${portalUrl} (sign in as ${email}, with the password that you chose)`;
  }
  for (const { invitationId } of invitations.filter((one) => one.email === email)) {
    await admin.call('DELETE', `/api/operators/invitations/${invitationId}`);
  }
  const { link } = await admin.call<{ link: string }>('POST', '/api/operators/invitations', {
    email,
  });
  const url = new URL(link);
  url.searchParams.set('email', email);
  return `The portal, to sign in by this link once: ${url.href}`;
}
