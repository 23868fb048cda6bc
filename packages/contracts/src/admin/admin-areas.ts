import { accountRoutes } from './accounts.ts';
import { approvalRoutes } from './approvals.ts';
import type { AdminRoute, ServiceRoute } from './admin-route.ts';
import { auditRoutes } from './audit.ts';
import { browserScriptRoutes } from './browser-scripts.ts';
import { campaignRoutes, dryRunRoutes } from './campaigns.ts';
import { changeRoutes } from './changes.ts';
import { codeRoutes } from './codes.ts';
import { countRoutes } from './counts.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { deliveryRoutes } from './deliveries.ts';
import { healthRoutes, showStages } from './health.ts';
import { historyRoutes } from './history.ts';
import { keyRoutes } from './keys.ts';
import { passkeyRoutes } from './passkeys.ts';
import { peopleRoutes } from './people.ts';
import { processorItemRoutes, searchItems } from './processor-items.ts';
import { processorRoutes, processorServiceRoutes } from './processor.ts';
import { readModelRoutes } from './read-model.ts';
import { replayRoutes, startJob } from './replays.ts';
import { requestRoutes } from './requests.ts';
import { rewardActionRoutes } from './reward-actions.ts';
import { tenantRoutes } from './tenants.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

/**
 * Every route of the admin API, by the chapter of the documentation and the name of the operation.
 */
export const adminAreas = {
  'Signing in': { ...accountRoutes, ...passkeyRoutes },
  'People and tokens': peopleRoutes,
  'A second person': approvalRoutes,
  'Audit list': auditRoutes,
  'Setting up': { ...tenantRoutes, ...codeRoutes, ...campaignRoutes },
  'Browser scripts': browserScriptRoutes,
  'Operator actions on rewards': rewardActionRoutes,
  Webhooks: { ...webhookRoutes, ...deliveryRoutes },
  'Payment processor': { ...processorRoutes, ...processorItemRoutes },
  'Dead letters': deadLetterRoutes,
  Keys: keyRoutes,
  Replays: replayRoutes,
  // Words in front of any text: express takes the first path that fits.
  Looking: { ...countRoutes, ...userRoutes, ...readModelRoutes },
  'History and ledger': historyRoutes,
  'Live changes': changeRoutes,
  'Refused requests': requestRoutes,
  Health: healthRoutes,
} satisfies Record<string, Record<string, AdminRoute>>;

export const adminRoutes: readonly AdminRoute[] = Object.values(adminAreas).flatMap((area) =>
  Object.values<AdminRoute>(area),
);

const names = Object.values(adminAreas).flatMap((area) =>
  Object.entries<AdminRoute>(area).map(([name, route]) => [route, name] as const),
);

/** The operation's name of each route: `operationId` of the OpenAPI document. */
export const routeNames: ReadonlyMap<AdminRoute, string> = new Map(names);

/** Every route that the portal asks of another service. */
export const serviceRoutes: readonly ServiceRoute[] = [
  ...adminRoutes.flatMap(({ asks }) => asks ?? []),
  ...Object.values<ServiceRoute>(dryRunRoutes),
  ...Object.values<ServiceRoute>(processorServiceRoutes),
  searchItems,
  startJob,
  showStages,
];
