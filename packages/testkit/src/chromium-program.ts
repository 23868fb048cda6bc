import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** As deploy/local/setup/programs.mjs looks for it before anything is installed. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * The file of the system's Chromium.
 *
 * @throws {Error} saying what to install
 */
export function chromiumProgram(): string {
  const dirs = (process.env['PATH'] ?? '').split(delimiter);
  const files = names.flatMap((name) => dirs.map((dir) => join(dir, name)));
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    `Chromium is needed: none of ${names.join(', ')} is on the PATH. ` +
      'Debian: apt-get install chromium',
  );
}
