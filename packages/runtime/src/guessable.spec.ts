import { randomBytes } from 'node:crypto';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { mistakeOfGuessable } from './guessable.ts';

describe('secrets that can be guessed', () => {
  everyTestAttacks('configuration');
  for (const [name, value] of [
    ['a key of zeros', Buffer.alloc(32).toString('base64')],
    ['a key of one letter', Buffer.alloc(32, 'x').toString('base64')],
    ['one such key in a ring', `k2:${random(32)},k1:${Buffer.alloc(32).toString('base64')}`],
    ['a token of one letter', 'a'.repeat(40)],
    ['a token that repeats itself', 'opensesame-opensesame-opensesame-'],
    ['a token with a well-known word', 'op_change-me-before-production'],
    ['a short password in a URL', 'postgresql://rewards:t0pS3cret@db:5432/tributary'],
    ['a password of few letters in a URL', 'rediss://ingest:abababababababab@redis:6379'],
    ['no password of Redis', 'rediss://redis:6379'],
    ['one of several URLs without a password', 'rediss://:f3Kz9-qXw7Lp@s1:1,rediss://s2:1'],
  ] as const) {
    it(`are refused: ${name}`, () => {
      expect(mistakeOfGuessable(value)).to.match(/guessed|less than|no password/);
    });
  }

  it('are not what is random, in whichever form', () => {
    for (let round = 0; round < 100; round += 1) {
      for (const value of [
        random(32),
        `k2:${random(32)},k1:${random(32)}`,
        `op_${randomBytes(32).toString('base64url')}`,
        randomBytes(16).toString('hex'),
        `postgresql://rewards:${randomBytes(24).toString('hex')}@db/tributary`,
        `rediss://ingest:${randomBytes(16).toString('base64url')}@redis:6379`,
        'postgresql://peer@db/tributary',
      ]) {
        expect(mistakeOfGuessable(value), value).to.equal(undefined);
      }
    }
  });

  it('are never repeated', () => {
    expect(mistakeOfGuessable('postgresql://a:xxxxxxxxxxxxxxxx@db/t')).to.not.include('xxxx');
  });
});

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}
