import { randomBytes } from 'node:crypto';
import type { AdminClient } from './admin-client.ts';
import { type DemoOwner, readJsonFile, writeSecretFile } from './demo-file.ts';

const member = 'demo-owner';

/**
 * Somebody who may sign in to the demo: an operator of the deployment, and the owner of its first
 * tenant. The password is written down before it is anybody's, so that a start that was killed
 * midway goes on with the same one.
 */
export async function ensureDemoOwner(deps: {
  admin: AdminClient;
  file: string;
  tenantId: string;
}): Promise<DemoOwner> {
  const { admin, file, tenantId } = deps;
  const known = readJsonFile<Record<string, unknown>>(file) ?? {};
  const present = known[member] as (DemoOwner & { isThere: boolean }) | undefined;
  const owner: DemoOwner = present
    ? { email: present.email, password: present.password }
    : { email: 'owner@demo.example', password: randomBytes(18).toString('base64url') };
  if (present?.isThere) return owner;
  const keep = (isThere: boolean) =>
    writeSecretFile(file, { ...known, [member]: { ...owner, isThere } });
  keep(false);
  const { email, password } = owner;
  const accept = async (path: string, body: object) => {
    const { link } = await admin.call<{ link: string }>('POST', path, body);
    const invitation = link.slice(link.indexOf('#') + 1);
    await admin.call('POST', '/api/invitation', { invitation, name: 'Demo owner', password });
  };
  await accept('/api/operators/invitations', { email });
  await accept(`/api/tenants/${tenantId}/people/invitations`, { email, role: 'owner' });
  keep(true);
  return owner;
}

/**
 * A link that signs them in once, within a quarter of an hour. By the name of this machine, for
 * which browsers make passkeys; they make none for an address.
 */
export async function signInLine(admin: AdminClient, { email }: DemoOwner): Promise<string> {
  const made = await admin.call<{ link: string }>('POST', '/api/sign-in-links', { email });
  const link = made.link.replace('//127.0.0.1:', '//localhost:');
  return `Sign in, once and within 15 minutes: ${link}`;
}
