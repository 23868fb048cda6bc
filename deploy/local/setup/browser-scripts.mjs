import { join } from 'node:path';
import { checkout } from './places.mjs';
import { runLogged } from './step.mjs';

/**
 * Makes what the widget and the portal serve to browsers, and the clients that customers get from
 * the portal; takes half a second when nothing changed.
 */
export async function buildBrowserScripts(node, env) {
  for (const [name, file] of Object.entries(builds)) {
    await runLogged(name, node, [join(checkout, file)], { cwd: checkout, env });
  }
}

const builds = {
  'browser-scripts-of-widget': 'services/widget/build-assets.ts',
  'browser-scripts-of-portal': 'services/portal/build-assets.ts',
  clients: 'deploy/clients/pack-clients.ts',
};
