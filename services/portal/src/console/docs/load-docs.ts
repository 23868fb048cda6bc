import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { articleBody, type Page, referenceBody, renderPage, siteTitle } from './docs-page.ts';
import { createResource, digestOf, type DocsResource } from './docs-resource.ts';
import { landingBody } from './landing.ts';
import { renderMarkdown } from './markdown.ts';
import { indexOfOperations, indexOfPage } from './search-index.ts';

/** Exact path → what is there. Nothing else can be reached, so no path can climb anywhere. */
export type Docs = ReadonlyMap<string, DocsResource>;

const texts = new URL('../../../../../docs/', import.meta.url);
/** What customers install, made by deploy/clients. */
const clients = new URL('../../../../../clients/dist/', import.meta.url);
const assets = new URL('../../../assets/', import.meta.url);
const redocBundle = new URL(import.meta.resolve('redoc/bundles/redoc.standalone.js'));

/**
 * The public documentation: pages made of the files in `docs/`, the two API descriptions, and what
 * the pages load. Read, rendered and compressed once, at start.
 */
export async function loadDocs(options: { exampleIds?: string } = {}): Promise<Docs> {
  const docs = new Map<string, DocsResource>();

  /** Adds content under an address that names it. */
  async function addAsset(name: string, content: string | Buffer, contentType: string) {
    const path = `/docs/assets/${name.replace('*', digestOf(Buffer.from(content)))}`;
    docs.set(path, await createResource({ contentType, content, isHashed: true }));
    return path;
  }
  async function addFile(path: string, file: string, contentType: string): Promise<Buffer> {
    const content = await readFile(new URL(file, texts));
    docs.set(path, await createResource({ contentType, content }));
    return content;
  }
  const script = (name: string, content: Buffer) =>
    addAsset(name, content, 'text/javascript; charset=utf-8');

  const pages = await readArticles();
  const index = pages.flatMap(({ path, title, html }) => indexOfPage(path, title, html));
  const redoc = await script('redoc-*.js', await readFile(redocBundle));
  const drawn: [string, Page][] = [];
  for (const [path, title, description] of references) {
    const json = (
      await addFile(description, description.replace('/docs/', 'api/'), jsonType)
    ).toString();
    drawn.push([path, { title, body: referenceBody(description), script: redoc }]);
    if (path === '/docs/api') index.push(...indexOfOperations(path, title, json));
  }
  const [css, icon, own] = await Promise.all(
    ['docs.css', 'icon.svg', 'docs.js'].map((name) => readFile(new URL(name, assets))),
  );
  const dress = {
    stylesheet: await addAsset('docs-*.css', css!, 'text/css; charset=utf-8'),
    icon: await addAsset('icon-*.svg', icon!, 'image/svg+xml'),
    script: await script('docs-*.js', own!),
    searchIndex: await addAsset('search-*.json', JSON.stringify(index), jsonType),
    ...options,
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
  for (const { path, title, html } of pages) {
    await addPage(path, { title, body: articleBody(html) });
  }
  for (const [path, page] of drawn) await addPage(path, page);
  for (const name of receivers) {
    await addFile(`/docs/receivers/${name}`, `receivers/${name}`, 'text/plain; charset=utf-8');
  }
  for await (const path of glob('images/*.png', { cwd: fileURLToPath(texts) })) {
    await addFile(`/docs/${path}`, path, 'image/png');
  }
  for await (const name of glob('*gz', { cwd: fileURLToPath(clients) })) {
    const content = await readFile(new URL(name, clients));
    const contentType = 'application/gzip';
    docs.set(`/docs/clients/${name}`, await createResource({ contentType, content }));
  }
  return docs;
}

type Article = { path: string; title: string; html: string };

/** Every page that is made of a Markdown file. */
async function readArticles(): Promise<Article[]> {
  const read = async (path: string, title: string, file: string, folder: '' | 'runbooks/') => ({
    path,
    title,
    html: renderMarkdown(await readFile(new URL(file, texts), 'utf8'), folder),
  });
  return Promise.all([
    ...articles.map(([name, title]) => read(`/docs/${name}`, title, `${name}.md`, '')),
    ...runbooks.map(([name, title]) => {
      const path = name === 'README' ? '/docs/runbooks' : `/docs/runbooks/${name}`;
      return read(path, title, `runbooks/${name}.md`, 'runbooks/');
    }),
  ]);
}

const jsonType = 'application/json; charset=utf-8';

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
  ['metrics', 'Metrics'],
  ['traces', 'Traces'],
  ['topics', 'Topics'],
  ['admin-api', 'Admin API'],
] as const;

/** What to do when something is wrong, for whoever is called. */
const runbooks = [
  ['README', 'Runbooks'],
  ['accounts', 'Accounts'],
  ['backup', 'Backups'],
  ['certificates', 'Certificates'],
  ['clocks', 'Clocks'],
  ['dependency-down', 'A server is away'],
  ['endpoint-failing', 'A customer’s endpoint fails'],
  ['fold-fixed', 'A fold was fixed'],
  ['kafka-disk', 'A disk fills up'],
  ['kafka-password', 'Passwords at Kafka'],
  ['keys', 'Keys'],
  ['lag', 'A service is behind'],
  ['ledger', 'The ledger is not balanced'],
  ['move', 'Moving a deployment'],
  ['overload', 'More events than can be accepted'],
  ['partition-stopped', 'A partition is stopped'],
  ['partitions', 'Partitions'],
  ['postgres-failover', 'The Postgres primary dies'],
  ['postgres-lost', 'Postgres is lost'],
  ['postgres-restored', 'Postgres was restored'],
  ['redis', 'Redis'],
  ['remove-tenant', 'Removing a tenant'],
  ['scale', 'Scaling'],
  ['store-passwords', 'Passwords of the stores'],
  ['upgrade', 'Upgrading'],
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
const ownScript = "script-src 'self'; connect-src 'self'";
const readingPolicy = `${nothingElse}; ${ownScript}; style-src 'self'`;
/** Redoc writes its styles into the page and has a small font in its bundle. */
const drawingPolicy =
  `${nothingElse}; ${ownScript}; ` + "style-src 'self' 'unsafe-inline'; font-src 'self' data:";
