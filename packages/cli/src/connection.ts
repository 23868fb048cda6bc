import { type DemoFile, readDemoFile, stateDirVariable } from './demo-file.ts';
import { UsageError } from './failures.ts';
import type { ProcessContext } from './process-context.ts';
import type { TargetSystem } from './target-system.ts';

/** Where a system is, and how that was found. */
export type Place = { baseUrl: string; system: TargetSystem };

/** Where the admin API is, the token that opens it, and how the two were found. */
export type Connection = Place & { token: string };

type Flags = { url?: string; token?: string };
type Around = Pick<ProcessContext, 'env' | 'cwd'>;

/**
 * From the flags, else the environment, else what `npm start` wrote to demo.json in .tributary, or
 * in TRIBUTARY_LOCAL_STATE_DIR. The demo's token goes to the demo's address only: with another
 * address, name its own token.
 */
export async function findConnection(flags: Flags, around: Around): Promise<Connection> {
  const token = flags.token ?? nonEmpty(around.env['TRIBUTARY_ADMIN_TOKEN']);
  const { demoToken, ...place } = await find(flags, around, token === undefined);
  const found = token ?? demoToken;
  if (found === undefined) {
    throw new UsageError(
      `No token for ${place.baseUrl}. Set TRIBUTARY_ADMIN_TOKEN, or give --token (visible to others on this machine).`,
    );
  }
  return { ...place, token: found };
}

/** The same without the token, for what is called with one of a tenant. */
export async function findPlace(flags: Flags, around: Around): Promise<Place> {
  const { baseUrl, system } = await find(flags, around, false);
  return { baseUrl, system };
}

/** With an address, and no token to look for, the file of the demo is not even read. */
async function find(
  flags: Flags,
  around: Around,
  needsToken: boolean,
): Promise<Place & { demoToken?: string }> {
  const { env } = around;
  const url = flags.url ?? nonEmpty(env['TRIBUTARY_ADMIN_URL']);
  const namedBy = flags.url === undefined ? 'TRIBUTARY_ADMIN_URL' : '--url';
  if (url !== undefined && !needsToken) {
    const address = baseUrlOf(url);
    return { baseUrl: address, system: { address, foundBy: namedBy } };
  }

  const file = await readDemoFile(around);
  const demo = readDemo(file);
  const wanted = url ?? demo?.baseUrl;
  if (wanted === undefined) throw new UsageError(whichSystem(file.path, env));
  const baseUrl = baseUrlOf(wanted);
  const isDemo = demo !== undefined && baseUrl === baseUrlOf(demo.baseUrl);
  const system: TargetSystem = {
    address: baseUrl,
    ...(isDemo && demo.environment !== undefined && { environment: demo.environment }),
    foundBy: url === undefined ? file.path : namedBy,
  };
  return { baseUrl, system, ...(isDemo && { demoToken: demo.adminToken }) };
}

function whichSystem(path: string, env: ProcessContext['env']): string {
  const named = nonEmpty(env[stateDirVariable]);
  const start =
    named === undefined
      ? 'Run `npm start` in this directory first'
      : `${stateDirVariable} names one that has no ${path}: run \`npm start\` with it first`;
  return `Which system? ${start}, or name one with --url or TRIBUTARY_ADMIN_URL.`;
}

type DemoAccess = { baseUrl: string; adminToken: string; environment?: string };

function readDemo({ path, text }: DemoFile): DemoAccess | undefined {
  if (text === undefined) return undefined;
  try {
    const { baseUrl, adminToken, environment } = JSON.parse(text) as Record<string, unknown>;
    if (typeof baseUrl === 'string' && typeof adminToken === 'string') {
      return { baseUrl, adminToken, ...(typeof environment === 'string' && { environment }) };
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
