import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a page of the host embeds; `nothing` is the baseline. */
export const variants = ['nothing', 'attribution', 'widget', 'both'] as const;
export type Variant = (typeof variants)[number];

export type HostPages = {
  origin: string;
  urlOf: (variant: Variant) => string;
  stop: () => Promise<void>;
};

/**
 * A customer's site of its own origin: the same text on every page, and the tags of the variant.
 */
export async function startHostPages(about: {
  assetsUrl: string;
  ucc: string;
  token: () => string;
}): Promise<HostPages> {
  const server = createServer((req, res) => {
    const variant = variants.find((name) => req.url?.startsWith(`/${name}`));
    if (variant === undefined) return void res.writeHead(404).end();
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    res.end(pageOf(variant, about));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    urlOf: (variant) => `${origin}/${variant}?ucc=${encodeURIComponent(about.ucc)}`,
    stop: () => closed(server),
  };
}

function pageOf(variant: Variant, about: { assetsUrl: string; token: () => string }): string {
  const { assetsUrl } = about;
  const attribution = variant === 'attribution' || variant === 'both';
  const widget = variant === 'widget' || variant === 'both';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
<link rel="icon" href="data:,">
${attribution ? `<script type="module" async src="${assetsUrl}/attribution/latest/tributary-attribution.js"></script>` : ''}
${widget ? `<script type="module" async crossOrigin="anonymous" src="${assetsUrl}/app/latest/tributary-widget.js"></script>` : ''}
${widget ? `<script>${bootScript(about.token())}</script>` : ''}
</head><body>${'<p>One paragraph of a page that people came for, and its second sentence.</p>'.repeat(40)}</body></html>`;
}

function bootScript(token: string): string {
  const details = { firstName: 'Ada', lastName: 'Lovelace', fullName: 'Ada Lovelace', email: '' };
  const config = JSON.stringify({ token, productUserDetails: details });
  return `window.Tributary = window.Tributary || { cmd: [] };
window.Tributary.cmd.push(async (widget) => { await widget.boot(${config}); window.booted = widget; });`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
