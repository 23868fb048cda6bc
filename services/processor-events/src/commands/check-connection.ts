import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { StripeAccount, StripeApi, WebhookEndpoint } from '../stripe/api.ts';
import type { ConnectionStatus } from '../db/shown-item.ts';
import { livemodeOfKey, missingKinds } from './open-connection.ts';
import type { TestWayIn } from './test-way-in.ts';

/** `endpoint...` is what a new endpoint puts right. */
export type Finding = { check: CheckName; ok: boolean; detail: string };
export type CheckName =
  | 'api-key'
  | 'mode'
  | 'permissions'
  | 'endpoint'
  | 'endpoint-enabled'
  | 'endpoint-url'
  | 'endpoint-kinds'
  | 'endpoint-api-version'
  | 'way-in'
  | 'last-event'
  | 'silence'
  | 'fetches';

/** How a connection has fared here. */
export type ConnectionHealth = Pick<
  ConnectionStatus,
  'lastEventAt' | 'usualGapSeconds' | 'silent' | 'failing'
>;

/**
 * All that can be found out about a connection without changing anything but the log, which gets
 * a test event of our own. What Stripe cannot be asked now is a finding that is not ok.
 */
export async function checkConnection(
  deps: {
    stripe: StripeApi;
    livemode: boolean;
    testWayIn: TestWayIn;
    readHealth: (record: ProcessorConnectionRecord) => Promise<ConnectionHealth>;
  },
  asked: { record: ProcessorConnectionRecord; account: StripeAccount; url: string },
): Promise<{ ok: boolean; findings: Finding[] }> {
  const { record, account, url } = asked;
  const [atStripe, wayIn, health] = await Promise.all([
    lookAtStripe(deps, asked),
    deps.testWayIn(record, url),
    deps.readHealth(record),
  ]);
  const findings = [
    modeFinding(account.apiKey, deps.livemode),
    ...atStripe,
    finding('way-in', wayIn.ok, wayIn.detail),
    ...healthFindings(health),
  ];
  return { ok: findings.every(({ ok }) => ok), findings };
}

function modeFinding(apiKey: string, livemode: boolean): Finding {
  const isSame = livemodeOfKey(apiKey) === livemode;
  const [kind, wanted] = livemode ? ['live', 'live key'] : ['test', 'key of a test mode'];
  return isSame
    ? finding('mode', true, `The key is a ${kind} key, as this deployment needs.`)
    : finding('mode', false, `This deployment needs a ${wanted}.`);
}

async function lookAtStripe(
  { stripe }: { stripe: StripeApi },
  {
    record,
    account,
    url,
  }: { record: ProcessorConnectionRecord; account: StripeAccount; url: string },
): Promise<Finding[]> {
  const [permissions, listed] = await Promise.all([
    stripe.permissions(account),
    stripe.endpoints.list(account),
  ]);
  const rejected = permissions.find(({ keyRejected }) => keyRejected);
  // Nothing else can be seen with such a key, and all else would be found broken.
  if (rejected) return [finding('api-key', false, `${rejected.detail} Repair with a new key.`)];

  const unanswered = permissions.find(({ known }) => !known);
  const key = unanswered
    ? finding('api-key', false, unanswered.detail)
    : finding('api-key', true, 'Stripe takes the key.');
  const missing = permissions.filter(({ allowed }) => !allowed);
  const names = [...new Set(missing.map(({ resource }) => resource))].join(', ');
  const permission =
    missing.length === 0
      ? finding('permissions', true, 'The key may read all that is needed.')
      : finding(
          'permissions',
          false,
          `The key may not read: ${names}. Give it this permission at Stripe. ${missing[0]?.detail}`,
        );
  if (listed.outcome !== 'endpoints') return [key, permission];
  const own = listed.endpoints.find(({ id }) => id === record.endpoint?.id);
  return [key, permission, ...endpointFindings(own, { record, url })];
}

function endpointFindings(
  endpoint: WebhookEndpoint | undefined,
  { record, url }: { record: ProcessorConnectionRecord; url: string },
): Finding[] {
  const id = record.endpoint?.id ?? '';
  if (!endpoint) return [wrong('endpoint', `Stripe has no webhook endpoint ${id}.`)];
  const missing = missingKinds(endpoint);
  const { apiVersion } = endpoint;
  return [
    finding('endpoint', true, `The webhook endpoint is ${id}.`),
    endpoint.enabled
      ? finding('endpoint-enabled', true, 'It is enabled.')
      : wrong('endpoint-enabled', 'It is disabled at Stripe.'),
    endpoint.url === url
      ? finding('endpoint-url', true, `It sends to ${url}.`)
      : wrong('endpoint-url', `It sends to another address than ${url}.`),
    missing.length === 0
      ? finding('endpoint-kinds', true, 'It sends the five kinds of events.')
      : wrong('endpoint-kinds', `It does not send ${missing.join(', ')}.`),
    // Events of any version are understood; a difference is worth knowing, and breaks nothing.
    finding(
      'endpoint-api-version',
      true,
      apiVersion === record.apiVersion
        ? `It sends events of API version ${apiVersion}.`
        : `It sends events of ${apiVersion ? `API version ${apiVersion}` : "the account's API version"}; Stripe is asked in ${record.apiVersion}.`,
    ),
  ];
}

function healthFindings(health: ConnectionHealth): Finding[] {
  const { lastEventAt, usualGapSeconds, silent, failing } = health;
  const last = lastEventAt === null ? 'No event has come yet.' : `The last came at ${lastEventAt}.`;
  const usual =
    usualGapSeconds === null
      ? 'Too few events have come to know how often they do.'
      : `Usually there are at most ${usualGapSeconds} s between two events.`;
  return [
    finding('last-event', true, last),
    finding(
      'silence',
      !silent,
      silent ? `${last} ${usual} Look at the endpoint at Stripe.` : usual,
    ),
    failing === null
      ? finding('fetches', true, 'What was asked of Stripe lately was answered.')
      : finding('fetches', false, `Refused since ${failing.since}: ${failing.detail}`),
  ];
}

/** A finding about the endpoint at Stripe. */
function wrong(check: CheckName, detail: string): Finding {
  return finding(check, false, `${detail} Repair makes a new one.`);
}

function finding(check: CheckName, ok: boolean, detail: string): Finding {
  return { check, ok, detail };
}
