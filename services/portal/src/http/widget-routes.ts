import { browserScriptRoutes as declared } from '@tributary/contracts/admin/browser-scripts';
import { checkWidgetToken } from '../catalog/commands/check-widget-token.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { changeWidgetSettings, showWidgetSettings } from '../catalog/commands/widget-settings.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

/** How the widget and the attribution script of a tenant show themselves. */
export function widgetRoutes(deployment: Deployment): ServedRoute[] {
  return [
    serve(declared.showWidgetSettings)(async (asked) => {
      const body = await showWidgetSettings(deployment, tenantIdOf(asked));
      if (body === undefined) throw noSuchTenant();
      return { status: 200, body };
    }),
    serve(declared.changeWidgetSettings)(async (asked) => {
      const body = await changeWidgetSettings(deployment, tenantIdOf(asked), asked.body);
      if (body === undefined) throw noSuchTenant();
      return { status: 200, body };
    }),
    serve(declared.checkWidgetToken)(async (asked) => {
      const body = await checkWidgetToken(deployment, tenantIdOf(asked), asked.body.token);
      if (body === undefined) throw noSuchTenant();
      return { status: 200, body };
    }),
  ];
}
