import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a node runs beside Kubernetes' own programs, with the libraries it needs. */
export const nodePackages = [
  ...['containerd', 'runc', 'containernetworking-plugins', 'dnsmasq-base'],
  ...['nftables', 'iptables', 'conntrack', 'libnftables1', 'libnftnl11', 'libjansson4'],
  ...['libgmp10', 'libedit2', 'libip4tc2', 'libip6tc2', 'libxtables12', 'libnfnetlink0'],
  ...['libnetfilter-conntrack3', 'libmnl0', 'libnettle8', 'libhogweed6', 'libdbus-1-3'],
  ...['libseccomp2', 'libbsd0', 'libmd0', 'ipset', 'libipset13'],
] as const;

/** What Node needs of Debian to run; no shell and no package manager. */
export const imagePackages = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6'] as const;

/** nginx, as the edge runs it. */
export const edgePackages = [
  ...['base-files', 'libc6', 'nginx', 'nginx-common'],
  ...['libcrypt1', 'libpcre2-8-0', 'libssl3', 'zlib1g'],
] as const;

/** Names that an installation gives to the variant of iptables that the machine uses. */
const iptablesNames = ['iptables', 'iptables-save', 'iptables-restore'];

/** Packages for the node with those names, which are links that no package contains. */
export async function unpackNode(root: string, options: UnpackOptions): Promise<void> {
  await unpackPackages(nodePackages, root, options);
  for (const name of iptablesNames) {
    const link = join(root, 'usr/sbin', name);
    if (!existsSync(link)) await symlink('xtables-nft-multi', link);
  }
}

type UnpackOptions = { say(line: string): void; signal: AbortSignal };

/**
 * Unpacks Debian packages below a directory without installing them, once: the machine itself stays
 * as it is.
 *
 * @throws where there is no apt-get, or its sources do not have a package.
 */
export async function unpackPackages(
  packages: readonly string[],
  root: string,
  options: UnpackOptions,
): Promise<void> {
  const { say, signal } = options;
  const wanted = createHash('sha256').update(packages.join(' ')).digest('hex');
  const note = `${root}.packages`;
  if (existsSync(root) && existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  say(`${packages.length} Debian packages for ${root}`);
  const downloads = `${root}.packages.new`;
  const unfinished = `${root}.new`;
  for (const dir of [downloads, unfinished]) {
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true });
  }
  const download = () => run('apt-get', ['download', ...packages], { cwd: downloads, signal });
  await download().catch(async () => {
    // The list of packages may be older than what the mirror still has.
    await run('apt-get', ['update'], { signal });
    await download();
  });
  for (const file of await readdir(downloads)) {
    await run('dpkg-deb', ['-x', join(downloads, file), unfinished], { signal });
  }
  await rm(downloads, { recursive: true, force: true });
  await rm(root, { recursive: true, force: true });
  await rename(unfinished, root);
  await writeFile(note, wanted);
}
