import { countRoutes as declared } from '@tributary/contracts/admin/counts';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { isMidnight } from '../console/db/queries/classes.ts';
import { countEvents } from '../console/db/queries/count-events.ts';
import { countIssuances } from '../console/db/queries/count-issuances.ts';
import { countRewards } from '../console/db/queries/count-rewards.ts';
import { readSeries } from '../console/db/queries/series.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/** How many there are of what the lists show, and day by day. */
export function countRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.countEvents)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const counts = await countEvents(readModel.pool, tenantId, asked.query);
      return { status: 200, body: { ...counts, asOf: asOf(readModel) } };
    }),
    serve(declared.countRewards)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const counts = await countRewards(readModel.pool, tenantId, asked.query);
      return { status: 200, body: { ...counts, asOf: asOf(readModel) } };
    }),
    serve(declared.countIssuances)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const counts = await countIssuances(readModel.pool, tenantId, asked.query);
      return { status: 200, body: { ...counts, asOf: asOf(readModel) } };
    }),
    serve(declared.readSeries)(async (asked) => {
      const { of, from, to, campaign } = asked.query;
      if (of === undefined) throw wrong('of', 'REQUIRED', 'must be what is counted');
      const period = { from: dayOf('from', from), to: dayOf('to', to), campaign };
      const days = (Date.parse(period.to) - Date.parse(period.from)) / 86_400_000;
      if (days < 1 || days > maxDays) {
        throw wrong('to', 'OUT_OF_RANGE', `must be 1 to ${maxDays} days after from`);
      }
      const tenantId = await existingTenant(deployment, asked);
      const series = await readSeries(readModel.pool, tenantId, of, period);
      return { status: 200, body: { of, days: series, asOf: asOf(readModel) } };
    }),
  ];
}

const maxDays = 1_000;

function dayOf(name: string, time: string | undefined): string {
  if (time === undefined) throw wrong(name, 'REQUIRED', 'must be the midnight of a UTC day');
  if (!isMidnight(time)) throw wrong(name, 'INVALID_FORMAT', 'must be the midnight of a UTC day');
  return time;
}

function wrong(
  name: string,
  code: 'REQUIRED' | 'INVALID_FORMAT' | 'OUT_OF_RANGE',
  detail: string,
): Refusal {
  return new Refusal('VALIDATION_ERROR', { errors: [{ pointer: `/${name}`, code, detail }] });
}
