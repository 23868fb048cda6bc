import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export function isOnPath(program) {
  return findOnPath(program) !== undefined;
}

/** By the `release` file beside it, which is quicker than to ask a JVM. */
export function hasJava() {
  const home = process.env.JAVA_HOME;
  const java = home ? join(home, 'bin', 'java') : findOnPath('java');
  if (java === undefined || !existsSync(java)) return false;
  const release = join(dirname(realpathSync(java)), '..', 'release');
  if (!existsSync(release)) return true; // An unusual build; it will speak up itself.
  const major = /JAVA_VERSION="(\d+)/.exec(readFileSync(release, 'utf8'))?.[1];
  return major === undefined || Number(major) >= 17;
}

/** Redis before 7 refuses `SET … NX GET`, on which idempotency rests (design 5). */
export async function hasRedis() {
  if (!isOnPath('redis-server')) return false;
  const output = await new Promise((resolve) => {
    execFile('redis-server', ['--version'], (_error, stdout) => resolve(stdout));
  });
  const major = /v=(\d+)\./.exec(output)?.[1];
  return major === undefined || Number(major) >= 7;
}

/** Debian keeps the server's programs off the PATH. */
export function hasPostgres() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  const bins = versions.map((version) => join(root, version, 'bin'));
  return bins.some((bin) => existsSync(join(bin, 'postgres'))) || isOnPath('postgres');
}

export function hasNginx() {
  return isOnPath('nginx') || existsSync('/usr/sbin/nginx');
}

/** Where the test kit looks for it (packages/testkit/src/stripe/go-program.ts). */
export function hasGo() {
  return isOnPath('go') || existsSync('/usr/local/go/bin/go');
}

/** The names by which the tests look for it (packages/testkit/src/chromium-program.ts). */
export function hasChromium() {
  return ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'].some(isOnPath);
}

/** What people write in Chinese and Arabic is drawn as boxes without them. */
export function hasFonts() {
  const debian = '/usr/share/fonts';
  const files = [
    'opentype/noto/NotoSansCJK-Regular.ttc',
    'truetype/noto/NotoSansArabic-Regular.ttf',
  ];
  if (files.every((file) => existsSync(join(debian, file)))) return true;
  return ['zh', 'ar'].every(
    (language) => (spawnSync('fc-list', [`:lang=${language}`]).stdout ?? '').length > 0,
  );
}

function findOnPath(program) {
  const dirs = (process.env.PATH ?? '').split(delimiter);
  return dirs.map((dir) => join(dir, program)).find((file) => existsSync(file));
}
