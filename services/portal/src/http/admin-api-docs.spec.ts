import type { ReadModel } from '@tributary/generations/start-read-model';
import { silentLogger } from '@tributary/event-log/testing';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Office } from '../accounts/commands/office.ts';
import type { DeadLetterLog } from '../console/commands/act-on-dead-letter.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import type { ProofFinder } from '../catalog/endpoint/find-proof.ts';
import type { OtherServices } from '../console/commands/try-event.ts';
import { operatorRoutes } from './admin-api.ts';
import type { ChangeStreams } from './change-streams.ts';
import type { HealthSources } from './health-routes.ts';
import { ownEventPath } from './own-event.ts';

describe('docs/admin-api.md', () => {
  it('names every path of the admin API with its methods, and no other', async () => {
    const text = await readFile(new URL('../../../../docs/admin-api.md', import.meta.url), 'utf8');
    const documented = [...text.matchAll(/^\| `([A-Z]+ \/api[^`]*)`/gm)].map(
      ([, request]) => request,
    );
    // Only handlers use what they are given; none is called here.
    const routes = operatorRoutes({
      deployment: { environment: 'sandbox' } as Deployment,
      proofs: {} as ProofFinder,
      office: {} as Office,
      services: {} as OtherServices,
      readModel: {} as ReadModel,
      deadLetters: {} as DeadLetterLog,
      insecureCookies: false,
      secondPerson: { byDeployment: false },
      changes: {} as ChangeStreams,
      logger: silentLogger,
      health: {} as HealthSources,
    });
    const served = routes.map(({ route: { method, path } }) => `${method} ${path}`);
    served.push(`GET ${ownEventPath.replace(':eventId', '{eventId}')}`);
    expect(documented).to.have.members(served);
    expect(served.length).to.be.above(30);
  });
});
