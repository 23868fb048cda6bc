import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { tokenFor } from './calls.ts';
import { eventRequest } from './conformance/event-request.ts';
import type { EventType } from './conformance/oracle/event-rules.ts';
import { createRawConnection } from './conformance/wire/raw-connection.ts';
import { type RawRequest, requestBytes } from './conformance/wire/raw-request.ts';

/** An answer to the byte: what rule 8 of 4.1 promises to repeat. */
export type KeyedAnswer = { status: number; text: string; retryAfter: string | undefined };

export type SendKeyed = (
  body: object | string,
  options?: {
    type?: EventType;
    /** Idempotency-Key lines, as bytes or as text that goes out as UTF-8. */
    keys?: readonly (string | Buffer)[];
    change?: (request: RawRequest) => RawRequest;
  },
) => Promise<KeyedAnswer>;

/** Sends events of one tenant byte by byte, each on a connection of its own. */
export async function createKeyedSender(
  demo: Demo,
  tenant: DemoTenant,
  /** May be one service process instead of the edge. */
  address = demo.baseUrl,
): Promise<SendKeyed> {
  const token = await tokenFor(demo, tenant);
  const { hostname, port, host } = new URL(address);

  return async (body, { type = 'purchase-created', keys = [], change } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const addHeaders = keys.map((key) => ['Idempotency-Key', key] as const);
    const asUsual = eventRequest({ token }, text, { type, addHeaders });
    const request = change === undefined ? asUsual : change(asUsual);
    const connection = createRawConnection(hostname, Number(port));
    try {
      const answer = await connection.exchange(requestBytes(request, host));
      const retryAfter = answer.headers.find(([name]) => name === 'retry-after')?.[1];
      return { status: answer.status, text: answer.body.toString(), retryAfter };
    } finally {
      connection.close();
    }
  };
}

/** `code` of a problem, with `pointer code` of each violation. */
export function problemOf({ text }: KeyedAnswer): { code: string; errors: string[] } {
  const { code, errors = [] } = JSON.parse(text) as {
    code: string;
    errors?: { pointer: string; code: string }[];
  };
  return { code, errors: errors.map((error) => `${error.pointer} ${error.code}`) };
}

export function eventIdOf({ text }: KeyedAnswer): string {
  return (JSON.parse(text) as { eventId: string }).eventId;
}
