import { expect } from 'chai';
import { createEventListeners } from './event-listeners.ts';

describe('event listeners', () => {
  it('are told of their event, each as long as it wants', () => {
    const { on, emit } = createEventListeners(() => expect.fail('nothing is thrown'));
    const told: string[] = [];
    const off = on('copied', ({ link }) => told.push(`first ${link}`));
    on('copied', ({ link }) => told.push(`second ${link}`));
    on('open', () => told.push('open'));
    emit('copied', { link: 'a' });
    off();
    emit('copied', { link: 'b' });
    emit('close', undefined);
    expect(told).to.deep.equal(['first a', 'second a', 'second b']);
  });

  it('are told though one before them throws', () => {
    const thrown = new Error('mine');
    const reported: unknown[] = [];
    const { on, emit } = createEventListeners((error) => reported.push(error));
    const told: string[] = [];
    on('open', () => {
      throw thrown;
    });
    on('open', () => told.push('open'));
    emit('open', undefined);
    expect(told).to.deep.equal(['open']);
    expect(reported).to.deep.equal([thrown]);
  });
});
