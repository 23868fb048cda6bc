import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createResource, type DocsResource } from '../../console/docs/docs-resource.ts';

/**
 * What the pages consist of: files that are kept for ever, and a document made for each request.
 */
export type Pages = {
  /** By the path that each is served at. */
  assets: ReadonlyMap<string, DocsResource>;
  /** The document of every page, whose styles carry this nonce. */
  document: (nonce: string) => string;
  /** The document in the frame that shows the real widget with settings not saved yet. */
  widgetPreview: string;
};

const dist = new URL('../../../dist/', import.meta.url).pathname;

/**
 * Reads what build-assets.ts made, and compresses it once. Undefined when nothing was built: the
 * admin API is served all the same.
 */
export async function loadPages(dir = dist): Promise<Pages | undefined> {
  const manifest = await readManifest(dir);
  if (manifest === undefined) return undefined;
  const assets = new Map<string, DocsResource>();
  const files = Object.values(manifest).flatMap(({ file, css = [], assets: more = [] }) => [
    ...[file, ...css, ...more],
  ]);
  for (const file of new Set(files)) {
    const contentType = contentTypes[extname(file)];
    if (contentType === undefined)
      throw new Error(`the pages have a file of no known kind: ${file}`);
    const content = await readFile(join(dir, file));
    assets.set(`/portal/${file}`, await createResource({ contentType, content, isHashed: true }));
  }
  const icon = await readFile(new URL('../../../assets/icon.svg', import.meta.url));
  const iconType = { contentType: 'image/svg+xml', content: icon };
  assets.set('/portal/icon.svg', await createResource(iconType));
  return { assets, document: documentOf(manifest), widgetPreview: widgetPreviewOf(manifest) };
}

type Manifest = Record<string, Chunk>;
type Chunk = { file: string; css?: string[]; assets?: string[]; imports?: string[] };

async function readManifest(dir: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8')) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

function documentOf(manifest: Manifest): Pages['document'] {
  const main = chunkOf(manifest, 'src/main.tsx');
  const scheme = chunkOf(manifest, 'src/scheme.ts');
  const styles = (main.css ?? []).map((file) => `<link rel="stylesheet" href="/portal/${file}">`);
  const preloads = (main.imports ?? []).map((name) => {
    return `<link rel="modulepreload" href="/portal/${chunkOf(manifest, name).file}">`;
  });
  const [before, after] = `<!doctype html>
<html lang="en" data-mantine-color-scheme="light">
<head>
<meta charset="utf-8">
<title>Tributary</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta property="csp-nonce" nonce="NONCE">
<link rel="icon" href="/portal/icon.svg" type="image/svg+xml">
<script src="/portal/${scheme.file}"></script>
${[...styles, ...preloads].join('\n')}
<script type="module" src="/portal/${main.file}"></script>
</head>
<body>
<div id="root"></div>
<noscript>These pages need JavaScript.</noscript>
</body>
</html>
`.split('NONCE') as [string, string];
  return (nonce) => `${before}${nonce}${after}`;
}

/** The widget's script is served by the same edge; the portal's own comes first, and prepares. */
function widgetPreviewOf(manifest: Manifest): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Preview of the widget</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script src="/portal/${chunkOf(manifest, 'src/widget-preview.ts').file}"></script>
<script type="module" crossorigin="anonymous" src="/app/latest/tributary-widget.js"></script>
</head>
<body></body>
</html>
`;
}

function chunkOf(manifest: Manifest, name: string): Chunk {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`the pages were built without ${name}`);
  return chunk;
}
