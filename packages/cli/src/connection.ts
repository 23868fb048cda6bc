import { type DemoFile, readDemoFile, stateDirVariable } from './demo-file.ts';
import { UsageError } from './failures.ts';
import type { ProcessContext } from './process-context.ts';
import type { TargetSystem } from './target-system.ts';

/** Where the admin API is, the token that opens it, and how the two were found. */
export type Connection = { baseUrl: string; token: string; system: TargetSystem };

/**
 * From the flags, else the environment, else what `npm start` wrote to demo.json in .tributary, or
 * in TRIBUTARY_LOCAL_STATE_DIR. The demo's token goes to the demo's address only: with another
 * address, name its own token.
 */
export async function findConnection(
  flags: { url?: string; token?: string },
  processContext: Pick<ProcessContext, 'env' | 'cwd'>,
): Promise<Connection> {
  const { env } = processContext;
  const url = flags.url ?? nonEmpty(env['TRIBUTARY_ADMIN_URL']);
  const token = flags.token ?? nonEmpty(env['TRIBUTARY_ADMIN_TOKEN']);
  const namedBy = flags.url === undefined ? 'TRIBUTARY_ADMIN_URL' : '--url';
  if (url !== undefined && token !== undefined) {
    const address = baseUrlOf(url);
    return { baseUrl: address, token, system: { address, foundBy: namedBy } };
  }

  const file = await readDemoFile(processContext);
  const demo = readDemo(file);
  const wanted = url ?? demo?.baseUrl;
  if (wanted === undefined) throw new UsageError(whichSystem(file.path, env));
  const baseUrl = baseUrlOf(wanted);
  const isDemo = demo !== undefined && baseUrl === baseUrlOf(demo.baseUrl);
  const found = token ?? (isDemo ? demo.adminToken : undefined);
  if (found === undefined) {
    throw new UsageError(
      `No token for ${baseUrl}. Set TRIBUTARY_ADMIN_TOKEN, or give --token (visible to others on this machine).`,
    );
  }
  const system: TargetSystem = {
    address: baseUrl,
    ...(isDemo && demo.environment !== undefined && { environment: demo.environment }),
    foundBy: url === undefined ? file.path : namedBy,
  };
  return { baseUrl, token: found, system };
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
