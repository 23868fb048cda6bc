import { type Case, nameOf } from '../case.ts';
import { type Caller, validatedCase } from '../event-request.ts';
import { eventMembers, eventTypes, type Member } from '../oracle/event-rules.ts';
import { createRandom, type Random } from '../random.ts';
import { naughtyStrings } from './naughty-strings.ts';
import { anySource, goodSource, quoted, randomName } from './random-values.ts';

/**
 * Mostly valid bodies with mistakes of every level: a member left out, doubled, renamed or given
 * another value, and then, rarely, bytes changed in the text. The same seed gives the same bodies
 * but for the times near now.
 */
export function randomBodies(caller: Caller, seed: number, count: number): Case[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const type = random.oneOf(eventTypes);
    const mistakes = random.oneOf([0, 0, 0, 0.05, 0.1, 0.3]);
    const text = randomObject(random, eventMembers[type], mistakes);
    const bytes = Buffer.from(`${blank(random)}${text}${blank(random)}`);
    const body = random.chance(0.15) ? damaged(random, bytes) : bytes;
    return validatedCase(caller, `${type} ${i}: ${nameOf(body)}`, body, { type });
  });
}

function randomObject(random: Random, members: readonly Member[], mistakes: number): string {
  const written: string[] = [];
  const write = (name: string, source: string) =>
    written.push(`${quoted(random, name)}${blank(random)}:${blank(random)}${source}`);
  for (const { name, required, rule } of random.shuffled(members)) {
    if (random.chance(required ? mistakes / 3 : 0.6)) continue;
    if (random.chance(mistakes)) write(name, anySource(random));
    else if (rule.is === 'object') write(name, randomObject(random, rule.members, mistakes));
    else write(name, goodSource(random, rule.is));
    if (random.chance(mistakes / 20)) write(name, 'null'); // a name twice
    if (random.chance(mistakes / 2)) write(unknownName(random, members), anySource(random));
    if (random.chance(mistakes / 20))
      for (let i = 25; i > 0; i--) write(randomName(random, 6), '0');
  }
  return `{${blank(random)}${written.join(`${blank(random)},${blank(random)}`)}${blank(random)}}`;
}

function unknownName(random: Random, members: readonly Member[]): string {
  const known = random.oneOf(members).name;
  const likeKnown = [known.toUpperCase(), `${known} `, known.slice(1), `/${known}`];
  return random.oneOf([
    random.oneOf(likeKnown),
    random.oneOf(naughtyStrings),
    randomName(random, 3),
  ]);
}

function blank(random: Random): string {
  return random.chance(0.9) ? '' : random.oneOf([' ', '\n', '\t', '\r\n', '  ']);
}

/** Some bytes changed, lost, doubled or moved; a cut; or a byte order mark. */
function damaged(random: Random, bytes: Buffer): Buffer {
  let body = bytes;
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(body.length + 1);
    const [before, after] = [body.subarray(0, at), body.subarray(at)];
    const inserted = random.oneOf([
      Buffer.from([random.below(256)]),
      Buffer.from(random.oneOf([...'{}[]",:\\0123456789-+.eE \n\ttfnu'])),
      after.subarray(0, 1 + random.below(4)),
    ]);
    const parts = random.oneOf([
      () => [before, inserted, after],
      () => [before, inserted, after.subarray(1)],
      () => [before, after.subarray(1 + random.below(3))],
      () => (random.chance(0.2) ? [before] : [before, inserted, after]),
      () => (random.chance(0.05) ? [Buffer.from('\ufeff'), body] : [before, inserted, after]),
    ]);
    body = Buffer.concat(parts());
  }
  return body;
}
