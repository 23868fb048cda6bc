import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { BrowserContextOptions, BrowserContext } from 'playwright-core';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedChromium } from '../browser/chromium.ts';

export const roles = ['operator', 'owner', 'admin', 'developer', 'reviewer', 'analyst'] as const;
export type Role = (typeof roles)[number];

export const password = 'correct horse battery staple';

export type SomebodySignedIn = { email: string; cookie: { name: string; value: string } };

/**
 * Invites somebody in a role, who takes the invitation and signs in, as over HTTP anybody would.
 */
export async function signUpAs(
  demo: Demo,
  role: Role,
  tenantId: string,
): Promise<SomebodySignedIn> {
  const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
  const email = `${role}-${randomUUID().slice(0, 8)}@portal.example`;
  const { link } =
    role === 'operator'
      ? await admin.call<{ link: string }>('POST', '/api/operators/invitations', { email })
      : await admin.call<{ link: string }>('POST', `/api/tenants/${tenantId}/people/invitations`, {
          ...{ email, role },
        });
  const invitation = link.split('#')[1];
  await post(demo, '/api/invitation', { invitation, name: `Somebody as ${role}`, password });
  return { email, cookie: await signIn(demo, email) };
}

async function signIn(demo: Demo, email: string): Promise<SomebodySignedIn['cookie']> {
  const answer = await post(demo, '/api/session', { email, password });
  const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '')
    .split(';')[0]!
    .split('=');
  return { name, value };
}

/** A browser context of somebody who is signed in. */
export async function contextOf(
  demo: Demo,
  { cookie }: SomebodySignedIn,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const browser = await sharedChromium();
  const context = await browser.newContext({ baseURL: demo.baseUrl, ...options });
  await context.addCookies([{ ...cookie, url: demo.baseUrl, httpOnly: true, sameSite: 'Strict' }]);
  return context;
}

/** The sign-in takes a few attempts a second of one address; whoever makes many asks again. */
async function post(demo: Demo, path: string, body: unknown): Promise<Response> {
  let answer: Response | undefined;
  await eventually(async () => {
    answer = await fetch(`${demo.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).to.not.equal(429);
  });
  if (!answer?.ok) throw new Error(`${path}: ${answer?.status} ${await answer?.text()}`);
  return answer;
}
