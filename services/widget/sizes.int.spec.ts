import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';

const dist = join(import.meta.dirname, 'dist');

describe('the browser scripts, as they are built', () => {
  before(async () => {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'build-assets.ts')]);
  });

  // Kilobytes as people read them in a browser's tools: 1,000 bytes.
  for (const [file, limitKb] of [
    ['attribution/latest/tributary-attribution.js', 4],
    ['app/latest/tributary-widget.js', 12],
    ['app/latest/panel.js', 45],
  ] as const) {
    it(`need at most ${limitKb} KB (gzip) for ${file}`, async () => {
      const bytes = gzipSync(await readFile(join(dist, file)), { level: 9 }).byteLength;
      process.stdout.write(`      ${file}: ${(bytes / 1_000).toFixed(1)} KB gzip\n`);
      expect(bytes)
        .to.be.greaterThan(1_000)
        .and.at.most(limitKb * 1_000);
    });
  }

  it('have the panel under a name that never means anything else, and under a lasting one', async () => {
    const chunks = await readdir(join(dist, 'app/latest/chunks'));
    const [panel = ''] = chunks.filter((name) => /^panel-[0-9a-f]{10}\.js$/.test(name));
    const lasting = await readFile(join(dist, 'app/latest/panel.js'), 'utf8');
    expect(await readFile(join(dist, 'app/latest/chunks', panel), 'utf8')).to.equal(lasting);
    const entry = await readFile(join(dist, 'app/latest/tributary-widget.js'), 'utf8');
    expect(entry).to.contain(`./chunks/${panel}`).and.contain('panel.js');
  });

  it('have all that the entry loads later', async () => {
    const entry = await readFile(join(dist, 'app/latest/tributary-widget.js'), 'utf8');
    const named = [...entry.matchAll(/\.\/(chunks\/[\w-]+\.js)/g)].map(([, name]) => name ?? '');
    const files = await readdir(join(dist, 'app/latest'), { recursive: true });
    expect(named).to.not.have.length(0);
    expect(files).to.include.members(named);
  });

  it('carry the licenses of the libraries that are built in', async () => {
    const panel = await readFile(join(dist, 'app/latest/panel.js'), 'utf8');
    expect(panel).to.match(/^\/\*!\n[^]*\*\/\n/);
    for (const library of ['lean-qr', 'preact']) {
      expect(panel).to.match(new RegExp(`^${library} \\d+\\.\\d+\\.\\d+$`, 'm'));
    }
    expect(panel.match(/Permission is hereby granted/g)).to.have.length(2);
  });

  it('take each other from their own address, and nothing from anywhere else', async () => {
    for (const file of await readdir(dist, { recursive: true })) {
      if (!file.endsWith('.js')) continue;
      const text = await readFile(join(dist, file), 'utf8');
      const imports = [...text.matchAll(/\b(?:import|from)\s*\(?\s*[`'"]([^`'"]+)/g)];
      for (const [, source] of imports)
        expect(source, file).to.match(/^\.\/(chunks\/)?[\w-]+\.js$/);
      expect(text, file).to.not.match(/\beval\(|new Function\b/);
    }
  });
});
