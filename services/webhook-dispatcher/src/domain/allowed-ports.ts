/** Ports that a webhook may be sent to, both ends included. */
export type PortRange = { from: number; to: number };

/**
 * Reads `80,443,8000-8999`.
 *
 * @throws naming the part that is not a port or a range of ports
 */
export function parsePorts(text: string): PortRange[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(toRange);
}

export function isAllowedPort(ranges: readonly PortRange[], port: number): boolean {
  return ranges.some(({ from, to }) => from <= port && port <= to);
}

function toRange(part: string): PortRange {
  const match = /^([0-9]{1,5})(?:\s*-\s*([0-9]{1,5}))?$/.exec(part);
  const from = Number(match?.[1]);
  const to = Number(match?.[2] ?? match?.[1]);
  if (match && from >= 1 && from <= to && to <= 65_535) return { from, to };
  throw new Error(`"${part}" is neither a port nor a range of ports like 8000-8999`);
}
