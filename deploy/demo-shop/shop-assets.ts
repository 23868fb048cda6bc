import { readFile } from 'node:fs/promises';
import type { Answer } from './shop-http.ts';

const types: Record<string, string> = {
  '/shop.css': 'text/css; charset=utf-8',
  '/join.js': 'text/javascript; charset=utf-8',
  '/account.js': 'text/javascript; charset=utf-8',
  '/icon.svg': 'image/svg+xml',
};

/** The shop's own files; undefined for another path. */
export async function assetAnswer(path: string): Promise<Answer | undefined> {
  const type = types[path];
  if (type === undefined) return undefined;
  const bytes = await readFile(new URL(`public${path}`, import.meta.url));
  return { status: 200, file: { type, bytes } };
}
