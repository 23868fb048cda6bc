import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { articleBody, type Page, referenceBody, renderPage, siteTitle } from './docs-page.ts';
import { createResource, digestOf, type DocsResource } from './docs-resource.ts';
import { landingBody } from './landing.ts';
import { renderMarkdown } from './markdown.ts';

/** Exact path → what is there. Nothing else can be reached, so no path can climb anywhere. */
export type Docs = ReadonlyMap<string, DocsResource>;

const texts = new URL('../../../../../docs/', import.meta.url);
const assets = new URL('../../../assets/', import.meta.url);
const redocBundle = new URL(import.meta.resolve('redoc/bundles/redoc.standalone.js'));

/**
 * The public documentation: pages made of the files in `docs/`, the two API descriptions, and what
 * the pages load. Read, rendered and compressed once, at start.
 */
export async function loadDocs(): Promise<Docs> {
  const docs = new Map<string, DocsResource>();

  /** Adds a file under an address that names its content. */
  async function addAsset(name: string, file: URL, contentType: string): Promise<string> {
    const content = await readFile(file);
    const path = `/docs/assets/${name.replace('*', digestOf(content))}`;
    docs.set(path, await createResource({ contentType, content, isHashed: true }));
    return path;
  }
  const redoc = await addAsset('redoc-*.js', redocBundle, 'text/javascript; charset=utf-8');
  const dress = {
    stylesheet: await addAsset(
      'docs-*.css',
      new URL('docs.css', assets),
      'text/css; charset=utf-8',
    ),
    icon: await addAsset('icon-*.svg', new URL('icon.svg', assets), 'image/svg+xml'),
  };

  /** With and without a slash at the end. */
  async function addPage(path: string, page: Page): Promise<void> {
    const resource = await createResource({
      contentType: 'text/html; charset=utf-8',
      content: renderPage(page, dress),
      policy: page.script === undefined ? readingPolicy : drawingPolicy,
    });
    docs.set(path, resource).set(`${path}/`, resource);
  }
  await addPage('/docs', { title: siteTitle, body: landingBody });
  for (const [name, title] of articles) {
    const text = await readFile(new URL(`${name}.md`, texts), 'utf8');
    await addPage(`/docs/${name}`, { title, body: articleBody(renderMarkdown(text)) });
  }
  for (const [name, title] of runbooks) {
    const text = await readFile(new URL(`runbooks/${name}.md`, texts), 'utf8');
    const path = name === 'README' ? '/docs/runbooks' : `/docs/runbooks/${name}`;
    await addPage(path, { title, body: articleBody(renderMarkdown(text, 'runbooks/')) });
  }
  for (const [path, title, description] of references) {
    await addPage(path, { title, body: referenceBody(description), script: redoc });
    const file = new URL(description.replace('/docs/', 'api/'), texts);
    const content = await readFile(file);
    docs.set(description, await createResource({ contentType: 'application/json', content }));
  }
  for (const name of receivers) {
    const content = await readFile(new URL(`receivers/${name}`, texts));
    const resource = await createResource({ contentType: 'text/plain; charset=utf-8', content });
    docs.set(`/docs/receivers/${name}`, resource);
  }
  for await (const path of glob('images/*.png', { cwd: fileURLToPath(texts) })) {
    const content = await readFile(new URL(path, texts));
    docs.set(`/docs/${path}`, await createResource({ contentType: 'image/png', content }));
  }
  return docs;
}

const articles = [
  ['integration', 'Integrating'],
  ['webhooks', 'Webhooks'],
  ['stripe', 'Stripe'],
  ['widget', 'Widget'],
  ['attribution-script', 'Attribution script'],
  ['browser-frameworks', 'Scripts in your pages'],
  ['campaigns', 'Campaigns'],
  ['replay', 'Replay'],
  ['dead-letters', 'Dead letters'],
  ['erasure', 'Erasing a person'],
  ['errors', 'Errors'],
  ['topics', 'Topics'],
  ['admin-api', 'Admin API'],
] as const;

/** What to do when something is wrong, for whoever is called. */
const runbooks = [
  ['README', 'Runbooks'],
  ['accounts', 'Accounts'],
  ['clocks', 'Clocks'],
  ['fold-fixed', 'A fold was fixed'],
  ['kafka-password', 'Passwords at Kafka'],
  ['keys', 'Keys'],
  ['move', 'Moving a deployment'],
  ['partition-stopped', 'A partition is stopped'],
  ['postgres-lost', 'Postgres is lost'],
  ['postgres-restored', 'Postgres was restored'],
  ['remove-tenant', 'Removing a tenant'],
  ['store-passwords', 'Passwords of the stores'],
  ['wrong-rule', 'A wrong rule'],
] as const;

/** The complete receivers of the page on webhooks, as they are. */
const receivers = ['express.mjs', 'node.mjs', 'receiver.py', 'receiver.go', 'receiver.php'];

const references = [
  ['/docs/api', 'API reference', '/docs/openapi.json'],
  ['/docs/admin-reference', 'Admin API reference', '/docs/admin-openapi.json'],
  ['/docs/events', 'Record reference', '/docs/asyncapi.json'],
] as const;

const nothingElse =
  "default-src 'none'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const readingPolicy = `${nothingElse}; style-src 'self'`;
/** Redoc writes its styles into the page and has a small font in its bundle. */
const drawingPolicy =
  `${nothingElse}; script-src 'self'; connect-src 'self'; ` +
  "style-src 'self' 'unsafe-inline'; font-src 'self' data:";
