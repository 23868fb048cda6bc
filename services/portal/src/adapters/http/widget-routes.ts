import type { Deployment } from '../../commands/deployment.ts';
import { changeWidgetSettings, showWidgetSettings } from '../../commands/widget-settings.ts';
import { noSuchTenant, type Route, tenantIdOf } from './route.ts';
import { readWidgetBody } from './widget-body.ts';

/** How the widget and the attribution script of a tenant show themselves. */
export function widgetRoutes(deployment: Deployment): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/widget',
      methods: {
        GET: async (request) => {
          const body = await showWidgetSettings(deployment, tenantIdOf(request));
          if (body === undefined) throw noSuchTenant();
          return { status: 200, body };
        },
        PUT: async (request) => {
          const wish = readWidgetBody(await request.json());
          const body = await changeWidgetSettings(deployment, tenantIdOf(request), wish);
          if (body === undefined) throw noSuchTenant();
          return { status: 200, body };
        },
      },
    },
  ];
}
