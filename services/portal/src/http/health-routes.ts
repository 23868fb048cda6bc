import { healthRoutes as declared, showStages } from '@tributary/contracts/admin/health';
import type { Broker } from '@tributary/event-log/list-brokers';
import { within } from '@tributary/event-log/within';
import { runChecks } from '@tributary/http/admin-listener';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import { checksOf, readReadiness } from '@tributary/http/read-readiness';
import type { Checks } from '@tributary/runtime/component';
import about from '../../package.json' with { type: 'json' };
import type { Deployment } from '../catalog/commands/deployment.ts';
import { readServerVersion } from '../catalog/db/server-version.ts';
import { serve, type ServedRoute } from './route.ts';

export type HealthSources = {
  own: { service: string; checks: () => Checks };
  others: readonly { service: string; baseUrl: string }[];
  listBrokers: () => Promise<Broker[]>;
};

/** Nothing that is down may keep anybody from seeing that it is. */
const answerWithinMs = 4_000;

/** How the deployment is: everybody is asked at once, and whoever is silent is shown as that. */
export function healthRoutes(
  { pool }: Pick<Deployment, 'pool'>,
  replay: InternalClient,
  { own, others, listBrokers }: HealthSources,
): ServedRoute[] {
  const ownHealth = async () => {
    const checks = checksOf(await runChecks(own.checks()));
    const ok = checks.every((check) => check.ok);
    return [{ service: own.service, answers: true, ok, checks }];
  };
  const healthOf = async ({ service, baseUrl }: HealthSources['others'][number]) =>
    (await readReadiness(baseUrl)).map((readiness) => ({ service, ...readiness }));
  const askStages = async (requestId: string | undefined) => {
    const asked = await askService(replay, showStages, { params: {}, requestId });
    return asked.outcome === 'answered' ? asked.body : null;
  };

  return [
    serve(declared.showHealth)(async ({ requestId }) => {
      const [services, live, brokers, postgres] = await Promise.all([
        Promise.all([ownHealth(), ...others.map(healthOf)]),
        inTime(askStages(requestId)),
        inTime(listBrokers()),
        inTime(readServerVersion(pool)),
      ]);
      const versions = { tributary: about.version, node: process.version, postgres };
      return { status: 200, body: { services: services.flat(), live, brokers, versions } };
    }),
  ];
}

function inTime<T>(answer: Promise<T>): Promise<T | null> {
  return within(answerWithinMs, answer).catch(() => null);
}
