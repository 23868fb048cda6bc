import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Topic } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { connectDatabase } from '@tributary/event-log/connect-database';
import { connectLog } from '@tributary/event-log/connect-log';
import { followCatalog } from '@tributary/event-log/follow-catalog';
import { createRefusalRecorder } from '@tributary/event-log/refusal-recorder';
import { createRelay } from '@tributary/event-log/relay';
import { createProjection } from '@tributary/event-log/projection';
import { createProjectionBarrier } from '@tributary/event-log/projection-barrier';
import { topicSources } from '@tributary/event-log/topic-sources';
import { type Admit, createAdmission } from '@tributary/http/admission';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createListener } from '@tributary/http/listener';
import { createRequestLimits } from '@tributary/http/request-limits';
import { requestIdOf } from '@tributary/http/request-id';
import { countOnly, createRequestObserver } from '@tributary/http/request-observer';
import { createTraceRequest } from '@tributary/http/request-traces';
import { createLife } from '@tributary/http/service-life';
import { createCurrentVerifier, createTokenSigner } from '@tributary/http/tokens';
import { systemClock } from '@tributary/runtime/clock';
import { createIdSource } from '@tributary/runtime/ids';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { createKeyedDigest, equalInConstantTime } from '@tributary/runtime/secrets';
import type { TokenKey } from '@tributary/runtime/token-keys';
import { openTracer, type Tracer, type TraceSettings } from '@tributary/runtime/tracer';
import type {
  PostgresSettings,
  PublicServiceSettings,
  RedisSettings,
} from '@tributary/runtime/variables';
import { createAcceptEvent } from './commands/accept-event.ts';
import type { Acceptance } from './domain/acceptance.ts';
import { createActiveLinkRoute } from './http/active-link-route.ts';
import { createNoteRefusals } from './http/note-refusals.ts';
import { createEventPlaces } from './http/event-places.ts';
import { createEventRoute, eventsPath } from './http/event-route.ts';
import { createPublicApp, type RouteName } from './http/public-app.ts';
import { createReferralCodeRoute } from './http/referral-code-route.ts';
import { createTokenRoute } from './http/token-route.ts';
import { applyCodes } from './log/apply-codes.ts';
import { findReferralCode, newestCodes } from './db/referral-codes.ts';
import { startIdempotency } from './redis/start-idempotency.ts';
import { createFindActiveLink } from './commands/find-active-link.ts';
import { createIssueToken } from './commands/issue-token.ts';
import { createLookUpCode } from './commands/look-up-code.ts';
import { createIngestMetrics, type IngestMetrics } from './metrics.ts';

export type IngestSettings = PublicServiceSettings & {
  postgres: PostgresSettings;
  redis: RedisSettings;
  redisKeyPrefix: string;
  group: string;
  /** Private: this service alone makes access tokens. */
  tokenSigningKey: TokenKey;
  tokenVerifyKeys: readonly TokenKey[];
  accessKeyDigestKey: Buffer;
  fingerprintKey: Buffer;
  backdatingWindowDays: number;
  appendDeadlineMs: number;
  /** How many may wait for Redis and the brokers; more are refused at once. */
  eventsAtOnce: number;
  /** How many are accepted of a tenant that has no limit of its own. */
  eventsPerSecond: number;
  /** How often each address may ask for one. */
  tokensPerSecond: number;
  /** Absent: nothing is traced. `share`: of the events, from 0 to 1. */
  traces?: TraceSettings & { share: number };
};

const service = 'ingest-api';
/** Events without a key need the log only; tokens need nothing but the catalog as it was read. */
const losses: Losses = {
  'public-listener': everything,
  kafka: 'events get 503',
  redis: 'events with an Idempotency-Key get 503',
  postgres: 'look-ups of codes and links get 503',
  codes: 'codes and links that are not read yet are not found',
  catalog: 'what operators change has no effect yet',
};
const topicsUsed: readonly Topic[] = [
  ...(['events', 'people', 'codes', 'catalog', 'deadLetters', 'refusals'] as const),
];
const tokenLifetimeSeconds = 18_000;

/**
 * Builds and starts the service. It stops in reverse: first the public listener finishes its
 * requests, last the connections close.
 */
export async function startIngestApi(
  settings: IngestSettings,
  options: {
    logger: Logger;
    onStop: OnStop;
    /** Replaced only by benchmarks, which measure other ways to append. */
    makeAppender?: typeof createAppender;
  },
): Promise<{ port: number; adminPort: number }> {
  const { logger, onStop, makeAppender = createAppender } = options;
  const life = createLife({ service, logger, onStop });
  const tracer = await openTracer(settings.traces, life);
  const places = createEventPlaces(settings.eventsAtOnce);
  const metrics = createIngestMetrics(life.registry, places.taken);
  const clock = systemClock;

  const pool = await connectDatabase(settings.postgres, { ...life, migrationsDir });

  const { kafka, appender, nameOf } = await connectLog(settings, {
    ...life,
    topicsUsed,
    makeAppender: (connection) =>
      makeAppender({ kafka: connection, logger, deadlineMs: settings.appendDeadlineMs }),
  });

  const store = await startIdempotency(
    { ...settings, eventsTopic: nameOf('events') },
    { ...life, kafka, clock },
  );
  // Its outbox holds dead letters only.
  await life.start('outbox', createRelay({ pool, appender, logger }));

  const refusals = createRefusalRecorder({
    ...{ appender, service, topic: nameOf('refusals'), clock },
    onLost: (requests) => metrics.refusalsLost(requests),
  });
  await life.start('refusals', refusals);
  const noteRefusals = createNoteRefusals(refusals);

  const catalogView = createCatalogView();
  const catalog = followCatalog({ kafka, nameOf }, catalogView, life);

  const codes = createProjection({
    kafka,
    logger,
    pool,
    name: settings.group,
    group: settings.group,
    sources: topicSources(['codes'], nameOf),
    apply: applyCodes,
    deadLetterTopic: nameOf('deadLetters'),
  });
  const codesCaughtUp = createCatchUp({
    kafka,
    pool,
    name: settings.group,
    projection: codes,
    topics: [nameOf('codes')],
  });
  await life.start('codes', {
    ...codes,
    health: async () =>
      (await codesCaughtUp())
        ? codes.health()
        : { ok: false, detail: 'reading the codes up to the end of their topic' },
  });

  const codesBarrier = createProjectionBarrier({
    kafka,
    logger,
    pool: () => pool,
    name: settings.group,
    topics: [nameOf('codes')],
  });
  life.add('codes-barrier', codesBarrier);
  /** A code is validated by its own records and by those of its campaign and tenant. */
  const becomeCurrent = () => Promise.all([catalog.becomeCurrent(), codesBarrier.becomeCurrent()]);

  const internal = life.add('admin-listener', createAdminListener(settings, { ...life, losses }));
  const publicListener = life.add(
    'public-listener',
    createListener(settings, { app: publicApp(), logger, ...loadOf(settings) }),
  );
  // It says what the start is waiting for.
  const adminPort = await internal.start();
  // Without the catalog nobody's token could be validated.
  await catalog.start();
  return { port: await publicListener.start(), adminPort };

  function publicApp() {
    const { isActive, accessKey, tenant, campaignInForce } = catalogView;
    const isSuspended = (tenantId: string) => tenant(tenantId)?.status === 'suspended';
    const tokens = { environment: settings.environment, clock };
    const verifyBearer = createCurrentVerifier({
      ...tokens,
      keys: settings.tokenVerifyKeys,
      isActive,
      becomeCurrent: () => catalog.becomeCurrent(),
    });
    return createPublicApp({
      eventRoute: createEventRoute({
        verifyBearer,
        admit: createCountedAdmission(),
        noteRefusals,
        places,
        onShed: createShedLog(metrics, logger),
        accept: createAccept(appender),
        onAcceptance,
      }),
      tokenRoute: createTokenRoute({
        issueToken: createIssueToken({
          digestOf: createKeyedDigest(settings.accessKeyDigestKey),
          equalInConstantTime,
          accessKey,
          isActive,
          becomeCurrent: () => catalog.becomeCurrent(),
          sign: createTokenSigner({
            ...tokens,
            key: settings.tokenSigningKey,
            lifetimeSeconds: tokenLifetimeSeconds,
          }),
        }),
      }),
      referralCodeRoute: createReferralCodeRoute({
        verifyBearer,
        isSuspended,
        noteRefusals,
        lookUpCode: createLookUpCode({
          findReferralCode: (code) => findReferralCode(pool, code),
          campaignInForce,
          becomeCurrent,
          clock,
        }),
      }),
      activeLinkRoute: createActiveLinkRoute({
        verifyBearer,
        isSuspended,
        noteRefusals,
        findActiveLink: createFindActiveLink({
          newestCodes: (owner) => newestCodes(pool, owner),
          tenant,
          campaignInForce,
          becomeCurrent,
          clock,
        }),
      }),
      ...createRequestLimits({ token: settings.tokensPerSecond }, life.registry),
      ...(tracer && { traceEvent: createTraceEvent(tracer, settings) }),
      observe: createRequestObserver<RouteName>(life.registry, logger),
      logger,
    });
  }

  function createCountedAdmission(): Admit {
    const admit = createAdmission({
      tenant: catalogView.tenant,
      eventsPerSecond: settings.eventsPerSecond,
      nowMs: () => performance.now(),
    });
    return (tenantId) => {
      const admission = admit(tenantId);
      metrics.admitted(admission);
      return admission;
    };
  }

  function createAccept(log: Appender) {
    return createAcceptEvent({
      appender: log,
      store,
      topics: { events: nameOf('events'), people: nameOf('people') },
      fingerprintOf: createKeyedDigest(settings.fingerprintKey),
      backdatingWindowDays: settings.backdatingWindowDays,
      ids: createIdSource(),
      clock,
    });
  }

  function onAcceptance(acceptance: Acceptance, res: ServerResponse): void {
    metrics.validated(acceptance);
    if (acceptance.outcome !== 'unavailable') return;
    const { because, detail } = acceptance;
    logger.warn('an event was refused for now', { requestId: requestIdOf(res), because, detail });
  }
}

/**
 * Slow bodies hold connections, of which the edge opens a limited number (decision 82). One address
 * alone does not get there by default: the edge lets it have fewer requests in progress.
 */
const loadOf = ({ eventsAtOnce }: IngestSettings) => ({
  acceptsPerTurn: 64,
  maxBodiesComing: Math.ceil(0.75 * eventsAtOnce),
});

function createTraceEvent(tracer: Tracer, { traces }: Pick<IngestSettings, 'traces'>) {
  const route = `${eventsPath}{eventType}`;
  return createTraceRequest({ tracer, share: traces?.share ?? 0, route });
}

/** One line per ten seconds: each of those who are refused would cost more than the refusal. */
function createShedLog(metrics: IngestMetrics, logger: Logger): (res: ServerResponse) => void {
  let loggedAt = -Infinity;
  return (res) => {
    metrics.shed();
    countOnly(res);
    if (performance.now() - loggedAt < 10_000) return;
    loggedAt = performance.now();
    logger.warn('events are refused: more come than can be accepted');
  };
}

export const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));
