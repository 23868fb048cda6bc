import { processorRoutes, processorServiceRoutes } from '@tributary/contracts/admin/processor';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { ConnectionId } from '@tributary/contracts/processor-record';
import { declaredRoute } from '@tributary/http/declared-route';
import { ok } from '@tributary/http/internal-replies';
import type { InternalRoute } from '@tributary/http/internal-router';
import type { Clock } from '@tributary/runtime/clock';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { StripeAccount, StripeApi } from '../stripe/api.ts';
import type { FindConnection } from '../commands/find-connection.ts';
import { accountOf } from '../stripe/account-of.ts';
import { checkConnection, type ConnectionHealth } from '../commands/check-connection.ts';
import { closeConnection } from '../commands/close-connection.ts';
import { openConnection } from '../commands/open-connection.ts';
import { webhookUrl } from '../commands/own-endpoints.ts';
import { renewEndpoint } from '../commands/renew-endpoint.ts';
import { noConnection } from '../commands/reply.ts';
import type { TestWayIn } from '../commands/test-way-in.ts';

const {
  openConnection: open,
  renewEndpoint: renew,
  closeConnection: close,
} = processorServiceRoutes;
const { asks: check } = processorRoutes.checkConnection;

/** Each is several exchanges with Stripe; they are for people. */
const limits = { atOnce: 32 };

/**
 * What the portal has done at Stripe. Keys and secrets are in the bodies of `open` and `close` and
 * in answers, and in nothing that is logged.
 */
export function createConnectionRoutes(deps: {
  stripe: StripeApi;
  secrets: KeyRing;
  clock: Clock;
  publicUrl: string;
  /** This deployment takes live payments. */
  livemode: boolean;
  findConnection: FindConnection;
  testWayIn: TestWayIn;
  readHealth: (record: ProcessorConnectionRecord) => Promise<ConnectionHealth>;
}): InternalRoute[] {
  const { stripe, secrets, clock, publicUrl, livemode, findConnection } = deps;

  async function knownOf({ tenantId, connectionId }: Named): Promise<Known | undefined> {
    if (!idForm.test(connectionId)) return undefined;
    const record = await findConnection(connectionId);
    if (record?.tenantId !== tenantId) return undefined;
    const account = accountOf(record, secrets);
    return account && { record, account, url: webhookUrl(publicUrl, connectionId) };
  }

  return [
    declaredRoute(
      open,
      limits,
    )(async ({ params: { connectionId }, body }) => {
      if (!idForm.test(connectionId)) return noConnection;
      return openConnection({ stripe, livemode }, connectionId, body);
    }),

    declaredRoute(
      renew,
      limits,
    )(async ({ params, body }) => {
      const known = await knownOf(params);
      if (!known) return noConnection;
      return renewEndpoint({ stripe, clock }, known, body.endpointId);
    }),

    declaredRoute(
      close,
      limits,
    )(async ({ params, body }) => {
      const { connectionId } = params;
      if (!idForm.test(connectionId)) return noConnection;
      const known = await knownOf(params);
      if (known) return closeConnection(stripe, known);
      if (body.apiKey === undefined || body.apiVersion === undefined) return noConnection;
      const account = { connectionId, apiKey: body.apiKey, apiVersion: body.apiVersion };
      const url = webhookUrl(publicUrl, connectionId);
      return closeConnection(stripe, { account, record: undefined, url });
    }),

    declaredRoute(
      check,
      limits,
    )(async ({ params }) => {
      const known = await knownOf(params);
      return known ? ok(await checkConnection(deps, known)) : noConnection;
    }),
  ];
}

type Named = { tenantId: string; connectionId: string };
type Known = { record: ProcessorConnectionRecord; account: StripeAccount; url: string };

const idForm = new RegExp(ConnectionId.pattern ?? '');
