import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findOrFetchGo } from '@tributary/testkit/stripe/go-program';

const source = fileURLToPath(new URL('go', import.meta.url));

/** Builds the reference in Go of `go/main.go`. @returns the path of the program. */
export async function buildGoServer(directory: string): Promise<string> {
  const program = join(directory, 'ingest-reference');
  const env = { ...process.env, GOFLAGS: '', GOTOOLCHAIN: 'local' };
  const options = { cwd: source, env };
  await promisify(execFile)(await findOrFetchGo(), ['build', '-o', program, '.'], options);
  return program;
}
