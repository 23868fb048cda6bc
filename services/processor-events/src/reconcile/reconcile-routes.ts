import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { AppendRefused } from '@tributary/event-log/appender';
import { momentForm } from '@tributary/http/internal-bodies';
import {
  notNow,
  notUnderstood,
  notUnderstoodBody,
  ok,
  wrongCursor,
} from '@tributary/http/internal-replies';
import type { InternalReply, InternalRoute } from '@tributary/http/internal-router';
import type { StripeAccount } from '../adapters/stripe/api.ts';
import type { FindConnection } from '../find-connection.ts';
import { StripeRefuses } from './ask-stripe.ts';
import { createReconcilePage } from './reconcile-page.ts';
import { firstPlace, type Place, placeOf } from './walk.ts';

/**
 *   POST /tenants/:tenantId/connections/:connectionId/reconcile
 *        { kind, since, append, cursor?, lookBackDays? }
 */
export function createReconcileRoutes(
  options: Parameters<typeof createReconcilePage>[0] & {
    findConnection: FindConnection;
    /** With its key; undefined when it has none any more. */
    accountOf: (connection: ProcessorConnectionRecord) => StripeAccount | undefined;
    /** The log was read to its end: before, all that is on it would be missing. */
    mayRead: () => boolean;
  },
): InternalRoute[] {
  const { findConnection, accountOf, mayRead } = options;
  const reconcilePage = createReconcilePage(options);

  return [
    {
      method: 'POST',
      path: '/tenants/:tenantId/connections/:connectionId/reconcile',
      // Each may be a hundred questions; they are for people.
      atOnce: 4,
      async answer({ json, param }) {
        if (!body.Check(json)) {
          return notUnderstoodBody(body, json);
        }
        const connection = await findConnection(param('connectionId'));
        if (connection?.tenantId !== param('tenantId')) return noSuchConnection;
        const account = connection.status === 'active' ? accountOf(connection) : undefined;
        if (!account) return isDisconnected;
        const { kind, append, lookBackDays = defaultLookBackDays, cursor } = json;
        const since = Math.ceil(Date.parse(json.since) / 1_000);
        if (Number.isNaN(since)) return notUnderstood('/since: must be a day that there is');
        const place: Place | undefined = cursor === undefined ? firstPlace : placeOf(cursor);
        if (!place) return wrongCursor('walk');
        if (!mayRead()) return notNow('The log is still being read; try again later.');
        const walk = { kind, since: Math.max(0, since), lookBackDays };
        return reply(() => reconcilePage({ connection, account, append }, walk, place));
      },
    },
  ];
}

/** An invoice that is open for longer is rarely paid at all. */
const defaultLookBackDays = 60;

const body = TypeCompiler.Compile(
  Type.Object(
    {
      kind: Type.Union([
        Type.Literal('invoices'),
        Type.Literal('sessions'),
        Type.Literal('refunds'),
      ]),
      /** UTC with milliseconds. */
      since: Type.String({ pattern: momentForm.source }),
      append: Type.Boolean(),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
      lookBackDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650 })),
    },
    { additionalProperties: false },
  ),
);

async function reply(work: () => Promise<unknown>): Promise<InternalReply> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof AppendRefused) {
      return notNow('The log does not take anything now; try again later.');
    }
    if (!(error instanceof StripeRefuses)) throw error;
    const { outcome, detail } = error.refusal;
    return outcome === 'later'
      ? notNow(`Stripe cannot be asked now: ${detail}`)
      : { problem: 'CONFLICT', detail: `Stripe refuses: ${detail}` };
  }
}

const noSuchConnection: InternalReply = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no such connection.',
};
const isDisconnected: InternalReply = {
  problem: 'CONFLICT',
  detail: 'The connection is disconnected: there is no key to ask Stripe with.',
};
