import { expect } from 'chai';
import { createLogger } from './logger.ts';
import { logLines, moduleUrl, runScript } from './testing.ts';

const prepare = (level: string) => `
  import { createLogger } from ${moduleUrl('./logger.ts')};
  const logger = createLogger({ service: 'demo-service', level: '${level}' });
`;

describe('logger', () => {
  it('writes one JSON line per message to stdout, with the fields of its parents', async () => {
    const { ended, output } = runScript(`${prepare('info')}
      logger.child({ topic: 'events' }).child({ partition: 3 }).warn('line\\nbreak', { lag: 7n });
      logger.error('failed', { error: new Error('no', { cause: new Error('deeper') }) });`);
    await ended;
    const [first, second, ...more] = logLines(output.stdout);
    expect(more).to.deep.equal([]);
    expect(output.stderr).to.equal('');
    const { time, ...rest } = first ?? {};
    expect(time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(rest).to.deep.equal({
      level: 'warn',
      message: 'line\nbreak',
      service: 'demo-service',
      topic: 'events',
      partition: 3,
      lag: '7',
    });
    expect(second).to.have.nested.property('error.cause.message', 'deeper');
  });

  it('lets no field take the place of time, level or message', async () => {
    const { ended, output } = runScript(`${prepare('info')}
      logger.info('real', { message: 'forged', level: 'error', time: 'never' });`);
    await ended;
    expect(logLines(output.stdout)[0]).to.include({ message: 'real', level: 'info' });
  });

  it('leaves out what is below its level', async () => {
    const { ended, output } = runScript(`${prepare('warn')}
      logger.debug('1'); logger.info('2'); logger.warn('3'); logger.error('4');`);
    await ended;
    expect(logLines(output.stdout).map(({ message }) => message)).to.deep.equal(['3', '4']);
  });

  it('writes nothing when silent, and refuses an unknown level', async () => {
    const { ended, output } = runScript(`${prepare('silent')} logger.error('1');`);
    await ended;
    expect(output).to.deep.equal({ stdout: '', stderr: '' });
    expect(() => createLogger({ service: 's', level: 'loud' })).to.throw('unknown log level loud');
  });
});
