import { expect } from 'chai';
import { toLoggable } from './loggable.ts';

describe('loggable values', () => {
  it('hides text and objects under suspicious names, at any depth and in any case', () => {
    const logged = toLoggable({
      headers: { Authorization: 'Bearer abc' },
      accessToken: 'abc',
      newUser: { Email: 'a@b.c', id: 'u1' },
      secretAccessKey: 'abc',
      password: { value: 'abc' },
    });
    expect(logged).to.deep.equal({
      headers: { Authorization: '[redacted]' },
      accessToken: '[redacted]',
      newUser: { Email: '[redacted]', id: 'u1' },
      secretAccessKey: '[redacted]',
      password: '[redacted]',
    });
  });

  it('keeps numbers and booleans under suspicious names: they are counts and switches', () => {
    const fields = { tokensCached: 3, passwordSet: true };
    expect(toLoggable(fields)).to.deep.equal(fields);
  });

  it('hides the credentials of a URL inside any text', () => {
    const error = new Error('connect to redis://user:pa$$@cache:6379 failed');
    const { message, stack } = toLoggable(error) as { message: string; stack: string };
    expect(message).to.equal('connect to redis://[redacted]@cache:6379 failed');
    expect(stack).not.to.include('pa$$');
  });

  it('gives an error as name, message, stack, code and cause, and nothing else it carries', () => {
    const cause = Object.assign(new TypeError('inner'), { code: 'ECONNREFUSED', request: {} });
    const logged = toLoggable({ error: new Error('outer', { cause }) });
    expect(logged).to.have.nested.property('error.message', 'outer');
    expect(logged).to.have.nested.property('error.cause.name', 'TypeError');
    expect(logged).to.have.nested.property('error.cause.code', 'ECONNREFUSED');
    expect(logged).not.to.have.nested.property('error.cause.request');
    expect(logged).to.have.nested.property('error.stack').that.is.a('string');
  });

  it('names every error of an aggregate', () => {
    const error = new AggregateError([new Error('one'), new Error('two')], 'both');
    const { errors } = toLoggable(error) as { errors: { message: string }[] };
    expect(errors.map(({ message }) => message)).to.deep.equal(['one', 'two']);
  });

  it('turns into JSON what JSON cannot hold', () => {
    const value = { big: 2n ** 64n, bytes: Buffer.alloc(3), at: new Date(0), set: new Set([1]) };
    expect(JSON.stringify(toLoggable({ ...value, f: () => 1 }))).to.equal(
      '{"big":"18446744073709551616","bytes":"[3 bytes]","at":"1970-01-01T00:00:00.000Z","set":[1]}',
    );
  });

  it('is bounded for cycles, depth and breadth', () => {
    const cycle: Record<string, unknown> = { name: 'cycle' };
    cycle['self'] = cycle;
    cycle['again'] = [cycle, cycle];
    const wide = Array.from({ length: 100_000 }, (_, i) => i);
    expect(JSON.stringify(toLoggable({ cycle, wide })).length).to.be.below(20_000);
  });
});
