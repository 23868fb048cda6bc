import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';
import type { ProcessContext } from '../process-context.ts';

describe('tributary webhook recover', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());

  const since = '2026-03-01T00:00:00Z';
  const line = ['webhook', 'recover', '--tenant', 'acme', '--since', since, '--by', 'ops'];
  const run = (more: string[] = [], processContext: Partial<ProcessContext> = {}) =>
    api.run([...line, ...more], processContext);
  /** So many exhausted ones, of which each call takes at most 100. */
  function exhausted(count: number) {
    let left = count;
    api.replyWith(() => {
      const recovered = Math.min(left, 100);
      left -= recovered;
      return { status: 200, body: { recovered, more: left > 0, remaining: left } };
    });
  }

  it('repeats the call until nothing is left, and tells how far it is', async () => {
    exhausted(250);
    const { code, out } = await run(['--until', '2026-03-02T00:00:00Z', '--note', 'they are back']);
    expect(code).to.equal(0);
    expect(out.split('\n')).to.deep.equal([
      '100 recovered, 150 left',
      '200 recovered, 50 left',
      '250 recovered, 0 left',
      '250 recovered, none left.',
      '',
    ]);
    const body =
      '{"by":"ops","note":"they are back","since":"2026-03-01T00:00:00Z","until":"2026-03-02T00:00:00Z"}';
    const request = `POST /api/tenants/acme/webhook/recover ${body}`;
    expect(api.requests).to.deep.equal([request, request, request]);
  });

  it('says when there was nothing', async () => {
    exhausted(0);
    const { code, out } = await run();
    expect([code, out]).to.deep.equal([0, 'There was nothing to recover.\n']);
  });

  it('prints the sum alone with --json', async () => {
    exhausted(150);
    const { out } = await run(['--json']);
    expect(JSON.parse(out)).to.deep.equal({ recovered: 150, remaining: 0, finished: true });
  });

  it('draws a bar on a terminal', async () => {
    exhausted(250);
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const { out } = await run([], { terminal });
    expect(out).to.equal('250 recovered, none left.\n');
    const drawn = String(terminal.read());
    expect(drawn).to.contain('100 of 250 recovered').and.contain('250 of 250 recovered');
  });

  it('ends after the call under way at Ctrl-C, and says how far it came', async () => {
    let interrupt: (() => void) | undefined;
    let restored = false;
    let calls = 0;
    api.replyWith(() => {
      calls += 1;
      if (calls === 2) interrupt?.();
      return { status: 200, body: { recovered: 100, more: true, remaining: 1_000 - 100 * calls } };
    });
    const { code, out, err } = await run([], {
      onInterrupt(listener) {
        interrupt = listener;
        return () => void (restored = true);
      },
    });
    expect([code, err, restored]).to.deep.equal([1, api.named, true]);
    expect(api.requests).to.have.length(2);
    expect(out).to.contain('Ended by Ctrl-C: 200 recovered, 800 left. The same command goes on.');
  });

  it('hears a real Ctrl-C', async () => {
    let calls = 0;
    api.replyWith(() => {
      calls += 1;
      // The process hears of it a moment later; a second one would end it.
      if (calls === 1) child.kill('SIGINT');
      return { status: 200, body: { recovered: 1, more: true, remaining: 5 } };
    });
    const main = fileURLToPath(new URL('../main.ts', import.meta.url));
    const child: ChildProcess = spawn(process.execPath, [main, ...line], {
      env: { TRIBUTARY_ADMIN_URL: api.url, TRIBUTARY_ADMIN_TOKEN: 'token' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const out = await text(child.stdout!);
    expect(await ended).to.deep.equal([1, null]);
    expect(out).to.contain(`Ended by Ctrl-C: ${calls} recovered, 5 left.`);
  });

  it('says how far it came when a call fails', async () => {
    let calls = 0;
    api.replyWith(() => {
      calls += 1;
      if (calls === 1) return { status: 200, body: { recovered: 100, more: true, remaining: 9 } };
      const detail = 'The dispatcher does not answer.';
      return {
        status: 503,
        body: { status: 503, code: 'SERVICE_UNAVAILABLE', title: 'x', detail },
      };
    });
    const { code, out, err } = await run();
    expect(code).to.equal(1);
    expect(out).to.contain('Failed; 100 recovered before. The same command goes on.');
    expect(err).to.contain('The dispatcher does not answer.');
  });

  it('does not go round for ever when nothing is recovered', async () => {
    api.replyWith({ recovered: 0, more: true, remaining: 5 });
    const { code, err } = await run();
    expect([code, api.requests.length]).to.deep.equal([1, 2]);
    expect(err).to.contain('5 are left, but recovers none');
  });

  it('goes on where another operator was faster', async () => {
    const answers = [
      { recovered: 0, more: true, remaining: 500 },
      { recovered: 0, more: true, remaining: 100 },
      { recovered: 100, more: false, remaining: 0 },
    ];
    api.replyWith(() => ({ status: 200, body: answers.shift()! }));
    const { code, out } = await run();
    expect([code, out.split('\n').at(-2)]).to.deep.equal([0, '100 recovered, none left.']);
  });

  it('sends nothing without a time and a tenant', async () => {
    for (const argv of [
      ['webhook', 'recover', '--tenant', 'acme', '--by', 'ops'],
      ['webhook', 'recover', '--since', since],
    ]) {
      expect((await api.run(argv)).code).to.equal(2);
    }
    expect(api.requests).to.deep.equal([]);
  });
});
