import { type Static, Type } from '@sinclair/typebox';
import { isIP } from 'node:net';
import {
  deliveryRetentionVariable,
  digestVariable,
  groupVariable,
  internalLinksVariable,
  internalTokenVariable,
  parseKey,
  postgresSettings,
  postgresVariables,
  publicServiceSettings,
  publicServiceVariables,
  readModelSettings,
  readModelVariables,
  uccVariable,
} from '@tributary/runtime/variables';
import {
  processorKeyRing,
  productSecretRing,
  readKeyRing,
  secondFactorRing,
  webhookPasswordRing,
} from '@tributary/runtime/key-rings';
import { parseTokenVerifyKeys, tokenVerifyVariable } from '@tributary/runtime/token-keys';
import { internalUrl, mistakeOfFile, needs, outsideUrl } from '@tributary/runtime/variable-rules';
import { generationsVariables, onlyGenerationVariable } from '@tributary/generations/variables';
import { parseNetworks } from '@tributary/guarded-connections/address-rules';
import { mistakeOf, parseNameServers } from '@tributary/guarded-connections/outside-settings';
import { parseTokenList } from '@tributary/http/fixed-tokens';
import type { PortalSettings } from './app.ts';

const group = 'portal-r2';
const minTokenLength = 16;
const operatorTokens = `one token or a comma list, each of at least ${minTokenLength} characters without blanks`;

const origins = 'https://host, with :port when it is another one, or several with commas between';
const issuer = 'https://host/path; http:// only with sandbox';
const smtp = 'smtp://user@host:587 or smtps://user@host:465, the user only where one is wanted';

/** The variables of this service; the keys are their names. */
export const PortalConfig = Type.Object({
  ...publicServiceVariables,
  ...postgresVariables,
  TRIBUTARY_POSTGRES_SCHEMA: { ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA, default: 'portal' },
  /**
   * What can be read of all topics; may be dropped, it is then built again. Not the name that
   * earlier releases had: their processes go on with their own until the last one is replaced.
   */
  TRIBUTARY_READ_MODEL_SCHEMA: {
    ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA,
    default: 'portal_read_r2',
  },
  ...readModelVariables,
  ...deliveryRetentionVariable,
  /**
   * Neither the name that earlier releases had: a partition is read by one process of a group, and
   * what an old one reads is missing in the new tables.
   */
  TRIBUTARY_CONSUMER_GROUP: { ...groupVariable.TRIBUTARY_CONSUMER_GROUP, default: group },
  ...generationsVariables,
  ...onlyGenerationVariable,
  ...internalTokenVariable,
  /** Where other services answer this one; several while two releases run a generation each. */
  TRIBUTARY_ATTRIBUTION_ADMIN_URL: internalUrl({ several: true }),
  TRIBUTARY_REWARDS_ADMIN_URL: internalUrl({ several: true }),
  TRIBUTARY_WEBHOOK_DISPATCHER_URL: internalUrl(),
  TRIBUTARY_REPLAY_ADMIN_URL: internalUrl(),
  TRIBUTARY_PROCESSOR_ADMIN_URL: internalUrl(),
  ...internalLinksVariable(
    'TRIBUTARY_ATTRIBUTION_ADMIN_URL',
    'TRIBUTARY_REWARDS_ADMIN_URL',
    'TRIBUTARY_WEBHOOK_DISPATCHER_URL',
    'TRIBUTARY_REPLAY_ADMIN_URL',
    'TRIBUTARY_PROCESSOR_ADMIN_URL',
  ),
  /** The edge: where the payment processor sends its events. */
  TRIBUTARY_PUBLIC_URL: outsideUrl(),
  ...tokenVerifyVariable,
  ...productSecretRing,
  ...webhookPasswordRing,
  ...processorKeyRing,
  ...secondFactorRing,
  /** Networks in which proofs of domains may be looked for although they are not public. */
  TRIBUTARY_DOMAIN_ALLOWED_NETWORKS: Type.String({
    default: '',
    expected: 'networks like 10.0.0.0/8 or fd00::/8, with commas between',
    verify: mistakeOf(parseNetworks),
  }),
  /** Name servers to ask for proofs of domains instead of the machine's. */
  TRIBUTARY_DOMAIN_DNS_SERVERS: Type.String({
    default: '',
    expected: 'addresses of name servers, with commas between; ports as 10.0.0.2:5353',
    verify: mistakeOf(parseNameServers),
  }),
  /** How often the proof of a domain is looked at again. */
  TRIBUTARY_DOMAIN_RECHECK_HOURS: Type.Integer({ default: 24, minimum: 1, maximum: 720 }),
  /** For how long it may be missing before the domain counts no longer. */
  TRIBUTARY_DOMAIN_GRACE_HOURS: Type.Integer({ default: 72, minimum: 0, maximum: 8_760 }),
  /** The host that passkeys are made for; that of the public URL when left out. */
  TRIBUTARY_PASSKEY_RP_ID: Type.Optional(
    Type.String({
      expected: 'a host name, of which the pages that people sign in at are',
      verify: (text: string) =>
        isHostName(text) ? undefined : 'must be a host name, with no scheme and no port',
    }),
  ),
  /** Where the pages are that may ask for them; the public URL when left out. */
  TRIBUTARY_PASSKEY_ORIGINS: Type.Optional(
    Type.String({
      expected: origins,
      verify: (text: string) =>
        originsOf(text).every(isOrigin) ? undefined : `must be ${origins}`,
    }),
  ),
  /** Single sign-on: a provider of OpenID Connect. */
  TRIBUTARY_OIDC_ISSUER: Type.Optional(
    Type.String({
      expected: issuer,
      verify: (text: string, all: Readonly<Record<string, unknown>>) => {
        const protocols = all['SERVICE_ENV'] === 'prod' ? ['https:'] : ['https:', 'http:'];
        if (!protocols.includes(URL.parse(text)?.protocol ?? '')) return `must be ${issuer}`;
        return needs('TRIBUTARY_OIDC_CLIENT_ID', 'TRIBUTARY_OIDC_CLIENT_SECRET')(text, all);
      },
    }),
  ),
  TRIBUTARY_OIDC_CLIENT_ID: Type.Optional(
    Type.String({ minLength: 1, verify: needs('TRIBUTARY_OIDC_ISSUER') }),
  ),
  TRIBUTARY_OIDC_CLIENT_SECRET: Type.Optional(
    Type.String({ secret: true, minLength: 1, verify: needs('TRIBUTARY_OIDC_ISSUER') }),
  ),
  TRIBUTARY_OIDC_NAME: Type.String({ default: 'Single sign-on', maxLength: 100 }),
  /** Where mail is sent through; without it nothing is mailed. */
  TRIBUTARY_SMTP_URL: Type.Optional(
    Type.String({
      expected: smtp,
      verify: (text: string, all: Readonly<Record<string, unknown>>) =>
        isSmtpUrl(text) ? needs('TRIBUTARY_MAIL_FROM')(text, all) : `must be ${smtp}`,
    }),
  ),
  TRIBUTARY_SMTP_PASSWORD: Type.Optional(
    Type.String({ secret: true, verify: needs('TRIBUTARY_SMTP_URL') }),
  ),
  TRIBUTARY_MAIL_FROM: Type.Optional(
    Type.String({ minLength: 3, maxLength: 320, verify: needs('TRIBUTARY_SMTP_URL') }),
  ),
  TRIBUTARY_SMTP_ALLOW_INSECURE: Type.Boolean({ default: false }),
  TRIBUTARY_SMTP_TLS_CA_FILE: Type.Optional(
    Type.String({ expected: 'a PEM file', verify: mistakeOfFile }),
  ),
  /** Whether bulk actions need a second person, in every tenant and the deployment. */
  TRIBUTARY_SECOND_PERSON: Type.Boolean({ default: false }),
  /** Whether the audit list is written to a topic, too. */
  TRIBUTARY_AUDIT_TOPIC: Type.Boolean({ default: false }),
  /** How many requests of the sign-in each process takes of one address. */
  TRIBUTARY_SIGN_INS_PER_SECOND: Type.Number({ default: 5, minimum: 0.1, maximum: 1_000_000 }),
  /** A tenant whose ids, which are public then, stand in the samples of the documentation. */
  TRIBUTARY_DOCS_TENANT: Type.Optional(
    Type.String({
      expected: 'the id of a tenant; not where SERVICE_ENV is prod',
      minLength: 1,
      verify: (_tenant: string, all: Readonly<Record<string, unknown>>) =>
        all['SERVICE_ENV'] === 'prod'
          ? 'must not be set where SERVICE_ENV is prod: everybody reads the documentation'
          : undefined,
    }),
  ),
  ...digestVariable,
  ...uccVariable,
  /** What an operator presents as bearer token; a comma list while one replaces another. */
  TRIBUTARY_OPERATOR_TOKEN: Type.String({
    secret: true,
    expected: operatorTokens,
    verify: (text: string) => (areOperatorTokens(text) ? undefined : `must be ${operatorTokens}`),
  }),
  /** Browsers keep no other cookies of http://localhost. */
  TRIBUTARY_INSECURE_COOKIES: Type.Boolean({
    default: false,
    verify: (insecure: boolean, all: Readonly<Record<string, unknown>>) =>
      insecure && all['SERVICE_ENV'] === 'prod'
        ? 'must be false where SERVICE_ENV is prod: sessions go over https there'
        : undefined,
  }),
});
export type PortalConfig = Static<typeof PortalConfig>;

export function portalSettings(config: PortalConfig): PortalSettings {
  return {
    ...publicServiceSettings(config),
    postgres: postgresSettings(config),
    generationsSchema: config.TRIBUTARY_GENERATIONS_SCHEMA,
    onlyGeneration: config.TRIBUTARY_GENERATION,
    readModel: { ...readModelSettings(config), schema: config.TRIBUTARY_READ_MODEL_SCHEMA },
    deliveryDays: config.TRIBUTARY_WEBHOOK_DELIVERY_DAYS,
    group: config.TRIBUTARY_CONSUMER_GROUP,
    catalogGroup: catalogGroupOf(config.TRIBUTARY_CONSUMER_GROUP),
    internalToken: parseTokenList(config.TRIBUTARY_INTERNAL_TOKEN)[0] ?? '',
    attributionUrl: config.TRIBUTARY_ATTRIBUTION_ADMIN_URL,
    rewardsUrl: config.TRIBUTARY_REWARDS_ADMIN_URL,
    webhookDispatcherUrl: config.TRIBUTARY_WEBHOOK_DISPATCHER_URL,
    replayUrl: config.TRIBUTARY_REPLAY_ADMIN_URL,
    processorUrl: config.TRIBUTARY_PROCESSOR_ADMIN_URL,
    publicUrl: new URL(config.TRIBUTARY_PUBLIC_URL).origin,
    tokenVerifyKeys: parseTokenVerifyKeys(config.TRIBUTARY_TOKEN_VERIFY_KEYS),
    keyRings: keyRingsOf(config),
    signInsPerSecond: config.TRIBUTARY_SIGN_INS_PER_SECOND,
    domains: {
      allowedNetworks: parseNetworks(config.TRIBUTARY_DOMAIN_ALLOWED_NETWORKS),
      dnsServers: parseNameServers(config.TRIBUTARY_DOMAIN_DNS_SERVERS),
      recheckEveryMs: config.TRIBUTARY_DOMAIN_RECHECK_HOURS * 3_600_000,
      graceMs: config.TRIBUTARY_DOMAIN_GRACE_HOURS * 3_600_000,
    },
    accessKeyDigestKey: parseKey(config.TRIBUTARY_ACCESS_KEY_DIGEST_KEY),
    uccKey: parseKey(config.TRIBUTARY_UCC_KEY),
    insecureCookies: config.TRIBUTARY_INSECURE_COOKIES,
    docsTenant: config.TRIBUTARY_DOCS_TENANT ?? null,
    ...signInSettings(config),
    secondPerson: config.TRIBUTARY_SECOND_PERSON,
    auditTopic: config.TRIBUTARY_AUDIT_TOPIC,
    operatorTokens: parseTokenList(config.TRIBUTARY_OPERATOR_TOKEN),
  };
}

function signInSettings(
  config: PortalConfig,
): Pick<PortalSettings, 'passkeys' | 'provider' | 'mail'> {
  const { hostname, origin } = new URL(config.TRIBUTARY_PUBLIC_URL);
  const rpId = config.TRIBUTARY_PASSKEY_RP_ID ?? hostname;
  const { TRIBUTARY_OIDC_ISSUER: issuerUrl, TRIBUTARY_SMTP_URL: url } = config;
  return {
    // No authenticator makes one for an address.
    passkeys: isHostName(rpId)
      ? { rpId, origins: originsOf(config.TRIBUTARY_PASSKEY_ORIGINS ?? origin) }
      : null,
    provider:
      issuerUrl === undefined
        ? null
        : {
            issuer: issuerUrl,
            clientId: config.TRIBUTARY_OIDC_CLIENT_ID ?? '',
            clientSecret: config.TRIBUTARY_OIDC_CLIENT_SECRET ?? '',
            name: config.TRIBUTARY_OIDC_NAME,
          },
    mail:
      url === undefined
        ? null
        : {
            url,
            password: config.TRIBUTARY_SMTP_PASSWORD,
            from: config.TRIBUTARY_MAIL_FROM ?? '',
            allowInsecure: config.TRIBUTARY_SMTP_ALLOW_INSECURE,
            caFile: config.TRIBUTARY_SMTP_TLS_CA_FILE,
          },
  };
}

function originsOf(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.origin === text;
}

function isHostName(text: string): boolean {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(text) && isIP(text) === 0;
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.password === '';
}

function keyRingsOf(config: PortalConfig): PortalSettings['keyRings'] {
  const former = config.TRIBUTARY_SECRET_KEY_RING;
  return {
    'product-secrets': readKeyRing(config.TRIBUTARY_PRODUCT_SECRET_KEY_RING, former),
    'webhook-passwords': readKeyRing(config.TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING, former),
    'processor-keys': readKeyRing(config.TRIBUTARY_PROCESSOR_KEY_RING, former),
    'second-factors': readKeyRing(config.TRIBUTARY_SECOND_FACTOR_KEY_RING, former),
  };
}

/** The catalog's tables are what they were: processes of both releases share its partitions. */
function catalogGroupOf(readModelGroup: string): string {
  return readModelGroup === group ? 'portal-catalog' : `${readModelGroup}-catalog`;
}

function areOperatorTokens(text: string): boolean {
  const tokens = parseTokenList(text);
  return (
    tokens.length > 0 &&
    tokens.every((token) => token.length >= minTokenLength && !/\s/.test(token))
  );
}
