import type { Case, Expected } from './case.ts';
import { type EventType } from './oracle/event-rules.ts';
import { validateBody } from './oracle/validate-body.ts';
import type { RawHeader, RawRequest } from './wire/raw-request.ts';

/** What a case needs of the running system. */
export type Caller = { token: string };

export function eventRequest(
  { token }: Caller,
  body: Buffer | string,
  more: Partial<RawRequest> & { type?: EventType; addHeaders?: readonly RawHeader[] } = {},
): RawRequest {
  const { type = 'purchase-created', addHeaders = [], ...rest } = more;
  return {
    method: 'POST',
    target: `/v2/events/${type}`,
    headers: [
      ['Authorization', `Bearer ${token}`],
      ['Content-Type', 'application/json'],
      ...addHeaders,
    ],
    body: Buffer.from(body),
    ...rest,
  };
}

/** A case whose answer the oracle foretells from the body alone. */
export function validatedCase(
  caller: Caller,
  name: string,
  body: Buffer | string,
  more: { type?: EventType; addHeaders?: readonly RawHeader[] } & Pick<
    Expected,
    'hints' | 'canaries'
  > = {},
): Case {
  const { hints, canaries, ...requested } = more;
  const request = eventRequest(caller, body, requested);
  const verdict = validateBody(more.type ?? 'purchase-created', request.body!, Date.now() / 1000);
  return {
    name,
    request,
    expected: { ...verdict, ...(hints ? { hints } : {}), ...(canaries ? { canaries } : {}) },
  };
}
