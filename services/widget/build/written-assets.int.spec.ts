import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { digestSources } from './source-digest.ts';
import { isBuilt, writeAssets } from './written-assets.ts';

describe('the assets in dist/', () => {
  let dir: string;
  let dist: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-assets-'));
    dist = join(dir, 'dist');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const assets = new Map([
    ['app/latest/tributary-widget.js', 'entry'],
    ['app/latest/chunks/panel-1.js', 'panel'],
  ]);

  it('are built when they are all there and of these sources', async () => {
    expect(await isBuilt(dist, 'a')).to.equal(false);
    await writeAssets(dist, 'a', assets);
    expect(await isBuilt(dist, 'a')).to.equal(true);
    expect(await isBuilt(dist, 'b')).to.equal(false);
    await rm(join(dist, 'app/latest/chunks/panel-1.js'));
    expect(await isBuilt(dist, 'a')).to.equal(false);
  });

  it('are built anew when the record of the last build was cut off', async () => {
    await writeAssets(dist, 'a', assets);
    await writeFile(join(dist, 'build.json'), '{"digest":"a"');
    expect(await isBuilt(dist, 'a')).to.equal(false);
  });

  it('hold nothing of the build before', async () => {
    await writeAssets(dist, 'a', assets);
    const next = new Map([
      ['app/latest/tributary-widget.js', 'entry 2'],
      ['app/latest/chunks/panel-2.js', 'panel 2'],
    ]);
    await writeAssets(dist, 'b', next);
    expect(await readdir(join(dist, 'app/latest/chunks'))).to.deep.equal(['panel-2.js']);
    const entry = await readFile(join(dist, 'app/latest/tributary-widget.js'), 'utf8');
    expect(entry).to.equal('entry 2');
  });

  it('are of other sources when a source has another name, other bytes, or is new', async () => {
    const service = join(dir, 'services/widget');
    const source = join(service, 'browser/main.ts');
    await mkdir(join(service, 'browser'), { recursive: true });
    for (const library of ['vite', 'preact', 'lean-qr']) await writeLibrary(service, library, '1');
    await writeFile(source, 'a');
    const digests = [await digestSources(service)];
    const note = async () => digests.push(await digestSources(service));

    await writeFile(source, 'b');
    await note();
    await writeFile(join(service, 'browser/style.css'), '');
    await note();
    await writeLibrary(service, 'preact', '2');
    await note();
    expect(new Set(digests)).to.have.length(4);

    await writeFile(join(service, 'browser/main.spec.ts'), 'a test is in no script');
    expect(await digestSources(service)).to.equal(digests.at(-1));
    await writeFile(source, 'a');
    await rm(join(service, 'browser/style.css'));
    await writeLibrary(service, 'preact', '1');
    expect(await digestSources(service)).to.equal(digests[0]);
  });
});

async function writeLibrary(service: string, name: string, version: string): Promise<void> {
  const folder = join(service, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version }));
}
