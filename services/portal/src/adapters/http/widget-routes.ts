import { checkWidgetToken } from '../../commands/check-widget-token.ts';
import type { Deployment } from '../../commands/deployment.ts';
import { changeWidgetSettings, showWidgetSettings } from '../../commands/widget-settings.ts';
import { readTokenBody } from './bodies.ts';
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

/** Changes nothing, so that its answer waits for no log. */
export function tokenCheckRoutes(deployment: Deployment): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/widget/check-token',
      methods: {
        POST: async (request) => {
          const { token } = readTokenBody(await request.json());
          const body = await checkWidgetToken(deployment, tenantIdOf(request), token);
          if (body === undefined) throw noSuchTenant();
          return { status: 200, body };
        },
      },
    },
  ];
}
