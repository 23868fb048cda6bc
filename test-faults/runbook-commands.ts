import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs the commands of a runbook as its reader does: the one block of the page that has `part`, as
 * the superuser of `database` in `cwd`. The pages call the database `tributary`.
 */
export async function runCommandsOf(
  page: string,
  part: string,
  { database, cwd }: { database: string; cwd: string },
): Promise<void> {
  const { hostname, port, username, password, pathname } = new URL(database);
  const env = {
    ...process.env,
    ...{ PGHOST: hostname, PGPORT: port, PGUSER: decodeURIComponent(username) },
    ...(password !== '' && { PGPASSWORD: decodeURIComponent(password) }),
  };
  const script = (await commandsOf(page, part)).replaceAll(/\btributary\b/g, pathname.slice(1));
  await run('bash', ['-e', '-c', script], { cwd, env });
}

async function commandsOf(page: string, part: string): Promise<string> {
  const text = await readFile(new URL(`../docs/runbooks/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
  const found = blocks.filter((block) => block.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} have: ${part}`);
  return found[0]!;
}
