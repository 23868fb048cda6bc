/** The HTML of one page. Everything in it is ours: no script but redoc's, no other origin. */
export type Page = { title: string; body: string; script?: string };

/**
 * Addresses of what pages are dressed with; they name their content, so they may be kept for ever.
 */
export type Dress = { stylesheet: string; icon: string };

export function renderPage({ title, body, script }: Page, { stylesheet, icon }: Dress): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === siteTitle ? siteTitle : `${title} · ${siteTitle}`}</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${stylesheet}">
${script === undefined ? '' : `<script type="module" src="${script}"></script>\n`}</head>
<body>
<header class="site">
<a class="brand" href="/docs">Tributary</a>
<nav>${navigation.map(([path, name]) => `<a href="${path}">${name}</a>`).join('\n')}</nav>
</header>
${body}
</body>
</html>
`;
}

export const siteTitle = 'Tributary documentation';

const navigation = [
  ['/docs/integration', 'Guide'],
  ['/docs/webhooks', 'Webhooks'],
  ['/docs/widget', 'Widget'],
  ['/docs/api', 'API'],
  ['/docs/errors', 'Errors'],
  ['/docs/topics', 'Topics'],
  ['/docs/admin-api', 'Admin API'],
  ['/docs/events', 'Records'],
] as const;

/** A text that is read from top to bottom. */
export function articleBody(html: string): string {
  return `<main class="article">\n${html}</main>`;
}

/**
 * A reference that redoc draws from a description; without scripts the description is the answer.
 */
export function referenceBody(description: string): string {
  return (
    `<redoc spec-url="${description}" disable-telemetry="true" max-displayed-enum-values="12" hide-schema-pattern="true" json-samples-depth="all" json-samples-expand-level="all"></redoc>\n` +
    `<noscript><p class="article">This reference is drawn by a script. Without one, read ` +
    `<a href="${description}">${description}</a>.</p></noscript>`
  );
}
