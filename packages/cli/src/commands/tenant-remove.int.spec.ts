import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { runTributary } from '../run-tributary.ts';
import {
  createPortalHome,
  type PortalHome,
  type PortalProcess,
  startPortalProcess,
} from '../testing/portal-process.ts';

describe('tributary tenant remove', function () {
  this.timeout(120_000);
  let home: PortalHome;
  let portal: PortalProcess;
  let cwd: string;
  before(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'tributary-remove-'));
    home = await createPortalHome();
    portal = await startPortalProcess(home);
    expect(await run('tenant', 'create', 'Acme', '--tenant', 'acme')).to.include({ code: 0 });
    // Before the tenant is suspended.
    expect((await run('export', '--out', 'early', '--people')).code).to.equal(0);
  });
  after(async () => {
    await portal?.stop();
    await home?.end();
    await rm(cwd, { recursive: true, force: true });
  });

  async function run(...argv: string[]) {
    const printed = { out: '', err: '' };
    const code = await runTributary({
      argv,
      env: { ...home.env, TRIBUTARY_ADMIN_URL: portal.url, TRIBUTARY_ADMIN_TOKEN: home.token },
      cwd,
      input: (async function* () {})(),
      out: (text) => void (printed.out += `${text}\n`),
      err: (text) => void (printed.err += `${text}\n`),
    });
    return { code, ...printed };
  }
  const remove = (...flags: string[]) => run('tenant', 'remove', '--tenant', 'acme', ...flags);
  const isRemoved = async () => {
    const { out } = await run('tenant', 'show', '--tenant', 'acme', '--json');
    return (JSON.parse(out) as { removedAt: string | null }).removedAt !== null;
  };

  it('takes one export, here or elsewhere', async () => {
    for (const flags of [[], ['--export', 'e', '--exported-until', '2026-03-01T12:00:00.000Z']]) {
      expect(await remove(...flags)).to.include({ code: 2 });
    }
  });

  it('takes none that is missing, damaged or without people', async () => {
    expect((await run('tenant', 'suspend', '--tenant', 'acme')).code).to.equal(0);
    const missing = await remove('--export', 'nowhere');
    expect(missing).to.include({ code: 1 });
    expect(missing.err).to.include('it has no manifest.json');

    expect((await run('export', '--out', 'no-people')).code).to.equal(0);
    const lacking = await remove('--export', 'no-people');
    expect(lacking).to.include({ code: 1 });
    expect(lacking.err).to.include('take one with --people');

    expect((await run('export', '--out', 'damaged', '--people')).code).to.equal(0);
    await appendFile(join(cwd, 'damaged', 'catalog.ndjson.gz'), 'x');
    const damaged = await remove('--export', 'damaged');
    expect(damaged).to.include({ code: 1 });
    expect(damaged.err).to.match(/catalog\.ndjson\.gz has \d+ bytes, the manifest says \d+\./);
    expect(await isRemoved()).to.equal(false);
  });

  it('takes none in which the tenant is not', async () => {
    expect(await run('tenant', 'create', 'Other', '--tenant', 'other')).to.include({ code: 0 });
    expect((await run('tenant', 'suspend', '--tenant', 'other')).code).to.equal(0);
    expect((await run('export', '--out', 'of-both', '--people')).code).to.equal(0);
    const elsewhere = await run('tenant', 'remove', '--tenant', 'later', '--export', 'of-both');
    expect(elsewhere).to.include({ code: 1 });
    expect(elsewhere.err).to.include('of-both has no tenant later');
  });

  it('sends when a whole one began, and the portal says whether that is late enough', async () => {
    const early = await remove('--export', 'early');
    expect(early).to.include({ code: 1 });
    expect(early.err).to.match(
      /The tenant was suspended or changed at .* or later, then remove the tenant\./,
    );
    expect(await isRemoved()).to.equal(false);

    let taken = 0;
    const removed = await eventually(
      async () => {
        const directory = `export-${(taken += 1)}`;
        expect((await run('export', '--out', directory, '--people')).code).to.equal(0);
        const { code, out, err } = await remove('--export', directory, '--note', 'they left');
        expect(code, err).to.equal(0);
        return { directory, out };
      },
      { deadlineMs: 60_000 },
    );
    expect(removed.out).to.include('Tenant acme is removed\n');
    const text = await readFile(join(cwd, removed.directory, 'manifest.json'), 'utf8');
    const { startedAt } = JSON.parse(text) as { startedAt: string };
    const { out } = await run('audit', 'list', '--json');
    expect(JSON.parse(out)).to.have.nested.property('entries[0].asked.exportedUntil', startedAt);
    expect(await isRemoved()).to.equal(true);
    expect(await remove(), 'asked again').to.include({ code: 0 });
  });
});
