import { UsageError } from './failures.ts';

/** The members of a campaign file. @throws {UsageError} */
export function parseObject(text: string, file: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
    return parsed as Record<string, unknown>;
  }
  throw new UsageError(`${file} must hold one JSON object.`);
}

/**
 * What a flag names or else the file does; both only when they say the same. @throws {UsageError}
 */
export function choose(
  flag: string | undefined,
  member: unknown,
  option: string,
  name: string,
): string {
  const chosen = chooseIfAny(flag, member, option, name);
  if (chosen === undefined) throw new UsageError(`Give ${option}, or "${name}" in the file.`);
  return chosen;
}

/** The same where neither need be there. @throws {UsageError} */
export function chooseIfAny(
  flag: string | undefined,
  member: unknown,
  option: string,
  name: string,
): string | undefined {
  if (member !== undefined && typeof member !== 'string') {
    throw new UsageError(`"${name}" of the file must be a string.`);
  }
  if (flag !== undefined && member !== undefined && flag !== member) {
    throw new UsageError(`${option} ${flag} and "${name}": "${member}" of the file differ.`);
  }
  const chosen = flag ?? member;
  return chosen === '' ? undefined : chosen;
}
