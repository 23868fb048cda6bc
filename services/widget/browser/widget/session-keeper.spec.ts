import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import { expect } from 'chai';
import type { Answer } from './ask-session.ts';
import { createSessionKeeper } from './session-keeper.ts';
import { TributaryError } from './tributary-error.ts';

const sessionWith = (issued: string) =>
  ({ credits: { held: '0', issued } }) as unknown as WidgetSession;
const session = sessionWith('1');
const good: Answer = { outcome: 'session', session };
const away: Answer = { outcome: 'unavailable' };

/**
 * A keeper that is given these answers, one after the other; what it waited for; what it went
 * through.
 */
function keeperOf(...answers: (Answer | Promise<Answer>)[]) {
  const waitedMs: number[] = [];
  const keeper = createSessionKeeper({
    ask: async () => answers.shift() ?? expect.fail('asked too often'),
    waitMs: async (duration) => void waitedMs.push(duration),
    prepare: async (prepared) => prepared,
  });
  const seen: string[] = [];
  keeper.subscribe(() => {
    const state = keeper.state();
    const mark = 'refreshing' in state && state.refreshing ? ' refreshing' : '';
    const known = 'session' in state && state.session ? ` ${state.session.credits.issued}` : '';
    seen.push(state.status + mark + known);
  });
  const codeOf = (work: Promise<void>) =>
    work.then(
      () => 'resolved',
      (error: unknown) => (error instanceof TributaryError ? error.code : error),
    );
  return { keeper, waitedMs, seen, left: answers, codeOf };
}

function later() {
  let resolve: (answer: Answer) => void = () => undefined;
  const promise = new Promise<Answer>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('the session of a booted user', () => {
  it('is there after the first answer', async () => {
    const { keeper, waitedMs, seen } = keeperOf(good);
    await keeper.start();
    expect(keeper.state()).to.deep.equal({ status: 'ready', session, refreshing: false });
    expect(waitedMs).to.deep.equal([]);
    expect(seen).to.deep.equal(['ready 1']);
  });

  it('is asked for twice more when the service is away, after 1 s and 3 s', async () => {
    const { keeper, waitedMs, seen, codeOf } = keeperOf(away, away, away);
    expect(await codeOf(keeper.start())).to.equal('UNAVAILABLE');
    expect(waitedMs).to.deep.equal([1_000, 3_000]);
    expect(seen).to.deep.equal(['unavailable']);
    const mended = keeperOf(away, good);
    await mended.keeper.start();
    expect(mended.waitedMs).to.deep.equal([1_000]);
  });

  it('is not asked for again when the token or the request is refused', async () => {
    const refused = keeperOf({ outcome: 'unauthorized' });
    expect(await refused.codeOf(refused.keeper.start())).to.equal('UNAUTHORIZED');
    expect(refused.keeper.state().status).to.equal('unauthorized');
    const faulty = keeperOf({ outcome: 'refused', detail: 'Too long.' });
    expect(await faulty.codeOf(faulty.keeper.start())).to.equal('INVALID_CONFIGURATION');
  });

  it('is kept when it cannot be asked for any more, and mended by the next answer', async () => {
    const news: Answer = { outcome: 'session', session: sessionWith('2') };
    const { keeper, seen } = keeperOf(good, away, news);
    await keeper.start();
    await keeper.refresh();
    await keeper.refresh();
    expect(seen).to.deep.equal(['ready 1', 'ready refreshing 1', 'unavailable 1', 'ready 2']);
  });

  it('tells nobody of a quiet refresh without news', async () => {
    const { keeper, seen } = keeperOf(good, good);
    await keeper.start();
    await keeper.refresh(true);
    expect(seen).to.deep.equal(['ready 1']);
  });

  it('is asked for once by all who ask at a time', async () => {
    const { promise, resolve } = later();
    const { keeper, left } = keeperOf(promise, good);
    const all = [keeper.start(), keeper.refresh(), keeper.refresh(true)];
    resolve(good);
    await Promise.all(all);
    expect(left).to.have.length(1);
  });

  it('is asked for anew by a start, whatever is under way with an older token', async () => {
    const { promise, resolve } = later();
    const { keeper, left, codeOf } = keeperOf(promise, good);
    const [first, second] = [codeOf(keeper.start()), codeOf(keeper.start())];
    resolve({ outcome: 'unauthorized' });
    expect(await Promise.all([first, second])).to.deep.equal(['UNAUTHORIZED', 'resolved']);
    expect(left).to.deep.equal([]);
  });

  it('changes no more after the stop, and a start that is under way rejects', async () => {
    const { promise, resolve } = later();
    const { keeper, seen, codeOf } = keeperOf(promise);
    const started = codeOf(keeper.start());
    keeper.stop();
    resolve(good);
    expect(await started).to.equal('NOT_BOOTED');
    expect(keeper.state().status).to.equal('loading');
    expect(seen).to.deep.equal([]);
  });
});
