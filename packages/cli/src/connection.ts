import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './failures.ts';
import type { Surroundings } from './surroundings.ts';

/** Where the admin API is, and the token that opens it. */
export type Connection = { baseUrl: string; token: string };

/**
 * From the flags, else the environment, else what `npm start` wrote to .tributary/demo.json. The
 * demo's token goes to the demo's address only: with another address, name its own token.
 */
export async function findConnection(
  flags: { url?: string; token?: string },
  { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>,
): Promise<Connection> {
  const url = flags.url ?? nonEmpty(env['TRIBUTARY_ADMIN_URL']);
  const token = flags.token ?? nonEmpty(env['TRIBUTARY_ADMIN_TOKEN']);
  if (url !== undefined && token !== undefined) return { baseUrl: baseUrlOf(url), token };

  const demo = await readDemo(join(cwd, '.tributary', 'demo.json'));
  const wanted = url ?? demo?.baseUrl;
  if (wanted === undefined) {
    throw new UsageError(
      'Which system? Run `npm start` in this directory first, or name one with --url or TRIBUTARY_ADMIN_URL.',
    );
  }
  const baseUrl = baseUrlOf(wanted);
  const isDemo = demo !== undefined && baseUrl === baseUrlOf(demo.baseUrl);
  const found = token ?? (isDemo ? demo.adminToken : undefined);
  if (found !== undefined) return { baseUrl, token: found };
  throw new UsageError(
    `No operator token for ${baseUrl}. Set TRIBUTARY_ADMIN_TOKEN, or give --token (visible to others on this machine).`,
  );
}

async function readDemo(
  path: string,
): Promise<{ baseUrl: string; adminToken: string } | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { baseUrl, adminToken } = JSON.parse(text) as Record<string, unknown>;
    if (typeof baseUrl === 'string' && typeof adminToken === 'string') {
      return { baseUrl, adminToken };
    }
  } catch {
    // Said below: half-written and foreign files are one case.
  }
  throw new UsageError(
    `${path} cannot be used: run \`npm start\` again, or give --url and --token.`,
  );
}

function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`Not an http or https address: ${text}`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
