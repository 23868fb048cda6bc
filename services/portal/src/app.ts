import { type Topic, topics } from '@tributary/contracts/topics';
import { connectDatabase } from '@tributary/event-log/connect-database';
import { connectLog, type Log } from '@tributary/event-log/connect-log';
import { listBrokers } from '@tributary/event-log/list-brokers';
import { createRelay } from '@tributary/event-log/relay';
import { countPartitions, hasTopic } from '@tributary/event-log/topic-admin';
import type { FoldSettings } from '@tributary/generations/host-fold';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { hostReadModels } from '@tributary/generations/host-read-models';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createInternalClient } from '@tributary/http/internal-client';
import { createListener } from '@tributary/http/listener';
import { createRequestLimits } from '@tributary/http/request-limits';
import { createRequestTimer } from '@tributary/http/request-observer';
import { createLife, type ServiceLife } from '@tributary/http/service-life';
import { createBearerVerifier } from '@tributary/http/tokens';
import { type Clock, systemClock } from '@tributary/runtime/clock';
import { createIdSource } from '@tributary/runtime/ids';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { KeyRings } from '@tributary/runtime/key-rings';
import { createKeyedDigest } from '@tributary/runtime/secrets';
import type { TokenKey } from '@tributary/runtime/token-keys';
import type { PostgresSettings, PublicServiceSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { fileURLToPath } from 'node:url';
import type { Office } from './accounts/commands/office.ts';
import { confirmedMs } from './accounts/domain/durations.ts';
import {
  createIdentityProvider,
  type ProviderSettings,
} from './accounts/endpoint/identity-provider.ts';
import { createMailer, type MailSettings } from './accounts/endpoint/mailer.ts';
import { createApprovalUpkeep } from './accounts/workers/approval-upkeep.ts';
import { createNoticeSender } from './accounts/workers/security-notices.ts';
import { readExampleIds } from './catalog/db/example-ids.ts';
import { createDocsHandler, createExampleIdsHandler, exampleIdsPath } from './http/docs-handler.ts';
import { loadDocs } from './console/docs/load-docs.ts';
import { createAdminApi } from './http/admin-api.ts';
import { createRemovals, type RemovalParts } from './http/tenant-removal.ts';
import type { HealthSources } from './http/health-routes.ts';
import { createChangeStreams } from './http/change-streams.ts';
import { loadPages } from './http/pages/load-pages.ts';
import { createPagesHandler } from './http/pages/pages-handler.ts';
import { type CatalogRecovery, createCatalogRecovery } from './catalog/log/catalog-recovery.ts';
import type { Deployment } from './catalog/commands/deployment.ts';
import { createProofFinder, type ProofSettings } from './catalog/endpoint/find-proof.ts';
import { createCommitChecks } from './catalog/workers/commit-checks.ts';
import { createDomainChecks } from './catalog/workers/domain-checks.ts';
import { createPeopleMaintenance } from './catalog/workers/people-maintenance.ts';
import { countDomainChecks, countPruned, registerDeadLetters } from './metrics.ts';
import { keepingDeliveries } from './console/log/plan.ts';
import { createChangeFeed } from './console/workers/change-feed.ts';

/** `group` is the one of the first generation's read model, `catalogGroup` that of the catalog. */
export type PortalSettings = PublicServiceSettings &
  FoldSettings & {
    keyRings: KeyRings;
    accessKeyDigestKey: Buffer;
    uccKey: Buffer;
    operatorTokens: readonly string[];
    insecureCookies: boolean;
    /** Whose ids the samples of the public documentation show; null: they show placeholders. */
    docsTenant: string | null;
    passkeys: Office['passkeys'];
    /** Null: nobody signs in by one. */
    provider: ProviderSettings | null;
    /** Null: nothing is mailed. */
    mail: MailSettings | null;
    /** Bulk actions of every tenant, and of the deployment, need one. */
    secondPerson: boolean;
    /** Whether entries of the audit list go onto their topic, too. */
    auditTopic: boolean;
    /** Where the read model of the first generation is: a schema of its own, in any database. */
    readModel: PostgresSettings;
    catalogGroup: string;
    /** How long failed attempts are kept of what was delivered. */
    deliveryDays: number;
    /** Presented to the services at these addresses. */
    internalToken: string;
    attributionUrl: string;
    rewardsUrl: string;
    webhookDispatcherUrl: string;
    replayUrl: string;
    processorUrl: string;
    /** The edge, as the payment processor sees it. */
    publicUrl: string;
    /** How often each address may ask to sign in. */
    signInsPerSecond: number;
    /** How domains are proved, and how long one stays whose proof is missing. */
    domains: ProofSettings & { recheckEveryMs: number; graceMs: number };
    /** Keys of the tokens that customers present. */
    tokenVerifyKeys: readonly TokenKey[];
    /** Replaced only by tests that cannot wait for a minute. */
    peopleMaintenanceEveryMs?: number;
    commitChecksEveryMs?: number;
    domainChecksEveryMs?: number;
    pruneEveryMs?: number;
    noticesEveryMs?: number;
    removalsEveryMs?: number;
    exportSettlesMs?: number;
    /** Replaced only by tests: what a slow machine publishes late is published. */
    publishesWithinMs?: number;
  };

const service = 'portal';
/** The pages and the documentation need no server. */
const losses: Losses = {
  'public-listener': everything,
  postgres: 'the admin API gets 503',
  kafka: 'changes have no effect until it is back',
  'catalog-recovery': 'changes may get 503',
  generations: 'lists, sums and explanations get 503',
  'read-model': 'lists, sums and explanations get 503, or may be out of date',
};
/**
 * A test delivery waits for the customer's endpoint, a connection for Stripe; the edge waits for 30
 * s.
 */
const outsideAnswerMs = 25_000;
/** It writes catalog, codes and people; its read models read all, each those of its generation. */
const topicsOf = ({ auditTopic }: PortalSettings) =>
  (Object.keys(topics) as Topic[])
    .filter((topic) => !topics[topic].generational)
    .filter((topic) => topic !== 'audit' || auditTopic);

/**
 * Builds and starts the service. It stops in reverse: first the listeners, so that what was
 * accepted still reaches Postgres and the log.
 */
export async function startPortal(
  settings: PortalSettings,
  options: { logger: Logger; onStop: OnStop; clock?: Clock },
): Promise<{ port: number; adminPort: number }> {
  const { logger, onStop, clock = systemClock } = options;
  const life = createLife({ service, logger, onStop });
  const pool = await connectDatabase(settings.postgres, { ...life, migrationsDir });
  const used = { ...life, topicsUsed: topicsOf(settings) };
  const { kafka, appender, nameOf } = await connectLog(settings, used);
  await life.start('outbox', createOutboxRelay({ pool, appender, logger }));
  const group = settings.catalogGroup;
  const recovery = createCatalogRecovery({ pool, kafka, group, nameOf, logger });
  await life.start('catalog-recovery', recovery);

  const deployment = createDeployment(settings, { pool, recovery, nameOf, clock });
  const maintenance = createPeopleMaintenance({
    deployment,
    appender,
    partitionsOf: (topic) => countPartitions(kafka, topic),
    logger,
    ...(settings.peopleMaintenanceEveryMs && { everyMs: settings.peopleMaintenanceEveryMs }),
  });
  await life.start('people-upkeep', maintenance);

  const plan = keepingDeliveries({
    ...{ days: settings.deliveryDays, onDeleted: countPruned(life.registry) },
    ...(settings.pruneEveryMs && { everyMs: settings.pruneEveryMs }),
  });
  const readModel = await hostReadModels(
    { ...settings, postgres: settings.readModel, registryPostgres: settings.postgres },
    { ...life, plan, kafka, appender },
  );
  registerDeadLetters(life.registry, readModel);

  const services = createClients(settings, logger);
  const commitChecks = createCommitChecks({
    ...{ deployment, replay: services.replay, logger },
    ...(settings.commitChecksEveryMs && { everyMs: settings.commitChecksEveryMs }),
  });
  await life.start('checks-of-commits', commitChecks);

  const changes = await startChanges(settings, { readModel, life });
  const proofs = life.add('proofs', startProofs(settings, { deployment, life }));
  const office = createOffice(settings, { pool, clock, logger, nameOf });
  await startOfficeWork(settings, { office, life });
  await startRemovals(settings, { deployment, office, services, readModel, life });
  const app = createAdminApi({
    ...{ deployment, proofs, services, readModel, office, logger },
    deadLetters: {
      ...{ appender, clock, prefix: settings.topics.prefix, topic: nameOf('deadLetters') },
      hasTopic: (name) => hasTopic(kafka, name),
    },
    ...{ changes, health: healthSources(settings, { kafka, life }) },
    verifyBearer: createTokenVerifier(settings, clock),
    docs: await createDocs(settings, pool),
    ...(settings.exportSettlesMs !== undefined && { settleMs: settings.exportSettlesMs }),
    pages: await pagesIfBuilt(logger),
    operatorTokens: settings.operatorTokens,
    ...createRequestLimits({ 'sign-in': settings.signInsPerSecond }, life.registry),
    insecureCookies: settings.insecureCookies,
    secondPerson: { byDeployment: settings.secondPerson },
    observe: createRequestTimer(life.registry),
  });
  // A change must build on all that was published; one that cannot is refused.
  await recovery.recovered();
  const publicListener = life.add('public-listener', createListener(settings, { app, logger }));
  // They end before the listener waits for what is under way.
  await life.start('change-streams', changes);
  // After the public one: ready means that requests can come.
  const adminListener = life.add(
    'admin-listener',
    createAdminListener(settings, { ...life, losses }),
  );
  const port = await publicListener.start();
  return { port, adminPort: await adminListener.start() };
}

/** What changes of the live read model, and the streams that tell it. */
async function startChanges(
  { readModel: postgres }: PortalSettings,
  { readModel, life }: { readModel: ReadModel; life: ServiceLife },
) {
  const feed = createChangeFeed({ postgres, readModel, logger: life.logger });
  await life.start('change-feed', feed);
  return createChangeStreams({ follow: feed.follow });
}

/** What finds proofs of domains, and the worker that looks for them again and again. */
function startProofs(
  { domains, domainChecksEveryMs }: PortalSettings,
  { deployment, life }: { deployment: Deployment; life: ServiceLife },
) {
  const { logger, registry } = life;
  const proofs = createProofFinder(domains);
  const checks = createDomainChecks({
    ...domains,
    ...{ deployment, proofs, logger, onResult: countDomainChecks(registry) },
    ...(domainChecksEveryMs && { everyMs: domainChecksEveryMs }),
  });
  checks.start();
  return {
    ...proofs,
    async stop() {
      await checks.stop();
      await proofs.close();
    },
  };
}

async function createDocs({ docsTenant }: PortalSettings, pool: pg.Pool) {
  if (docsTenant === null) return [createDocsHandler(await loadDocs())];
  return [
    createExampleIdsHandler(() => readExampleIds(pool, docsTenant)),
    createDocsHandler(await loadDocs({ exampleIds: exampleIdsPath })),
  ];
}

async function pagesIfBuilt(logger: Logger) {
  const pages = await loadPages();
  if (pages !== undefined) return createPagesHandler(pages);
  logger.warn('there are no pages; build them: node services/portal/build-assets.ts');
  return undefined;
}

function createDeployment(
  settings: PortalSettings,
  parts: Pick<Log, 'nameOf'> & { pool: pg.Pool; recovery: CatalogRecovery; clock: Clock },
): Deployment {
  const { pool, recovery, nameOf, clock } = parts;
  return {
    pool,
    isCurrent: (tx) => recovery.isCurrent(tx),
    heldUpBy: () => recovery.heldUpBy(),
    clock,
    environment: settings.environment,
    publicUrl: settings.publicUrl,
    topics: { catalog: nameOf('catalog'), codes: nameOf('codes'), people: nameOf('people') },
    keyRings: settings.keyRings,
    tokenKeyIds: settings.tokenVerifyKeys.map(({ keyId }) => keyId),
    accessKeyDigestKey: settings.accessKeyDigestKey,
    uccKey: settings.uccKey,
    randomId: createIdSource().base62,
    ...(settings.publishesWithinMs && { publishesWithinMs: settings.publishesWithinMs }),
  };
}

function createOffice(
  settings: PortalSettings,
  parts: Pick<Office, 'pool' | 'clock'> & Pick<Log, 'nameOf'> & { logger: Logger },
): Office {
  const { pool, clock, logger, nameOf } = parts;
  const { keyRings, accessKeyDigestKey, publicUrl, passkeys, provider, mail } = settings;
  return {
    pool,
    clock,
    auditTopic: settings.auditTopic ? nameOf('audit') : null,
    keyRing: keyRings['second-factors'],
    digest: createKeyedDigest(accessKeyDigestKey),
    publicUrl,
    passkeys,
    provider: provider && createIdentityProvider(provider, { logger, anewMs: confirmedMs }),
    mailer: mail && createMailer(mail, logger),
  };
}

function createOutboxRelay(
  parts: Pick<Parameters<typeof createRelay>[0], 'pool' | 'appender' | 'logger'>,
) {
  return createRelay({ ...parts, removeEveryMs: 0 });
}

async function startRemovals(
  { removalsEveryMs }: PortalSettings,
  parts: Omit<RemovalParts, 'processor'> & {
    services: ReturnType<typeof createClients>;
    life: ServiceLife;
  },
): Promise<void> {
  const { life, services, ...rest } = parts;
  const every = removalsEveryMs && { everyMs: removalsEveryMs };
  const { processor } = services;
  const { logger } = life;
  await life.start('removals', createRemovals({ ...rest, processor, logger, ...every }));
}

async function startOfficeWork(
  { noticesEveryMs }: PortalSettings,
  { office, life }: { office: Office; life: ServiceLife },
): Promise<void> {
  const { mailer } = office;
  const { logger } = life;
  await life.start('approval-upkeep', createApprovalUpkeep({ office, logger }));
  if (mailer === null) return;
  const sender = createNoticeSender({
    office,
    logger,
    ...(noticesEveryMs !== undefined && { everyMs: noticesEveryMs }),
  });
  await life.start('security-notices', {
    start: () => sender.start(),
    async stop() {
      await sender.stop();
      mailer.close();
    },
  });
}

/** The tables know of a revocation before the topic does; they are asked by the route. */
function createTokenVerifier({ tokenVerifyKeys, environment }: PortalSettings, clock: Clock) {
  return createBearerVerifier({ keys: tokenVerifyKeys, environment, clock, isActive: () => true });
}

/** Whom the portal can ask how they are: itself, the brokers, and whom it asks anyway. */
function healthSources(
  settings: PortalSettings,
  { kafka, life }: Pick<Log, 'kafka'> & { life: ServiceLife },
): HealthSources {
  return {
    own: { service, checks: () => life.checks() },
    others: [
      { service: 'attribution', baseUrl: settings.attributionUrl },
      { service: 'rewards', baseUrl: settings.rewardsUrl },
      { service: 'webhook-dispatcher', baseUrl: settings.webhookDispatcherUrl },
      { service: 'processor-events', baseUrl: settings.processorUrl },
      { service: 'replay', baseUrl: settings.replayUrl },
    ],
    listBrokers: () => listBrokers(kafka),
  };
}

/** What the portal asks other services. */
function createClients(settings: PortalSettings, logger: Logger) {
  const { internalToken: token } = settings;
  const client = (service: string, baseUrl: string, about: { timeoutMs?: number } = {}) =>
    createInternalClient({ service, baseUrl, token, logger, ...about });
  const outside = { timeoutMs: outsideAnswerMs };
  return {
    attribution: client('attribution', settings.attributionUrl),
    rewards: client('rewards', settings.rewardsUrl),
    webhookDispatcher: client('webhook-dispatcher', settings.webhookDispatcherUrl, outside),
    replay: client('replay', settings.replayUrl),
    processor: client('processor-events', settings.processorUrl, outside),
  };
}

export const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));
