import { expect } from 'chai';
import { createEventListeners } from './event-listeners.ts';

describe('event listeners', () => {
  it('are told of their event, each as long as it wants', () => {
    const { on, emit } = createEventListeners(() => expect.fail('nothing is thrown'));
    const events: string[] = [];
    const off = on('copied', ({ link }) => events.push(`first ${link}`));
    on('copied', ({ link }) => events.push(`second ${link}`));
    on('open', () => events.push('open'));
    emit('copied', { link: 'a' });
    off();
    emit('copied', { link: 'b' });
    emit('close', undefined);
    expect(events).to.deep.equal(['first a', 'second a', 'second b']);
  });

  it('are told though one before them throws', () => {
    const thrown = new Error('mine');
    const reported: unknown[] = [];
    const { on, emit } = createEventListeners((error) => reported.push(error));
    const events: string[] = [];
    on('open', () => {
      throw thrown;
    });
    on('open', () => events.push('open'));
    emit('open', undefined);
    expect(events).to.deep.equal(['open']);
    expect(reported).to.deep.equal([thrown]);
  });
});
