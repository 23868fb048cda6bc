import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../local/state-dir.ts';

/** The patterns of a .dockerignore, without its comments. */
export function ignorePatterns(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** A pattern that a folder matches ignores all that is in it. */
export function isIgnored(file: string, patterns: readonly string[]): boolean {
  const parts = file.split('/');
  const paths = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  return paths.some((path) => patterns.some((pattern) => matchesGlob(path, pattern)));
}

/** Files of the checkout that the image has, as its Dockerfile would copy them. */
export async function imageFiles(): Promise<string[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const options = { cwd: repository, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)('git', args, options);
  const patterns = ignorePatterns(readFileSync(join(repository, '.dockerignore'), 'utf8'));
  const files = new Set(stdout.split('\0').filter((file) => file !== ''));
  // A file that was deleted and not yet committed is still listed.
  return [...files].filter(
    (file) => !isIgnored(file, patterns) && existsSync(join(repository, file)),
  );
}
