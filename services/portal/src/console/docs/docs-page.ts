import { tableOfContents } from './table-of-contents.ts';

/** The HTML of one page. Everything in it is ours; scripts and styles are files of this origin. */
export type Page = {
  title: string;
  body: string;
  /** What draws the page, beside the script that all pages have. */
  script?: string;
};

/**
 * Addresses of what pages are dressed with; they name their content, so they may be kept for ever.
 */
export type Dress = {
  stylesheet: string;
  icon: string;
  script: string;
  searchIndex: string;
  /** Where the script asks for the ids that samples show; absent: they show placeholders. */
  exampleIds?: string;
};

export function renderPage({ title, body, script }: Page, dress: Dress): string {
  const scripts = [dress.script, ...(script === undefined ? [] : [script])];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === siteTitle ? siteTitle : `${title} · ${siteTitle}`}</title>
<link rel="icon" type="image/svg+xml" href="${dress.icon}">
<link rel="stylesheet" href="${dress.stylesheet}">
${scripts.map((src) => `<script type="module" src="${src}"></script>`).join('\n')}
</head>
<body${dress.exampleIds === undefined ? '' : ` data-example-ids="${dress.exampleIds}"`}>
<header class="site">
<a class="brand" href="/docs">Tributary</a>
<nav>${navigation.map(([path, name]) => `<a href="${path}">${name}</a>`).join('\n')}</nav>
${searchForm(dress.searchIndex)}
</header>
${body}
</body>
</html>
`;
}

/** Shown by the script, without which it would do nothing. */
function searchForm(index: string): string {
  return `<form role="search" data-index="${index}" hidden>
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
<div class="found" hidden><p role="status"></p><ol></ol></div>
</form>`;
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
  const contents = tableOfContents(html);
  if (contents === '') return `<main class="article">\n${html}</main>`;
  return `<div class="beside">\n${contents}<main class="article">\n${html}</main>\n</div>`;
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
