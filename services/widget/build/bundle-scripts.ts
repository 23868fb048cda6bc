import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';
import { licenseNotices } from './license-notices.ts';
import type { Assets } from './written-assets.ts';

/**
 * The attribution script, the widget's entry and the panel are three builds. The panel imports
 * nothing from the entry: a browser may have an entry of an older release than the panel, and a
 * panel that imported "its" entry would run the entry a second time. What both use is in both, and
 * small.
 */
export async function bundleScripts(browserDir: string): Promise<Assets> {
  return new Map([...(await bundleAttribution(browserDir)), ...(await bundleWidget(browserDir))]);
}

export async function bundleAttribution(browserDir: string): Promise<Assets> {
  const chunks = await bundle({
    entry: join(browserDir, 'attribution/main.ts'),
    name: 'tributary-attribution',
    mayHold: [`${browserDir}/attribution/`, `${browserDir}/shared/`],
  });
  return placed('attribution/latest', chunks);
}

async function bundleWidget(browserDir: string): Promise<Assets> {
  const panelSource = join(browserDir, 'widget/panel/panel.tsx');
  const ownCode = [`${browserDir}/widget/`, `${browserDir}/shared/`, '/packages/contracts/src/'];
  const panel = await bundle({
    entry: panelSource,
    name: 'panel',
    mayHold: [...ownCode, '/node_modules/preact/', '/node_modules/lean-qr/'],
  });
  const code = await withNotices(onlyChunk(panel));
  const panelChunk = `chunks/panel-${shortHash(code)}.js`;
  const entry = await bundle({
    entry: join(browserDir, 'widget/main.ts'),
    name: 'tributary-widget',
    mayHold: ownCode,
    plugins: [panelByName(panelSource, `./${panelChunk}`)],
  });
  return new Map([
    [`app/latest/${panelChunk}`, code],
    ['app/latest/panel.js', code],
    ...placed('app/latest', entry),
    // Languages, too, by a name that an entry of an older release knows.
    ...entry
      .filter(({ isEntry }) => !isEntry)
      .map(({ name, code }) => [`app/latest/${name}.js`, code] as const),
  ]);
}

type Script = {
  entry: string;
  /** The name of the file, without `.js`. */
  name: string;
  /** Parts of module paths; a module of another place fails the build. */
  mayHold: string[];
  plugins?: Plugin[];
};

/**
 * Browsers that know modules, `import.meta` and `?.`; what the widget needs above that it says
 * itself.
 */
const target = 'es2020';

/**
 * For styles: browsers that know logical properties and `:dir()`, which are left as they are. For
 * older ones they would be rewritten by `:lang()`, which knows nothing of a `dir` attribute.
 */
const cssTarget = ['chrome120', 'firefox113', 'safari16.4'];

async function bundle({
  entry,
  name,
  mayHold,
  plugins = [],
}: Script): Promise<Rolldown.OutputChunk[]> {
  const outputs = await build({
    configFile: false,
    envDir: false,
    publicDir: false,
    root: dirname(entry),
    logLevel: 'warn',
    plugins,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      target,
      cssTarget,
      write: false,
      minify: true,
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        output: {
          entryFileNames: `${name}.js`,
          chunkFileNames: 'chunks/[name]-[hash].js',
          // In library mode Vite keeps white space, for other bundlers to read; nobody bundles
          // these again.
          minify: true,
        },
      },
    },
  });
  const chunks = (Array.isArray(outputs) ? outputs : [outputs])
    .flatMap((output) => ('output' in output ? output.output : []))
    .filter((file) => file.type === 'chunk');
  for (const chunk of chunks) check(chunk, mayHold);
  return chunks;
}

/** No chunk needs another one at once, and none holds code that nobody meant to ship. */
function check(chunk: Rolldown.OutputChunk, mayHold: string[]): void {
  if (chunk.imports.length > 0) {
    throw new Error(
      `${chunk.fileName} must hold what it needs, and imports ${chunk.imports.join()}`,
    );
  }
  for (const [id, { renderedLength }] of Object.entries(chunk.modules)) {
    const isOwn = id.startsWith('\0') || mayHold.some((place) => id.includes(place));
    if (renderedLength > 0 && !isOwn) throw new Error(`${chunk.fileName} must not hold ${id}`);
  }
}

/** `import('./panel/panel.tsx')` of the entry becomes an import of the panel that was built. */
function panelByName(panelSource: string, url: string): Plugin {
  return {
    name: 'panel-by-name',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      return resolved?.id === panelSource ? { id: url, external: 'absolute' } : null;
    },
  };
}

async function withNotices({ code, modules }: Rolldown.OutputChunk): Promise<string> {
  return (await licenseNotices(Object.keys(modules))) + code;
}

function placed(folder: string, chunks: Rolldown.OutputChunk[]): Assets {
  return new Map(chunks.map(({ fileName, code }) => [`${folder}/${fileName}`, code]));
}

function onlyChunk(chunks: Rolldown.OutputChunk[]): Rolldown.OutputChunk {
  const [only, ...others] = chunks;
  if (only === undefined || others.length > 0) {
    throw new Error(`the panel must be one file, not ${chunks.map((c) => c.fileName).join()}`);
  }
  return only;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
