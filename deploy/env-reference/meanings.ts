/** What each variable is for, in one line. A test holds this list against the services' schemas. */
export const meanings: Record<string, string> = {
  SERVICE_ENV: 'the environment that this deployment serves',
  TRIBUTARY_HOST: 'address to listen on',
  TRIBUTARY_PORT: 'port of the public listener, behind the edge',
  TRIBUTARY_DRAIN_MS:
    'for how long, at its end, the public listener still takes requests on kept connections, which close with the answer; milliseconds',
  TRIBUTARY_ADMIN_PORT: 'port of the internal listener: /healthz, /readyz, /metrics',
  TRIBUTARY_LOG_LEVEL: 'minimum level that is logged',
  TRIBUTARY_KAFKA_BROKERS: 'Kafka bootstrap servers, a comma-separated list of `host:port`',
  TRIBUTARY_KAFKA_TLS: 'use TLS for Kafka',
  TRIBUTARY_KAFKA_TLS_CA_FILE: 'PEM file of the CA that signed the brokers’ certificates',
  TRIBUTARY_KAFKA_SASL_MECHANISM: 'SASL mechanism for Kafka',
  TRIBUTARY_KAFKA_SASL_USERNAME: 'SASL user',
  TRIBUTARY_KAFKA_SASL_PASSWORD: 'SASL password',
  TRIBUTARY_KAFKA_ALLOW_INSECURE:
    'allows connections to Kafka without TLS or without SASL in production, which are refused otherwise',
  TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS:
    'how long a consumer may be silent before others take over its partitions; must be at least the brokers’ `group.min.session.timeout.ms`',
  TRIBUTARY_KAFKA_COMPRESSION:
    'compression of written records; every service reads both. Before you set `zstd`, see [topics](../docs/topics.md#compression)',
  TRIBUTARY_TOPIC_PREFIX: 'prefix of every topic name, for several deployments on one cluster',
  TRIBUTARY_TOPIC_REPLICATION: 'replicas that each topic must have; use 1 only on a single node',
  TRIBUTARY_TOPIC_MIN_INSYNC: '`min.insync.replicas` that each topic must have',
  TRIBUTARY_POSTGRES_URL: '`postgresql://user:password@host:port/database`',
  TRIBUTARY_POSTGRES_TLS: 'use TLS for Postgres',
  TRIBUTARY_POSTGRES_ALLOW_INSECURE: 'allows connections to Postgres without TLS in production',
  TRIBUTARY_POSTGRES_TLS_CA_FILE: 'PEM file of the CA that signed the server’s certificate',
  TRIBUTARY_POSTGRES_SCHEMA: 'the schema that this service owns; created if missing',
  TRIBUTARY_POSTGRES_POOL_SIZE: 'maximum connections per process',
  TRIBUTARY_READ_MODEL_POSTGRES_URL:
    'a separate database for the read model (replay: all of them, separated by spaces); uses the TLS settings and pool size of `TRIBUTARY_POSTGRES_URL`; if you change it, change `TRIBUTARY_CONSUMER_GROUP`, too',
  TRIBUTARY_REDIS_URL: '`redis://` or, with TLS, `rediss://`; may contain `user:password@`',
  TRIBUTARY_REDIS_CLUSTER_NODES:
    'with a Redis Cluster: a comma-separated list of `host:port` of three or more of its nodes, best all; user, password and TLS are those of `TRIBUTARY_REDIS_URL`, whose address is one of them; see [Redis](../docs/runbooks/redis.md)',
  TRIBUTARY_REDIS_SENTINELS:
    'with Redis Sentinel: a comma-separated list of `redis://host:port` or `rediss://user:password@host:port` of all sentinels, three or more; the host in `TRIBUTARY_REDIS_URL` is then the name of the master; see [Redis](../docs/runbooks/redis.md)',
  TRIBUTARY_REDIS_ALLOW_INSECURE: 'allows connections to Redis without TLS in production',
  TRIBUTARY_REDIS_TLS_CA_FILE:
    'PEM file of the CA that signed the certificates of the servers, and of the sentinels',
  TRIBUTARY_GENERATION:
    'the only generation of the folds that this process runs; each generation has its own schemas and topics',
  TRIBUTARY_GENERATIONS_SCHEMA:
    'the schema of the registry of generations, in the database of the folds; created if missing',
  TRIBUTARY_CONSUMER_GROUP:
    'Kafka consumer group; set a new value when a read model moves to another database',
  TRIBUTARY_TOKEN_SIGNING_KEY:
    'signs access tokens: `keyId:base64` of a P-256 private key (PKCS#8, DER); see [keys](../docs/runbooks/keys.md)',
  TRIBUTARY_TOKEN_VERIFY_KEYS:
    'public keys that verify access tokens: a comma-separated list of `keyId:base64` (SubjectPublicKeyInfo, DER)',
  TRIBUTARY_PRODUCT_SECRET_KEY_RING:
    'AES-256 keys for product secrets: a comma-separated list of `keyId:base64`, newest first; required unless `TRIBUTARY_SECRET_KEY_RING` is set',
  TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: 'the same for webhook passwords',
  TRIBUTARY_PROCESSOR_KEY_RING: 'the same for keys and signing secrets of payment processors',
  TRIBUTARY_SECOND_FACTOR_KEY_RING: 'the same for second factors of accounts',
  TRIBUTARY_SECRET_KEY_RING:
    'the single ring of earlier releases: opens what it sealed until `tributary keys reseal` has run; then remove it',
  TRIBUTARY_ACCESS_KEY_DIGEST_KEY: 'key for the digests of access keys, base64',
  TRIBUTARY_FINGERPRINT_KEY: 'key for the fingerprints of idempotent requests, base64',
  TRIBUTARY_UCC_KEY: 'key from which referral codes are derived, base64; never change it',
  TRIBUTARY_OPERATOR_TOKEN:
    'bootstrap token of the admin API with full access; a comma-separated list during a rotation',
  TRIBUTARY_INSECURE_COOKIES:
    'allows sessions over plain http, for localhost; refused if SERVICE_ENV is prod',
  TRIBUTARY_DOCS_TENANT:
    'a tenant whose ids (never a secret) the samples at /docs show to everybody, for a demo; refused if SERVICE_ENV is prod',
  TRIBUTARY_INTERNAL_TOKEN:
    'bearer token between services; a comma-separated list during a rotation, newest first',
  TRIBUTARY_INTERNAL_ALLOW_INSECURE:
    'allows requests to other services over http in production, which are refused otherwise; for networks that encrypt traffic themselves',
  TRIBUTARY_ATTRIBUTION_ADMIN_URL:
    'internal listener of attribution, for dry runs and replays; a comma-separated list while two releases run one generation each',
  TRIBUTARY_REWARDS_ADMIN_URL:
    'internal listener of rewards, for dry runs, releases, balances and replays',
  TRIBUTARY_WEBHOOK_DISPATCHER_URL:
    'internal listener of webhook-dispatcher, for deliveries, tests and recovery',
  TRIBUTARY_REPLAY_ADMIN_URL: 'internal listener of replay, for verify, previews and generations',
  TRIBUTARY_PROCESSOR_ADMIN_URL:
    'internal listener of processor-events, for connections to the payment processor and its items',
  TRIBUTARY_PUBLIC_URL:
    'base URL of the edge as Stripe sees it, https in production; the webhook URLs of connections begin with it',
  TRIBUTARY_STRIPE_URL: 'base URL of Stripe’s API, https in production; change it only for tests',
  TRIBUTARY_STRIPE_LIMIT_PERCENT:
    'how much of Stripe’s documented limits all replicas together use of each account, in percent: at 60, 60 requests a second in production and 15 elsewhere, and 15 at one endpoint of Stripe’s; more than 100 only for accounts for which Stripe has raised the limits',
  TRIBUTARY_PROCESSOR_METADATA_TTL_SECONDS:
    'maximum age of a customer’s data read from Stripe when a payment comes in',
  TRIBUTARY_REPLAY_DIR:
    'directory in which replay jobs keep what they have read and folded; on a persistent disk, jobs continue after a crash',
  TRIBUTARY_REPLAY_WORKERS: 'processes that fold in parallel in a replay',
  TRIBUTARY_REPLAY_YIELD_LAG:
    'number of facts that live attribution may be behind before a replay pauses',
  TRIBUTARY_ATTRIBUTION_GROUP: 'from earlier releases; accepted but no longer used',
  TRIBUTARY_REWARDS_GROUP: 'from earlier releases; accepted but no longer used',
  TRIBUTARY_PORTAL_GROUP: 'from earlier releases; accepted but no longer used',
  TRIBUTARY_ATTRIBUTION_SCHEMA: 'from earlier releases; accepted but no longer used',
  TRIBUTARY_REWARDS_SCHEMA: 'from earlier releases; accepted but no longer used',
  TRIBUTARY_READ_MODEL_SCHEMA:
    'the schema of the read model of all topics; created if missing; replay no longer uses it',
  TRIBUTARY_REDIS_KEY_PREFIX: 'prefix of every Redis key, for several deployments on one server',
  TRIBUTARY_BACKDATING_WINDOW_DAYS: 'an older `occurredAt` gets a warning only',
  TRIBUTARY_EVENTS_AT_ONCE:
    'events that may wait for Redis and Kafka at once; further ones get 503 at once',
  TRIBUTARY_APPEND_DEADLINE_MS: 'time from a request’s append to its 503 if Kafka does not answer',
  TRIBUTARY_ISSUANCE_SCHEMA:
    'the schema of issuances, shared by all generations; replay no longer uses it',
  TRIBUTARY_RELEASES: '`off` for a shadow generation that issues nothing',
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT: 'maximum concurrent webhook requests per process',
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT: 'maximum concurrent webhook requests per endpoint',
  TRIBUTARY_WEBHOOK_TIMEOUT_MS: 'time limit for a whole webhook request',
  TRIBUTARY_WEBHOOK_HORIZON_HOURS:
    'time from a reward’s issue, or from a resend, until its webhook is given up',
  TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS:
    'non-public networks that webhooks may be sent to; a comma-separated list such as `10.0.0.0/8`',
  TRIBUTARY_WEBHOOK_ALLOWED_PORTS:
    'ports that webhooks may be sent to; a comma-separated list with ranges such as `8000-8999`',
  TRIBUTARY_WEBHOOK_DNS_SERVERS:
    'name servers that resolve receivers’ hosts; a comma-separated list; the machine’s own if empty',
  TRIBUTARY_DOMAIN_ALLOWED_NETWORKS:
    'non-public networks in which proofs of domains may be checked; a comma-separated list',
  TRIBUTARY_DOMAIN_DNS_SERVERS:
    'name servers used for proofs of domains; a comma-separated list; the machine’s own if empty',
  TRIBUTARY_DOMAIN_RECHECK_HOURS: 'how often the proof of a domain is checked again',
  TRIBUTARY_DOMAIN_GRACE_HOURS:
    'how long the proof may be missing before the domain is no longer accepted',
  TRIBUTARY_TRACES_ENDPOINT:
    'where the spans of traces are posted, OTLP over HTTP, such as `http://collector:4318/v1/traces`; nothing is traced without it. See [traces](../docs/traces.md)',
  TRIBUTARY_TRACES_SAMPLED: 'the share of requests that are traced, from 0 to 1',
  TRIBUTARY_TENANT_EVENTS_PER_SECOND:
    'events that each process accepts from a tenant without a limit of its own, with bursts of ten seconds’ worth; more get a 429',
  TRIBUTARY_TOKENS_PER_SECOND:
    'requests to `/token` that each process accepts from one IP address, with bursts of ten seconds’ worth',
  TRIBUTARY_PASSKEY_RP_ID:
    'the host that passkeys are bound to; default: the host of `TRIBUTARY_PUBLIC_URL`. Changing it makes existing passkeys unusable',
  TRIBUTARY_PASSKEY_ORIGINS:
    'origins that may use passkeys, a comma-separated list; default: `TRIBUTARY_PUBLIC_URL`',
  TRIBUTARY_OIDC_ISSUER: 'single sign-on: the issuer URL of the OpenID Connect provider',
  TRIBUTARY_OIDC_CLIENT_ID: 'the portal’s client id at the provider',
  TRIBUTARY_OIDC_CLIENT_SECRET: 'the portal’s client secret at the provider',
  TRIBUTARY_OIDC_NAME: 'display name of the provider',
  TRIBUTARY_SMTP_URL:
    'the mail server: `smtp://user@host:587`, which must support STARTTLS, or `smtps://user@host:465`',
  TRIBUTARY_SMTP_PASSWORD: 'password for the mail server',
  TRIBUTARY_SMTP_ALLOW_INSECURE: 'allows mail without TLS if the server has no STARTTLS',
  TRIBUTARY_SMTP_TLS_CA_FILE: 'PEM file of the CA that signed the mail server’s certificate',
  TRIBUTARY_MAIL_FROM: 'sender of mails: `Name <address>`',
  TRIBUTARY_SECOND_PERSON:
    'requires [a second person](../docs/admin-api.md#a-second-person) for bulk releases, commits of previews and swaps, in every tenant',
  TRIBUTARY_AUDIT_TOPIC:
    'also writes the audit list to [`referral.audit`](../docs/topics.md#referralaudit)',
  TRIBUTARY_SIGN_INS_PER_SECOND:
    'requests below `/api/session` that each process accepts from one IP address, with bursts of ten seconds’ worth',
  TRIBUTARY_WIDGET_REQUESTS_PER_SECOND:
    'requests below `/widget` that each process accepts from one IP address, with bursts of ten seconds’ worth',
  TRIBUTARY_WIDGET_BOOTS_PER_MINUTE:
    'how often one user may boot the widget, with bursts of ten seconds’ worth',
  TRIBUTARY_WEBHOOK_ATTEMPT_DAYS:
    'how long attempts and receivers’ answers are kept; for delivered webhooks, this or `TRIBUTARY_WEBHOOK_DELIVERY_DAYS`, whichever is shorter',
  TRIBUTARY_WEBHOOK_DELIVERY_DAYS:
    'how long a webhook is kept after its delivery; in the portal, how long its failed attempts are kept',
  TRIBUTARY_WEBHOOK_BACKLOG_LIMIT:
    'number of due webhooks, over all endpoints, above which no more issuances are read',
  TRIBUTARY_EDGE_STATUS_URL: 'where the edge’s nginx answers with its stub_status, on loopback',
};
