import { isIP } from 'node:net';

// Variables that say what may be reached outside, as text.

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What is wrong with a text that `parse` reads; undefined when nothing is. */
export function mistakeOf(parse: (text: string) => unknown): (text: string) => string | undefined {
  return (text) => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
}

/**
 * Reads `10.0.0.2,10.0.0.3:5353,[fd00::2]:5353`.
 *
 * @throws naming the part that is not the address of a name server
 */
export function parseNameServers(text: string): string[] {
  const servers = listOf(text);
  const wrong = servers.find((server) => !isNameServer(server));
  if (wrong === undefined) return servers;
  throw new Error(`"${wrong}" is not the address of a name server`);
}

function isNameServer(server: string): boolean {
  const [, bracketed, plain] =
    /^(?:\[([^\]]+)\](?::\d{1,5})?|([0-9.]+):\d{1,5})$/.exec(server) ?? [];
  return isIP(bracketed ?? plain ?? server) !== 0;
}
