import { type Case, nameOf } from '../case.ts';
import { type Caller, eventRequest, validatedCase } from '../event-request.ts';
import { readJson } from '../oracle/json-text.ts';
import { bodyWith } from '../valid-bodies.ts';
import { malformed, notUtf8, wellFormed } from './json-texts.ts';

const labelled: readonly { text: Buffer; isJson: boolean; name: string }[] = [
  ...wellFormed.map((text) => ({ text: Buffer.from(text), isJson: true, name: nameOf(text) })),
  ...malformed.map((text) => ({ text: Buffer.from(text), isJson: false, name: nameOf(text) })),
  ...Object.entries(notUtf8).map(([name, hex]) => ({
    text: Buffer.from(hex, 'hex'),
    isJson: false,
    name,
  })),
];

/** Texts whose label and whose reading by the oracle differ: the suite's own mistakes. */
export function mislabelledTexts(): string[] {
  return labelled
    .filter(({ text, isJson }) => (readJson(text) !== undefined) !== isJson)
    .map(({ name }) => name);
}

/** Each text as the whole body. */
export function wholeBodies(caller: Caller): Case[] {
  return labelled.map(({ text, isJson, name }) =>
    isJson
      ? validatedCase(caller, name, text)
      : {
          name,
          request: eventRequest(caller, text),
          expected: { status: 400, code: 'MALFORMED_JSON' },
        },
  );
}

/** Each text, and what is inside its brackets, as the value of members of every kind. */
export function textsAsValues(caller: Caller): Case[] {
  const inside = (text: Buffer) =>
    text[0] === 0x5b && text.at(-1) === 0x5d ? [text, text.subarray(1, -1)] : [text];
  const values = labelled.filter(({ text }) => text.length < 1_000);
  return paths.flatMap((path) =>
    values.flatMap(({ text, name }) =>
      inside(text).map((value) =>
        validatedCase(caller, `${path} is ${name}`, bodyWith(path, value), { canaries: [] }),
      ),
    ),
  );
}

const paths = ['amount', 'ucc', 'subscription.seatsUsed', 'newUser.name', 'colour'];

/** Each text of an object's inside as a further member name. */
export function textsAsNames(caller: Caller): Case[] {
  return labelled
    .filter(({ text }) => text.length < 200 && text.subarray(0, 2).toString() === '["')
    .map(({ text, name }) => {
      const member = Buffer.concat([text.subarray(1, -1), Buffer.from(':1')]);
      const body = Buffer.concat([
        bodyWith('colour', '1').subarray(0, -1),
        Buffer.from(','),
        member,
        Buffer.from('}'),
      ]);
      return validatedCase(caller, `a name of ${name}`, body);
    });
}
