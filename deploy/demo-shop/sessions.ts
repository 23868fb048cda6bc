import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const name = 'shop_session';

/** Who is signed in, by a cookie without meaning; gone when the shop is started again. */
export function createSessions() {
  const customers = new Map<string, string>();

  function customerId(req: IncomingMessage): string | undefined {
    const id = new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(req.headers.cookie ?? '')?.[1];
    return id === undefined ? undefined : customers.get(id);
  }

  return {
    customerId,
    /** The cookie for a customer who signed in. */
    open(id: string): string {
      const session = randomBytes(24).toString('base64url');
      customers.set(session, id);
      return `${name}=${session}; Path=/; HttpOnly; SameSite=Lax`;
    },
    /** The cookie that takes it away. */
    closed: `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`,
  };
}

export type Sessions = ReturnType<typeof createSessions>;
