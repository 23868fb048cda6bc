import { routeNames } from '@tributary/contracts/admin/admin-areas';
import type { AdminRoute, AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { browserScriptRoutes } from '@tributary/contracts/admin/browser-scripts';
import { campaignRoutes } from '@tributary/contracts/admin/campaigns';
import { peopleRoutes } from '@tributary/contracts/admin/people';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import { webhookRoutes } from '@tributary/contracts/admin/webhooks';

/** What shows a thing before and after a change, and which part of that is kept. */
export type Look = { route: AdminRoute; pick: (body: never) => unknown };

/** The look that belongs to a change, where there is one that asks no other service. */
export function lookOf(route: AdminRoute): Look | undefined {
  return looks.get(route);
}

function look<R extends AdminRoute>(route: R, pick: (body: AnswerBodyOf<R>) => unknown): Look {
  return { route, pick };
}

const { showTenant } = tenantRoutes;
const webhook = look(showTenant, (tenant) => tenant.webhook);
const accessKeys = look(showTenant, ({ accessKeys: keys }) => keys);
const domains = look(browserScriptRoutes.listDomains, ({ domains: all }) =>
  all.map(({ domain }) => domain),
);
const people = look(peopleRoutes.listPeople, ({ people: all }) =>
  all.map(({ accountId, role }) => ({ accountId, role })),
);
const tokens = look(peopleRoutes.listTokens, tokensOf);
const deploymentTokens = look(peopleRoutes.listDeploymentTokens, tokensOf);
const operators = look(peopleRoutes.listOperators, ({ operators: all }) =>
  all.map(({ accountId }) => accountId),
);

const looks: ReadonlyMap<AdminRoute, Look> = new Map<AdminRoute, Look>([
  [tenantRoutes.setAttributionMode, look(showTenant, (tenant) => tenant.attributionMode)],
  [tenantRoutes.setLegacyRepeatHours, look(showTenant, (tenant) => tenant.legacyRepeatHours)],
  [tenantRoutes.setDefaultCampaign, look(showTenant, (tenant) => tenant.defaultCampaignId)],
  [tenantRoutes.issueAccessKey, accessKeys],
  [tenantRoutes.revokeAccessKey, accessKeys],
  [
    campaignRoutes.putCampaign,
    look(campaignRoutes.showCampaign, ({ revisions, revisionInForce }) => ({
      revisions: revisions.length,
      revisionInForce,
    })),
  ],
  [
    browserScriptRoutes.changeWidgetSettings,
    look(browserScriptRoutes.showWidgetSettings, (settings) => settings),
  ],
  [browserScriptRoutes.registerDomain, domains],
  [browserScriptRoutes.removeDomain, domains],
  [webhookRoutes.setWebhook, webhook],
  [webhookRoutes.pauseWebhook, webhook],
  [webhookRoutes.resumeWebhook, webhook],
  [webhookRoutes.disableWebhook, webhook],
  [webhookRoutes.rotateWebhook, webhook],
  [peopleRoutes.changeRole, people],
  [peopleRoutes.removePerson, people],
  [peopleRoutes.createToken, tokens],
  [peopleRoutes.revokeToken, tokens],
  [peopleRoutes.createDeploymentToken, deploymentTokens],
  [peopleRoutes.revokeDeploymentToken, deploymentTokens],
  [peopleRoutes.removeOperator, operators],
]);

function tokensOf({ tokens: all }: AnswerBodyOf<(typeof peopleRoutes)['listTokens']>) {
  return all.map(({ tokenId, role, revokedAt }) => ({ tokenId, role, revokedAt }));
}

export function actionOf(route: AdminRoute): string {
  const name = routeNames.get(route);
  if (name === undefined) throw new Error(`${route.path} is not declared in an area`);
  return name;
}
