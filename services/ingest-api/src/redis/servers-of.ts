import { isIPv6 } from 'node:net';
import type { Logger } from '@tributary/runtime/logger';
import type { RedisSettings } from '@tributary/runtime/variables';
import { connectRedis } from './connect-redis.ts';
import { clusterSlots } from './keys.ts';
import {
  askForMaster,
  askForSlots,
  oneServer,
  type RedisServers,
  watchedServers,
} from './redis-servers.ts';

/** One server, a cluster, or a master with sentinels, as the settings say. */
export function serversOf(settings: RedisSettings, logger: Logger): RedisServers {
  const { url, clusterNodes, sentinels, tlsCa } = settings;
  const tls = tlsCa === undefined ? {} : { tlsCa };
  /** As the same user; the address is one that a witness gave. */
  const connect = (address: string) =>
    connectRedis({ url: withAddress(url, address), ...tls }, logger, {
      name: `redis ${address}`,
      meanwhile: 'keyed requests of its part are refused',
    });
  const witness = (at: string, name: string) =>
    connectRedis({ url: at, ...(at.startsWith('rediss:') ? tls : {}) }, logger, {
      name,
      meanwhile: 'the others are asked who serves the keys',
    });

  if (clusterNodes !== undefined) {
    return watchedServers({
      witnesses: clusterNodes.map((node) => witness(withAddress(url, node), `redis node ${node}`)),
      ask: askForSlots(clusterSlots),
      partCount: clusterSlots.length,
      connect,
    });
  }
  if (sentinels !== undefined) {
    return watchedServers({
      witnesses: sentinels.urls.map((at) => witness(at, `sentinel ${new URL(at).host}`)),
      ask: askForMaster(sentinels.master),
      partCount: 1,
      connect,
    });
  }
  return oneServer(connectRedis({ url, ...tls }, logger));
}

function withAddress(url: string, address: string): string {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at);
  const changed = new URL(url);
  changed.hostname = isIPv6(host) ? `[${host}]` : host;
  changed.port = address.slice(at + 1);
  return changed.href;
}
