import type { RefusedField } from '@tributary/contracts/refusal-record';

/**
 * What a refusal of this endpoint comes to, for lists that hold the other endpoints', too: its
 * sentence begins with the field that it is about, which is one of ours, and never has a value.
 */
export function violationOf(message: string): RefusedField {
  const [field] = /^(payload|context|eventName)\b[A-Za-z.]*(?= )/.exec(message) ?? [];
  const pointer = field === undefined ? '' : `/${field.replaceAll('.', '/')}`;
  return { pointer, code: codeOf(message) };
}

function codeOf(message: string): RefusedField['code'] {
  if (/ is missing/.test(message)) return 'REQUIRED';
  if (/ must be (one of|")/.test(message)) return 'INVALID_ENUM';
  if (/ must be an? (object|string)/.test(message)) return 'INVALID_TYPE';
  if (/ is longer than | must be a number /.test(message)) return 'OUT_OF_RANGE';
  return 'INVALID_FORMAT';
}
