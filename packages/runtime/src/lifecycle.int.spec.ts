import { expect } from 'chai';
import { eventually } from '@tributary/testkit/eventually';
import { logLines, moduleUrl, runScript, type Script } from './testing.ts';

/** A service whose start is `body`; it lives until it is told to stop. */
function startService(body: string, options = ''): Script {
  return runScript(`
    import { createLogger } from ${moduleUrl('./logger.ts')};
    import { runService } from ${moduleUrl('./lifecycle.ts')};
    const logger = createLogger({ service: 'demo', level: 'info' });
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    setInterval(() => undefined, 1_000);
    runService({ logger, ${options} start: async (onStop) => { ${body} } });
  `);
}

function messagesOf({ output }: Script): unknown[] {
  return logLines(output.stdout).map(({ message }) => message);
}

async function seen(script: Script, message: string): Promise<void> {
  await eventually(() => expect(messagesOf(script)).to.include(message));
}

const threeParts = `
  for (const part of ['one', 'two', 'three']) {
    onStop(part, async () => { await wait(5); logger.info('stop ' + part); });
  }`;

describe('the life of a service', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`stops in reverse order on ${signal} and exits 0`, async () => {
      const script = startService(threeParts);
      await seen(script, 'started');
      script.process.kill(signal);
      expect(await script.ended).to.deep.equal({ code: 0, signal: null });
      expect(messagesOf(script)).to.deep.equal([
        'started',
        'stopping',
        'stop three',
        'stop two',
        'stop one',
        'stopped',
      ]);
    });
  }

  it('leaves at once with code 1 on a second signal', async () => {
    const script = startService(
      `onStop('slow', async () => { logger.info('slow'); await wait(60_000); });`,
    );
    await seen(script, 'started');
    script.process.kill('SIGTERM');
    await seen(script, 'slow');
    script.process.kill('SIGTERM');
    expect(await script.ended).to.deep.equal({ code: 1, signal: null });
  });

  it('exits 1 and names what is left when stopping takes too long', async () => {
    const script = startService(
      `onStop('first', () => undefined); onStop('stuck', () => wait(60_000));`,
      'stopTimeoutMs: 50,',
    );
    await seen(script, 'started');
    script.process.kill('SIGTERM');
    expect(await script.ended).to.deep.equal({ code: 1, signal: null });
    expect(logLines(script.output.stdout).at(-1)).to.deep.include({
      message: 'stopping took too long',
      left: ['first', 'stuck'],
    });
  });

  it('runs the other stops when one fails, and exits 1', async () => {
    const script = startService(`${threeParts} onStop('bad', () => { throw new Error('no'); });`);
    await seen(script, 'started');
    script.process.kill('SIGTERM');
    expect(await script.ended).to.deep.equal({ code: 1, signal: null });
    expect(messagesOf(script)).to.include.members(['stop failed', 'stop three', 'stop one']);
  });

  it('stops what has started when the start fails, and exits 1', async () => {
    const script = startService(`${threeParts} throw new Error('no broker');`);
    expect(await script.ended).to.deep.equal({ code: 1, signal: null });
    expect(messagesOf(script)).to.deep.equal([
      'start failed',
      'stop three',
      'stop two',
      'stop one',
      'stopped',
    ]);
  });

  it('can be stopped while it starts', async () => {
    const script = startService(`${threeParts} logger.info('half'); await wait(60_000);`);
    await seen(script, 'half');
    script.process.kill('SIGTERM');
    expect(await script.ended).to.deep.equal({ code: 0, signal: null });
    expect(messagesOf(script)).to.include('stop one').and.not.include('started');
  });

  it('logs an unhandled rejection or exception and exits 1', async () => {
    const rejected = startService(`void Promise.reject(new Error('lost'));`);
    expect(await rejected.ended).to.deep.equal({ code: 1, signal: null });
    expect(messagesOf(rejected)).to.include('unhandled rejection');
    const thrown = startService(`setImmediate(() => { throw new Error('lost'); });`);
    expect(await thrown.ended).to.deep.equal({ code: 1, signal: null });
    expect(messagesOf(thrown)).to.include('uncaught exception');
  });
});
