import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';

const here = import.meta.dirname;
const dist = join(here, 'dist');

type Chunk = {
  file: string;
  isEntry?: boolean;
  css?: string[];
  imports?: string[];
  dynamicImports?: string[];
};

describe('the pages of the portal, as they are built', function () {
  this.timeout(60_000);
  let manifest: Record<string, Chunk>;

  before(async () => {
    await promisify(execFile)(process.execPath, [join(here, 'build-assets.ts')]);
    manifest = JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8')) as typeof manifest;
  });

  // Kilobytes as people read them in a browser's tools: 1,000 bytes.
  it('need at most 250 KB (gzip) of scripts and 45 KB of styles to start', async () => {
    const files = neededBy('src/main.tsx', new Set());
    const scripts = await sizeOf(files.filter((file) => file.endsWith('.js')));
    const styles = await sizeOf(manifest['src/main.tsx']!.css ?? []);
    report('entry', scripts);
    report('styles', styles);
    expect(scripts).to.be.greaterThan(100_000).and.at.most(250_000);
    expect(styles).to.be.greaterThan(10_000).and.at.most(45_000);
  });

  it('need at most 60 KB more for any page, and 150 KB for what a page loads later', async () => {
    const start = new Set(neededBy('src/main.tsx', new Set()));
    const screens = Object.keys(manifest).filter((name) => /\/pages\/.*screen\.tsx$/.test(name));
    expect(screens).to.not.have.length(0);
    for (const screen of screens) {
      const own = neededBy(screen, new Set(start));
      const size = await sizeOf(own);
      report(screen, size);
      expect(size, screen).to.be.at.most(60_000);
      for (const later of manifest[screen]!.dynamicImports ?? []) {
        const laterSize = await sizeOf(neededBy(later, new Set([...start, ...own])));
        report(`  ${later}`, laterSize);
        expect(laterSize, later).to.be.at.most(150_000);
      }
    }
  });

  /** The files that are loaded for an entry of the manifest, but those that are there already. */
  function neededBy(name: string, there: Set<string>): string[] {
    const { file, css = [], imports = [] } = manifest[name]!;
    const own = [file, ...css].filter((each) => !there.has(each));
    for (const each of own) there.add(each);
    return [...own, ...imports.flatMap((each) => neededBy(each, there))];
  }

  async function sizeOf(files: readonly string[]): Promise<number> {
    const sizes = files.map(async (file) =>
      gzipSync(await readFile(join(dist, file)), { level: 9 }),
    );
    return (await Promise.all(sizes)).reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  function report(name: string, bytes: number): void {
    process.stdout.write(`      ${name}: ${(bytes / 1_000).toFixed(1)} KB gzip\n`);
  }
});
