import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

/** A network that may be reached though it is not public, for sandboxes and local stacks. */
export type Network = { address: ipaddr.IPv4 | ipaddr.IPv6; prefix: number };

/** Why an address may not be reached; undefined when it may. */
export type RefusalOf = (address: string) => string | undefined;

/**
 * Only plain public unicast addresses may be reached, and what is allowed by name of its network. A
 * list of what is forbidden would forget something: IPv6 has to be inside 2000::/3, which leaves
 * out every spelling that carries an IPv4 address (mapped, compatible, NAT64), and is then asked
 * whether it is set aside for a purpose (6to4, Teredo, documentation, …).
 */
export function createAddressRules(allowed: readonly Network[]): RefusalOf {
  return (address) => {
    // Strict first: ipaddr.js also reads spellings that the operating system reads otherwise.
    if (isIP(address) === 0) return 'is not an address';
    const parsed = ipaddr.parse(address);
    if (allowed.some((network) => contains(network, parsed))) return undefined;
    const range = rangeOf(parsed);
    return range === 'unicast' ? undefined : `is not a public address (${range})`;
  };
}

/**
 * Reads `10.0.0.0/8,fd00::/8`.
 *
 * @throws naming the part that is not a network
 */
export function parseNetworks(text: string): Network[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(toNetwork);
}

function toNetwork(part: string): Network {
  const [address = '', prefix = '', ...more] = part.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const valid = more.length === 0 && /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits;
  if (bits > 0 && valid) return { address: ipaddr.parse(address), prefix: Number(prefix) };
  throw new Error(`"${part}" is not a network like 10.0.0.0/8 or fd00::/8`);
}

function contains(network: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return (
    network.address.kind() === address.kind() && address.match(network.address, network.prefix)
  );
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range();
  if (range !== 'unicast') return range;
  if (address.kind() === 'ipv4') {
    return contains(azurePlatform, address) ? 'platform service' : range;
  }
  return contains(globalUnicast, address) ? range : 'reserved';
}

const globalUnicast = toNetwork('2000::/3');
/** Looks public and is the metadata and DNS service of the machine's own cloud. */
const azurePlatform = toNetwork('168.63.129.16/32');
