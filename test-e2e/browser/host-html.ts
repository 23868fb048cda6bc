/**
 * What customers write into their pages, letter by letter as interface 4.7 and the docs have it.
 */

export function attributionTag(assetsUrl: string): string {
  return `<script type="module" async src="${assetsUrl}/attribution/latest/tributary-attribution.js"></script>`;
}

export function widgetTag(assetsUrl: string): string {
  return `<script type="module" async crossOrigin="anonymous" src="${assetsUrl}/app/latest/tributary-widget.js"></script>`;
}

/** Buffers calls and gives promises (4.7 rule 5). */
export const attributionStub = `
window.TributaryAttribution = window.TributaryAttribution || function (method) {
  var a = [].slice.call(arguments, 1),
    q = (window.TributaryAttribution.q = window.TributaryAttribution.q || []);
  return new Promise(function (s, f) { q.push([method, a, s, f]); });
};`;

export type Boot = {
  token: string;
  productUserDetails?: Partial<Record<'firstName' | 'lastName' | 'fullName' | 'email', string>>;
  language?: string;
  direction?: 'ltr' | 'rtl';
  launcher?: 'floating' | 'none';
  theme?: unknown;
};

/**
 * Boots and keeps for the spec: `window.hostApi` the API, `window.hostBoot` how booting ended.
 */
export function bootScript(boot: Boot): string {
  const configuration = JSON.stringify({ productUserDetails: {}, ...boot });
  return `
window.Tributary = window.Tributary || { cmd: [] };
window.hostBoot = new Promise((resolve) => {
  window.Tributary.cmd.push(async (widget) => {
    window.hostApi = widget;
    try {
      await widget.boot(${configuration});
      resolve('booted');
    } catch (error) {
      resolve({ name: error.name, code: error.code, message: error.message });
    }
  });
});`;
}

/** A whole page; its own inline scripts carry the nonce `host`, which only a policy looks at. */
export function html(parts: { head?: string; scripts?: string[]; body?: string }): string {
  const { head = '', scripts = [], body = '<h1>A page of a customer</h1>' } = parts;
  const inline = scripts.map((script) => `<script nonce="host">${script}</script>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Host page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${inline}
${head}</head>
<body><main>${body}</main></body>
</html>`;
}

/**
 * The strictest policy that the docs promise the scripts work under, with the nonce of the page's
 * own inline scripts.
 */
export function strictPolicy(assetsUrl: string): string {
  return [
    `default-src 'none'`,
    `script-src ${assetsUrl} 'nonce-host'`,
    `connect-src ${assetsUrl}`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');
}
