import { isRawObject, NumberText, type RawJson, type RawObject } from './raw-json.ts';

/**
 * Reads known fields the tolerant way: null is absent, a number where text is meant is its digits.
 * What cannot be taken is refused, with a sentence that names the field and never its value; the
 * first refusal is the answer.
 */
export type FieldReader = {
  /** Text of 1 to `maxLength` code points; undefined when absent, null or empty. */
  text(parent: RawObject, name: string, path: string, maxLength: number): string | undefined;
  /** An empty object when absent. */
  object(parent: RawObject, name: string, path: string): RawObject;
  refuse(message: string): undefined;
  refusal(): string | undefined;
};

export function createFieldReader(): FieldReader {
  let first: string | undefined;

  function refuse(message: string): undefined {
    first ??= message;
    return undefined;
  }

  return {
    text(parent, name, path, maxLength) {
      const value = valueOf(parent, name);
      if (value === undefined || value === null) return undefined;
      const text = value instanceof NumberText ? value.text : value;
      if (typeof text !== 'string') return refuse(`${path} must be a string`);
      if (text === '') return undefined;
      if (text.includes('\0') || !text.isWellFormed()) {
        return refuse(`${path} holds a character that is not allowed`);
      }
      if ([...text].length > maxLength) {
        return refuse(`${path} is longer than ${maxLength} characters`);
      }
      return text;
    },

    object(parent, name, path) {
      const value = valueOf(parent, name);
      if (value === undefined || value === null) return {};
      if (isRawObject(value)) return value;
      refuse(`${path} must be an object`);
      return {};
    },

    refuse,
    refusal: () => first,
  };
}

/** Own members only: `constructor` is no field that was sent. */
function valueOf(parent: RawObject, name: string): RawJson | undefined {
  return Object.hasOwn(parent, name) ? parent[name] : undefined;
}
