import { panelProtocol, type PanelModule } from './panel-contract.ts';

/**
 * The panel, loaded when it is first needed. An entry that the browser kept over a deployment asks
 * for a file that is gone: then, and when what came speaks another protocol, the panel of today is
 * asked for by its fixed name. A browser may remember that an address failed, so each later attempt
 * has an address of its own. Undefined: it cannot be had now.
 */
export function createPanelLoader(entryUrl: string): () => Promise<PanelModule | undefined> {
  let loaded: PanelModule | undefined;
  let attempts = 0;
  return async () => {
    if (loaded) return loaded;
    attempts += 1;
    const query = attempts === 1 ? '' : `?attempt=${attempts}`;
    const fixedName = new globalThis.URL(`panel.js${query}`, entryUrl).href;
    loaded =
      (await take(() => import('./panel/panel.tsx'))) ??
      (await take(() => import(/* @vite-ignore */ fixedName) as Promise<PanelModule>));
    return loaded;
  };
}

async function take(load: () => Promise<PanelModule>): Promise<PanelModule | undefined> {
  try {
    const panel = await load();
    return panel.panelProtocol === panelProtocol ? panel : undefined;
  } catch {
    return undefined;
  }
}
