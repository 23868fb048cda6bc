import { expect } from 'chai';
import { official, shapes } from '../testing/stripe-world.ts';
import { connectionTestKind } from './kinds.ts';
import { readStripeEvent } from './read-event.ts';

describe('an event of Stripe', () => {
  for (const shape of shapes) {
    it(`is read from the official fixture, ${shape} API`, () => {
      const raw = official(shape, 'event', { api_version: '2022-11-15', created: 7 });
      const { data, ...rest } = raw as { data: { object: unknown } } & Record<string, unknown>;
      expect(readStripeEvent(raw)).to.deep.equal({
        outcome: 'event',
        event: {
          ...{ id: rest['id'], kind: rest['type'], livemode: false, createdAt: 7 },
          ...{ apiVersion: '2022-11-15', object: data.object },
        },
      });
    });
  }

  const event = {
    ...{ id: 'evt_1', type: 'invoice.paid', livemode: true, created: 7 },
    data: { object: { id: 'in_1' } },
  };

  it('need not name its API version, nor have an object when its kind is not used', () => {
    expect(readStripeEvent(event)).to.have.nested.property('event.apiVersion', null);
    for (const type of ['invoice.created', connectionTestKind]) {
      expect(readStripeEvent({ ...event, type, data: {} })).to.include({ outcome: 'event' });
    }
  });

  for (const [change, pointer, code] of [
    [{ id: undefined }, '/id', 'REQUIRED'],
    [{ id: '' }, '/id', 'INVALID_TYPE'],
    [{ id: 'e\u0000' }, '/id', 'INVALID_TYPE'],
    [{ type: 7 }, '/type', 'INVALID_TYPE'],
    [{ type: 'x'.repeat(256) }, '/type', 'INVALID_TYPE'],
    [{ livemode: 'true' }, '/livemode', 'INVALID_TYPE'],
    [{ created: 1.5 }, '/created', 'INVALID_TYPE'],
    [{ created: -1 }, '/created', 'INVALID_TYPE'],
    [{ api_version: 7 }, '/api_version', 'INVALID_TYPE'],
    [{ data: undefined }, '/data/object', 'REQUIRED'],
    [{ data: { object: { id: 7 } } }, '/data/object', 'INVALID_TYPE'],
    [{ data: { object: 'in_1' } }, '/data/object', 'INVALID_TYPE'],
  ] as const) {
    it(`is none with ${JSON.stringify(change).slice(0, 50)}: ${code} at ${pointer}`, () => {
      const read = readStripeEvent({ ...event, ...change });
      if (read.outcome !== 'wrong') throw new Error('it was taken');
      expect(read.violations.map((each) => [each.pointer, each.code])).to.deep.equal([
        [pointer, code],
      ]);
    });
  }

  it('is an object, and all that is wrong with it is told at once', () => {
    for (const body of [null, 7, 'evt', []]) {
      expect(readStripeEvent(body)).to.have.nested.property('violations[0].pointer', '');
    }
    const read = readStripeEvent({});
    expect(read.outcome === 'wrong' && read.violations.map(({ pointer }) => pointer)).to.deep.equal(
      [...['/id', '/type', '/livemode', '/created']],
    );
  });
});
