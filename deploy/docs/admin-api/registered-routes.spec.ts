import { adminRoutes, serviceRoutes } from '@tributary/contracts/admin/admin-areas';
import type { ServiceRoute } from '@tributary/contracts/admin/admin-route';
import { readModelRoutes } from '@tributary/contracts/admin/read-model';
import { expressPath } from '@tributary/contracts/admin/route-path';
import type { InternalRoute } from '@tributary/http/internal-router';
import { expect } from 'chai';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles, readLiterals } from '../../../lint/source-texts.ts';
import { tryRoute as tryAttribution } from '../../../services/attribution/src/http/try-event.ts';
import { operatorRoutes } from '../../../services/portal/src/http/admin-api.ts';
import { createInternalRoutes as processorRoutes } from '../../../services/processor-events/src/http/internal-routes.ts';
import { createGenerationRoutes } from '../../../services/replay/src/http/generation-routes.ts';
import { createJobRoutes } from '../../../services/replay/src/http/job-routes.ts';
import { createPreviewRoutes } from '../../../services/replay/src/http/preview-routes.ts';
import { createStageRoutes } from '../../../services/replay/src/http/stage-routes.ts';
import { actionRoutes } from '../../../services/rewards/src/http/action-routes.ts';
import { tryRoute as tryRewards } from '../../../services/rewards/src/http/try-decisions.ts';
import { createInternalRoutes as dispatcherRoutes } from '../../../services/webhook-dispatcher/src/http/internal-routes.ts';

/** Only what answers a request uses what it is given; nothing is asked here. */
function unused<T>(): T {
  return {} as T;
}

describe('the routes of the admin API that are registered', () => {
  it('are those that are declared, and no other, in the portal', () => {
    const served = operatorRoutes({
      deployment: { environment: 'sandbox' } as Parameters<typeof operatorRoutes>[0]['deployment'],
      proofs: unused(),
      office: unused(),
      services: unused(),
      readModel: unused(),
      deadLetters: unused(),
      insecureCookies: false,
      secondPerson: { byDeployment: false },
      changes: unused(),
      logger: unused(),
      health: unused(),
    }).map(({ route }) => route);
    // It takes the token of a customer too, so it is served in front of the others: own-event.ts.
    expect([...served, readModelRoutes.showEvent]).to.have.members([...adminRoutes]);
  });

  const registered: Record<ServiceRoute['service'], InternalRoute[]> = {
    attribution: [tryAttribution(unused())],
    rewards: [...actionRoutes(unused()), tryRewards(unused())],
    'webhook-dispatcher': dispatcherRoutes(unused()),
    'processor-events': processorRoutes(unused()),
    replay: [
      ...createJobRoutes(unused()),
      ...createPreviewRoutes(unused()),
      ...createGenerationRoutes(unused()),
      ...createStageRoutes(unused()),
    ],
  };
  for (const [service, routes] of Object.entries(registered)) {
    it(`are those that are declared of ${service}, and no other`, () => {
      const declared = serviceRoutes.filter((route) => route.service === service);
      expect(routes.map(({ method, path }) => `${method} ${path}`)).to.have.members(
        declared.map(({ method, path }) => `${method} ${expressPath(path)}`),
      );
    });
  }

  it('are asked for by their declarations only: nobody else writes a path of them', async () => {
    const spelled = await spelledPaths();
    expect(spelled).to.deep.equal([]);
  });
});

/** Paths of the admin API in the sources of the portal and the command line, specs aside. */
async function spelledPaths(): Promise<string[]> {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const files = await listFiles(root, ['services/portal/src/**/*.ts', 'packages/cli/src/**/*.ts']);
  const sources = files.filter((file) => !/\.spec\.ts$|\/testing\//.test(file));
  expect(sources.length).to.be.above(100);
  const found = await Promise.all(
    sources.map(async (file) => {
      const texts = await readLiterals(join(root, file));
      return texts.filter((text) => /^\/api\/./.test(text)).map((text) => `${file}: ${text}`);
    }),
  );
  return found.flat();
}
