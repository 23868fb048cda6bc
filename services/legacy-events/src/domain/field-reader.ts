import { codePoints } from '@tributary/contracts/strict-ajv';
import type { EventRecord } from '@tributary/contracts/event-record';
import { isRawObject, NumberText, type RawJson, type RawObject } from './raw-json.ts';
import { type RoundedNumber, roundHalfUp } from './round-half-up.ts';

export type Warning = NonNullable<EventRecord['warnings']>[number];

/** An object of the envelope and where it stands: `context.newUser`. */
export type Section = { path: string; members: RawObject };

/**
 * Reads known fields the tolerant way: null and the empty string are absent, text is taken for a
 * number and a whole number for text. What cannot be taken is refused, with a sentence that names
 * the field and never its value; the first refusal is the answer.
 */
export type FieldReader = {
  /** An empty section when absent, and for `[]`: some languages write an empty map so. */
  section(parent: Section, name: string): Section;
  /** Text of 1 to `maxLength` code points. */
  text(section: Section, name: string, maxLength?: number): string | undefined;
  /** Like `text`, but leaves out what cannot be taken, with a warning. */
  optionalText(
    section: Section,
    name: string,
    options: { maxLength: number; isUsable?: (text: string) => boolean },
  ): string | undefined;
  /** 0 to `maximum`, rounded half up. */
  number(section: Section, name: string, maximum?: bigint): RoundedNumber | undefined;
  refuse(message: string): undefined;
  refusal(): string | undefined;
  warn(warning: Warning): void;
  warnings(): readonly Warning[];
};

export function createFieldReader(): FieldReader {
  let firstRefusal: string | undefined;
  const warnings: Warning[] = [];

  function refuse(message: string): undefined {
    firstRefusal ??= message;
    return undefined;
  }

  return {
    section(parent, name) {
      const path = pathOf(parent, name);
      const value = valueOf(parent, name);
      if (isRawObject(value)) return { path, members: value };
      const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
      if (!isEmpty) refuse(`${path} must be an object`);
      return { path, members: {} };
    },

    text(section, name, maxLength = 255) {
      const read = readText(valueOf(section, name), maxLength);
      return read.why === undefined ? read.text : refuse(`${pathOf(section, name)} ${read.why}`);
    },

    optionalText(section, name, { maxLength, isUsable = () => true }) {
      const { text, why } = readText(valueOf(section, name), maxLength);
      if (text !== undefined && isUsable(text)) return text;
      if (text !== undefined || why !== undefined) {
        warnings.push({
          code: 'FIELD_NOT_STORED',
          detail: 'The value cannot be used and was left out.',
          pointer: pointerOf(section, name),
        });
      }
      return undefined;
    },

    number(section, name, maximum) {
      const value = valueOf(section, name);
      if (value === undefined) return undefined;
      const text = value instanceof NumberText ? value.text : value;
      const number = typeof text === 'string' ? roundHalfUp(text) : undefined;
      if (number && (maximum === undefined || number.value <= maximum)) return number;
      const range = maximum === undefined ? 'of 0 or more' : `from 0 to ${maximum}`;
      return refuse(`${pathOf(section, name)} must be a number ${range}`);
    },

    refuse,
    refusal: () => firstRefusal,
    warn: (warning) => void warnings.push(warning),
    warnings: () => warnings,
  };
}

type TextReading = { text?: string; why?: string };

/** Neither text nor why: absent. */
function readText(value: RawJson | undefined, maxLength: number): TextReading {
  if (value === undefined) return {};
  const text = value instanceof NumberText && isWhole(value) ? value.text : value;
  if (typeof text !== 'string') return { why: 'must be a string' };
  if (text.includes('\0') || !text.isWellFormed()) {
    return { why: 'holds a character that is not allowed' };
  }
  if (codePoints(text) > maxLength) return { why: `is longer than ${maxLength} characters` };
  return { text };
}

/** `1e3` and `1000` are one number but two texts: an id may not depend on that. */
function isWhole({ text }: NumberText): boolean {
  return /^-?[0-9]+$/.test(text);
}

/** Own members only: `constructor` is no field that was sent. */
function valueOf({ members }: Section, name: string): RawJson | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return value === null || value === '' ? undefined : value;
}

function pathOf({ path }: Section, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function pointerOf(section: Section, name: string): string {
  return `/${pathOf(section, name).replaceAll('.', '/')}`;
}
