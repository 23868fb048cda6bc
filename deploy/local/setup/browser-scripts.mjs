import { join } from 'node:path';
import { checkout } from './places.mjs';
import { runLogged } from './step.mjs';

/**
 * Makes what the widget and the portal serve to browsers; takes half a second when nothing changed.
 */
export async function buildBrowserScripts(node, env) {
  for (const service of ['widget', 'portal']) {
    const script = join(checkout, 'services', service, 'build-assets.ts');
    await runLogged(`browser-scripts-of-${service}`, node, [script], { cwd: checkout, env });
  }
}
