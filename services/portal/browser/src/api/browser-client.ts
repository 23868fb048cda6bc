import { type AdminClient, createAdminClient } from '@tributary/admin-client/create-admin-client';
import { askForPassword } from './step-up.ts';

let csrfToken = '';

/** Sent with whatever changes something; the session says which. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Asks as whoever is signed in, by the cookie. */
export const api: AdminClient = createAdminClient({ send });

/**
 * A change that needs the password once more asks for it, and is then sent again; whoever does not
 * give it gets the refusal.
 */
async function send(url: string, init: RequestInit & { method: string }): Promise<Response> {
  const response = await sendOnce(url, init);
  if (response.status !== 403 || !(await needsPassword(response))) return response;
  return (await askForPassword()) ? sendOnce(url, init) : response;
}

function sendOnce(url: string, init: RequestInit & { method: string }): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('accept', 'application/json');
  if (init.method !== 'GET') headers.set('x-csrf-token', csrfToken);
  return fetch(url, { ...init, headers, credentials: 'same-origin', redirect: 'error' });
}

async function needsPassword(response: Response): Promise<boolean> {
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (problem as { code?: string } | undefined)?.code === 'CONFIRMATION_REQUIRED';
}
