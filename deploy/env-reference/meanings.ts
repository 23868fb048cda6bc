/** What each variable is for, in one line. A test holds this list against the services' schemas. */
export const meanings: Record<string, string> = {
  SERVICE_ENV: 'the one environment that this deployment serves',
  TRIBUTARY_HOST: 'address to listen on',
  TRIBUTARY_PORT: 'port of the public listener, behind the edge',
  TRIBUTARY_ADMIN_PORT: 'port of the internal listener: /healthz, /readyz, /metrics',
  TRIBUTARY_LOG_LEVEL: 'least level that is logged',
  TRIBUTARY_KAFKA_BROKERS: 'Kafka bootstrap servers, `host:port` with commas between',
  TRIBUTARY_KAFKA_TLS: 'TLS to Kafka',
  TRIBUTARY_KAFKA_TLS_CA_FILE: 'PEM file of the CA that signed the brokers’ certificates',
  TRIBUTARY_KAFKA_SASL_MECHANISM: 'SASL to Kafka',
  TRIBUTARY_KAFKA_SASL_USERNAME: 'SASL user',
  TRIBUTARY_KAFKA_SASL_PASSWORD: 'SASL password',
  TRIBUTARY_KAFKA_ALLOW_INSECURE:
    'lets production reach Kafka without TLS or without SASL, which it refuses otherwise',
  TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS:
    'how long a consumer may be silent before others take its partitions; the brokers’ `group.min.session.timeout.ms` is the least',
  TRIBUTARY_KAFKA_COMPRESSION:
    'of what is written; every service reads both. Before you change it to `zstd`, see [topics](../docs/topics.md#compression)',
  TRIBUTARY_TOPIC_PREFIX: 'put before every topic name, for several deployments on one cluster',
  TRIBUTARY_TOPIC_REPLICATION: 'replicas that each topic must have; 1 only on a single node',
  TRIBUTARY_TOPIC_MIN_INSYNC: '`min.insync.replicas` that each topic must have',
  TRIBUTARY_POSTGRES_URL: '`postgresql://user:password@host:port/database`',
  TRIBUTARY_POSTGRES_TLS: 'TLS to Postgres',
  TRIBUTARY_POSTGRES_ALLOW_INSECURE: 'lets production reach Postgres without TLS',
  TRIBUTARY_POSTGRES_TLS_CA_FILE: 'PEM file of the CA that signed the server’s certificate',
  TRIBUTARY_POSTGRES_SCHEMA: 'the schema this service owns; made when missing',
  TRIBUTARY_POSTGRES_POOL_SIZE: 'most connections of one process',
  TRIBUTARY_READ_MODEL_POSTGRES_URL:
    'the database of the read model, when it is another one (replay: all of these, blanks between), with the TLS and pool size of `TRIBUTARY_POSTGRES_URL`; when you change it, change `TRIBUTARY_CONSUMER_GROUP`, too',
  TRIBUTARY_REDIS_URL: '`redis://` or, with TLS, `rediss://`; may hold `user:password@`',
  TRIBUTARY_REDIS_ALLOW_INSECURE: 'lets production reach Redis without TLS',
  TRIBUTARY_REDIS_TLS_CA_FILE: 'PEM file of the CA that signed the server’s certificate',
  TRIBUTARY_GENERATION: 'which run of the folds this is; others have other schemas and topics',
  TRIBUTARY_GENERATIONS_SCHEMA:
    'the schema of the registry of generations, in the database of the folds; made when missing',
  TRIBUTARY_CONSUMER_GROUP:
    'Kafka consumer group; needs a new value where a read model moves to another database',
  TRIBUTARY_TOKEN_SIGNING_KEY:
    'signs access tokens: `keyId:base64` of a P-256 private key (PKCS#8, DER); see [keys](../docs/runbooks/keys.md)',
  TRIBUTARY_TOKEN_VERIFY_KEYS:
    'public keys that access tokens are verified with: `keyId:base64` (SubjectPublicKeyInfo, DER) with commas between',
  TRIBUTARY_PRODUCT_SECRET_KEY_RING:
    'AES-256 keys of product secrets: `keyId:base64` with commas between, newest first; required unless `TRIBUTARY_SECRET_KEY_RING` is set',
  TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: 'the same of webhook passwords',
  TRIBUTARY_PROCESSOR_KEY_RING: 'the same of keys and signing secrets of payment processors',
  TRIBUTARY_SECOND_FACTOR_KEY_RING: 'the same of second factors of people who sign in',
  TRIBUTARY_SECRET_KEY_RING:
    'the one ring of earlier releases: opens what it sealed until `tributary keys reseal`; then remove it',
  TRIBUTARY_ACCESS_KEY_DIGEST_KEY: 'key of the digests that access keys are stored as, base64',
  TRIBUTARY_FINGERPRINT_KEY: 'key of the fingerprints of idempotent requests, base64',
  TRIBUTARY_UCC_KEY: 'key that referral codes are derived with, base64; never rotates',
  TRIBUTARY_OPERATOR_TOKEN:
    'bootstrap token of the admin API, which may do everything; a comma list while one replaces another',
  TRIBUTARY_INSECURE_COOKIES:
    'sessions over plain http, for localhost; refused where SERVICE_ENV is prod',
  TRIBUTARY_INTERNAL_TOKEN:
    'bearer token between services; a comma list while one replaces another, newest first',
  TRIBUTARY_INTERNAL_ALLOW_INSECURE:
    'lets production ask other services over http, which it refuses otherwise; for networks that encrypt by themselves',
  TRIBUTARY_ATTRIBUTION_ADMIN_URL:
    'internal listener of attribution, for dry runs and replays; several with commas while two releases run a generation each',
  TRIBUTARY_REWARDS_ADMIN_URL:
    'internal listener of rewards, for dry runs, releases, balances and replays',
  TRIBUTARY_WEBHOOK_DISPATCHER_URL:
    'internal listener of webhook-dispatcher, for deliveries, tests and recovery',
  TRIBUTARY_REPLAY_ADMIN_URL: 'internal listener of replay, for verify, previews and generations',
  TRIBUTARY_PROCESSOR_ADMIN_URL:
    'internal listener of processor-events, for connections to the payment processor and its items',
  TRIBUTARY_PUBLIC_URL:
    'base URL of the edge as Stripe sees it, https in production; connections have their webhooks below it',
  TRIBUTARY_STRIPE_URL: 'where the API of Stripe is, https in production; another one for tests',
  TRIBUTARY_PROCESSOR_METADATA_TTL_SECONDS:
    'how old what was read of a customer at Stripe may be when a payment comes in',
  TRIBUTARY_REPLAY_DIR:
    'where jobs of replay keep what they read and folded; on a disk that outlives the process they go on after a kill',
  TRIBUTARY_REPLAY_WORKERS: 'processes that fold at the same time in a replay',
  TRIBUTARY_REPLAY_YIELD_LAG: 'facts that live attribution may be behind before a replay waits',
  TRIBUTARY_ATTRIBUTION_GROUP: 'of earlier releases; accepted and not used any more',
  TRIBUTARY_REWARDS_GROUP: 'of earlier releases; accepted and not used any more',
  TRIBUTARY_PORTAL_GROUP: 'of earlier releases; accepted and not used any more',
  TRIBUTARY_ATTRIBUTION_SCHEMA: 'of earlier releases; accepted and not used any more',
  TRIBUTARY_REWARDS_SCHEMA: 'of earlier releases; accepted and not used any more',
  TRIBUTARY_READ_MODEL_SCHEMA:
    'the schema of what can be read of all topics; made when missing; replay does not use it any more',
  TRIBUTARY_REDIS_KEY_PREFIX: 'put before every Redis key, for several deployments on one server',
  TRIBUTARY_BACKDATING_WINDOW_DAYS: 'an older `occurredAt` gets a warning, and nothing else',
  TRIBUTARY_APPEND_DEADLINE_MS: 'from a request’s append to its 503 when Kafka does not answer',
  TRIBUTARY_ISSUANCE_SCHEMA:
    'the schema of what was paid, outside all generations; replay does not use it any more',
  TRIBUTARY_RELEASES: '`off` for a shadow generation, which issues nothing',
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT: 'webhook exchanges at once in one process',
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT: 'webhook exchanges at once with one endpoint',
  TRIBUTARY_WEBHOOK_TIMEOUT_MS: 'for one whole webhook exchange',
  TRIBUTARY_WEBHOOK_HORIZON_HOURS: 'from a reward’s issue, or a resend, to giving its webhook up',
  TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS:
    'networks that webhooks may go to though they are not public, as `10.0.0.0/8` with commas between',
  TRIBUTARY_WEBHOOK_ALLOWED_PORTS:
    'ports that webhooks may go to; a comma list, ranges as `8000-8999`',
  TRIBUTARY_WEBHOOK_DNS_SERVERS:
    'name servers asked for receivers’ hosts; a comma list, the machine’s own when empty',
  TRIBUTARY_DOMAIN_ALLOWED_NETWORKS:
    'networks in which proofs of domains may be looked for although they are not public; a comma list',
  TRIBUTARY_DOMAIN_DNS_SERVERS:
    'name servers asked for proofs of domains; a comma list, the machine’s own when empty',
  TRIBUTARY_DOMAIN_RECHECK_HOURS: 'how often the proof of a domain is looked at again',
  TRIBUTARY_DOMAIN_GRACE_HOURS:
    'how long that proof may be missing before the domain counts no longer',
  TRIBUTARY_TENANT_EVENTS_PER_SECOND:
    'events that each process takes of a tenant without a limit of its own, with bursts of ten seconds’ worth; more is a 429',
  TRIBUTARY_TOKENS_PER_SECOND:
    'requests of `/token` that each process takes of one address, with bursts of ten seconds’ worth',
  TRIBUTARY_PASSKEY_RP_ID:
    'the host that passkeys are made for; that of `TRIBUTARY_PUBLIC_URL` when left out. Another one later makes those before worthless',
  TRIBUTARY_PASSKEY_ORIGINS:
    'pages that may ask for passkeys, a comma list; `TRIBUTARY_PUBLIC_URL` when left out',
  TRIBUTARY_OIDC_ISSUER: 'single sign-on: the provider of OpenID Connect, by its issuer',
  TRIBUTARY_OIDC_CLIENT_ID: 'what the portal is called there',
  TRIBUTARY_OIDC_CLIENT_SECRET: 'what it proves that with',
  TRIBUTARY_OIDC_NAME: 'what people know the provider by',
  TRIBUTARY_SMTP_URL:
    'the mail server: `smtp://user@host:587`, which has to have STARTTLS, or `smtps://user@host:465`',
  TRIBUTARY_SMTP_PASSWORD: 'of its user',
  TRIBUTARY_SMTP_ALLOW_INSECURE: 'lets mail go without TLS where the server has no STARTTLS',
  TRIBUTARY_SMTP_TLS_CA_FILE: 'PEM file of the CA that signed the mail server’s certificate',
  TRIBUTARY_MAIL_FROM: 'whom mails are from: `Name <address>`',
  TRIBUTARY_SECOND_PERSON:
    'bulk releases, commits of previews and swaps need [a second person](../docs/admin-api.md#a-second-person), in every tenant',
  TRIBUTARY_AUDIT_TOPIC:
    'the audit list is written to [`referral.audit`](../docs/topics.md#referralaudit), too',
  TRIBUTARY_SIGN_INS_PER_SECOND:
    'requests below `/api/session` that each process takes of one address, with bursts of ten seconds’ worth',
  TRIBUTARY_WIDGET_REQUESTS_PER_SECOND:
    'requests below `/widget` that each process takes of one address, with bursts of ten seconds’ worth',
  TRIBUTARY_WIDGET_BOOTS_PER_MINUTE:
    'how often one user may boot the widget, with bursts of ten seconds’ worth',
  TRIBUTARY_WEBHOOK_ATTEMPT_DAYS:
    'how long attempts, with what receivers answered, are kept; of delivered webhooks, this or `TRIBUTARY_WEBHOOK_DELIVERY_DAYS`, the shorter of the two',
  TRIBUTARY_WEBHOOK_DELIVERY_DAYS:
    'how long a webhook is kept after it was delivered; in the portal, the attempts that failed before that',
  TRIBUTARY_WEBHOOK_BACKLOG_LIMIT:
    'webhooks that are due, over all endpoints, before no more rewards are taken in',
};
