import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this checkout. */
export const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** What is fetched once per user, for all checkouts. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tributary');
