import type { Role } from '@tributary/contracts/admin/rights';
import { checkAdminAnswer } from '@tributary/contracts/testing/admin-answers';
import type { Answer, AnswerBody, TestPortal } from './test-portal.ts';

type Headers = Readonly<Record<string, string>>;

/** One request, with these headers and no others of ours. */
export async function ask(
  portal: TestPortal,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Headers; body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(`${portal.baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await bodyOf(response);
  const { status, headers: answered } = response;
  checkAdminAnswer(method, path, { status, body: answer });
  return { status, body: answer, headers: answered };
}

/** A stream's body is what its first event says; nobody reads on. */
async function bodyOf(response: Response): Promise<AnswerBody> {
  if (response.headers.get('content-type') !== 'text/event-stream') {
    return (await response.json()) as AnswerBody;
  }
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const data = /^data: (.*)$/m.exec(text);
    if (data) return JSON.parse(data[1]!) as AnswerBody;
  }
  throw new Error(`the stream has ended: ${text}`);
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

export type Page = {
  /** What the cookie holds, and what changes need. */
  headers: Headers;
  /** As a page of the portal asks. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
};

export const password = 'correct horse battery staple';

export type Person = { accountId: string; email: string };

/** Somebody who took an invitation; without a tenant an operator. */
export async function signUp(
  portal: TestPortal,
  about: { email: string; tenantId?: string; role?: Role },
): Promise<Person> {
  const { email, tenantId, role } = about;
  const invited =
    tenantId === undefined
      ? await portal.call('POST', '/api/operators/invitations', { email })
      : await portal.call('POST', `/api/tenants/${tenantId}/people/invitations`, { email, role });
  const invitation = String(invited.body['link']).split('#')[1];
  const body = { invitation, name: 'A person', password };
  const accepted = await ask(portal, 'POST', '/api/invitation', { body });
  if (accepted.status !== 201) throw new Error(JSON.stringify(accepted.body));
  return { accountId: String(accepted.body['accountId']), email };
}

export async function signIn(
  portal: TestPortal,
  { email, ...more }: { email: string; password?: string; code?: string; accountId?: string },
): Promise<Page> {
  const { accountId: _a, ...credentials } = { email, password, ...more };
  const signedIn = await ask(portal, 'POST', '/api/session', {
    body: credentials,
  });
  if (signedIn.status !== 200) throw new Error(JSON.stringify(signedIn.body));
  return pageOf(portal, signedIn);
}

/** The page that got this answer to a sign-in. */
export function pageOf(portal: TestPortal, signedIn: Answer): Page {
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const headers = {
    cookie,
    origin: portal.baseUrl,
    'x-csrf-token': String(signedIn.body['csrfToken']),
  };
  return {
    headers,
    call: (method, path, body) => ask(portal, method, path, { headers, body }),
  };
}
