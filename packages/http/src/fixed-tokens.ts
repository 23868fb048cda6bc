import { equalInConstantTime } from '@tributary/runtime/secrets';

/**
 * Whether an Authorization header carries one of the fixed tokens. Several hold at a time, so
 * that a token can be replaced: add the new one, move the clients, remove the old one. All are
 * compared, in constant time each, so that timing tells neither a token nor which one it was.
 */
export function createTokenCheck(
  tokens: readonly string[],
): (authorization: string | undefined) => boolean {
  return (authorization) => {
    const presented = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (presented === undefined) return false;
    return tokens.filter((token) => equalInConstantTime(presented, token)).length > 0;
  };
}

/** The tokens of a comma list; spaces around them do not count. */
export function parseTokenList(text: string): string[] {
  return text
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '');
}
