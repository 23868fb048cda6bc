import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { ConnectionId } from '@tributary/contracts/processor-record';
import { notUnderstoodBody, ok } from '@tributary/http/internal-replies';
import type {
  InternalReply,
  InternalRequest,
  InternalRoute,
} from '@tributary/http/internal-router';
import type { Clock } from '@tributary/runtime/clock';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { StripeAccount, StripeApi } from '../adapters/stripe/api.ts';
import type { FindConnection } from '../find-connection.ts';
import { accountOf } from './account-of.ts';
import { checkConnection, type ConnectionStanding } from './check-connection.ts';
import { closeConnection } from './close-connection.ts';
import { openConnection } from './open-connection.ts';
import { webhookUrl } from './own-endpoints.ts';
import { renewEndpoint } from './renew-endpoint.ts';
import { noConnection } from './reply.ts';
import type { TestWayIn } from './test-way-in.ts';

/** In front of an endpoint's secret only. */
const apiKey = Type.String({ minLength: 1, maxLength: 512 });
const apiVersion = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(\\.[a-z]+)?$' });
const endpointId = Type.String({ minLength: 1, maxLength: 255 });
const strict = { additionalProperties: false };

const openBody = compile(
  Type.Object(
    {
      ...{ apiKey, apiVersion, endpointId: Type.Optional(endpointId) },
      url: Type.String({ minLength: 1, maxLength: 2_048 }),
    },
    strict,
  ),
);
const renewBody = compile(Type.Object({ endpointId: Type.Optional(endpointId) }, strict));
const closeBody = compile(
  Type.Object({ apiKey: Type.Optional(apiKey), apiVersion: Type.Optional(apiVersion) }, strict),
);
const noMembers = compile(Type.Object({}, strict));

/**
 * What the portal has done at Stripe, under `/internal` of the admin listener:
 *
 *   POST /tenants/:tenantId/connections/:id/open   { apiKey, apiVersion, url, endpointId? }
 *   POST /tenants/:tenantId/connections/:id/renew  { endpointId? }   the present one, as the portal knows it
 *   POST /tenants/:tenantId/connections/:id/close  { apiKey?, apiVersion? }   of one that is not in the catalog
 *   POST /tenants/:tenantId/connections/:id/check  {}
 *
 * Keys and secrets are in the bodies of `open` and `close` and in answers, and in nothing that is
 * logged.
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
  readStanding: (record: ProcessorConnectionRecord) => Promise<ConnectionStanding>;
}): InternalRoute[] {
  const { stripe, secrets, clock, publicUrl, livemode, findConnection } = deps;

  async function knownOf({ tenantId, connectionId }: Named): Promise<Known | undefined> {
    const record = await findConnection(connectionId);
    if (record?.tenantId !== tenantId) return undefined;
    const account = accountOf(record, secrets);
    return account && { record, account, url: webhookUrl(publicUrl, connectionId) };
  }

  return [
    route('open', openBody, (body, { connectionId }) =>
      openConnection({ stripe, livemode }, connectionId, body),
    ),

    route('renew', renewBody, async (body, named) => {
      const known = await knownOf(named);
      if (!known) return noConnection;
      return renewEndpoint({ stripe, clock }, known, body.endpointId);
    }),

    route('close', closeBody, async (body, named) => {
      const known = await knownOf(named);
      if (known) return closeConnection(stripe, known);
      const { connectionId } = named;
      if (body.apiKey === undefined || body.apiVersion === undefined) return noConnection;
      const account = { connectionId, apiKey: body.apiKey, apiVersion: body.apiVersion };
      const url = webhookUrl(publicUrl, connectionId);
      return closeConnection(stripe, { account, record: undefined, url });
    }),

    route('check', noMembers, async (_body, named) => {
      const known = await knownOf(named);
      return known ? ok(await checkConnection(deps, known)) : noConnection;
    }),
  ];
}

type Named = { tenantId: string; connectionId: string };
type Known = { record: ProcessorConnectionRecord; account: StripeAccount; url: string };

function compile<S extends TSchema>(schema: S) {
  return TypeCompiler.Compile(schema);
}

const idForm = new RegExp(ConnectionId.pattern ?? '');

function route<S extends TSchema>(
  verb: string,
  checker: ReturnType<typeof compile<S>>,
  answer: (body: Static<S>, named: Named) => Promise<InternalReply>,
): InternalRoute {
  return {
    method: 'POST',
    path: `/tenants/:tenantId/connections/:connectionId/${verb}`,
    // Each is several exchanges with Stripe; they are for people.
    atOnce: 32,
    async answer({ json, param }: InternalRequest) {
      const body = json ?? {};
      if (!checker.Check(body)) {
        return notUnderstoodBody(checker, body);
      }
      const named = { tenantId: param('tenantId'), connectionId: param('connectionId') };
      if (!idForm.test(named.connectionId)) return noConnection;
      return answer(body, named);
    },
  };
}
