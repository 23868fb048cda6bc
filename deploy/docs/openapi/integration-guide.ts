import { readFile } from 'node:fs/promises';

const source = new URL('../../../docs/integration.md', import.meta.url);

/**
 * The guide as the document's introduction: without its own title, and with links to other pages
 * as they are served, `errors.md#x` at `/docs/errors#x`.
 */
export async function integrationGuide(): Promise<string> {
  const text = await readFile(source, 'utf8');
  return text
    .replace(/^# .*\n+/, '')
    .replaceAll(/\]\(([a-z-]+)\.md(#[\w-]+)?\)/g, '](/docs/$1$2)')
    .trim();
}
