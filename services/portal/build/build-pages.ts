import { join } from 'node:path';
import { build } from 'vite';

/** Path below dist/ → bytes. */
export type BuiltFiles = ReadonlyMap<string, string | Uint8Array>;

/**
 * Three entries: the pages, a few lines that choose the colour scheme before anything is drawn, and
 * what runs in the frame that previews the widget.
 * Each page of `browser/src/pages` becomes a chunk of its own, loaded when it is opened. The names
 * of files have a hash of what is in them; manifest.json says which one an entry became.
 */
export async function buildPages(browserDir: string): Promise<BuiltFiles> {
  const outputs = await build({
    configFile: false,
    envDir: false,
    publicDir: false,
    root: browserDir,
    base: '/portal/',
    logLevel: 'warn',
    build: {
      target: 'es2022',
      // Browsers that know light-dark(), which is left as it is.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      write: false,
      manifest: 'manifest.json',
      // Nothing is a data: address but what the policy allows, images.
      assetsInlineLimit: (file) => (file.endsWith('.svg') ? undefined : false),
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        // Libraries say where servers may draw them; these pages are drawn in browsers only.
        onwarn(warning, warn) {
          if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
        },
        input: {
          main: join(browserDir, 'src/main.tsx'),
          scheme: join(browserDir, 'src/scheme.ts'),
          'widget-preview': join(browserDir, 'src/widget-preview.ts'),
        },
      },
    },
  });
  const files = new Map<string, string | Uint8Array>();
  for (const output of Array.isArray(outputs) ? outputs : [outputs]) {
    if (!('output' in output)) throw new Error('the build is watching');
    for (const file of output.output) {
      files.set(file.fileName, file.type === 'chunk' ? file.code : file.source);
    }
  }
  return files;
}
