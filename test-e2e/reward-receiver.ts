import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Reward = { productUserId: string; rewardType: string; reward: { amount: number } };

/** A customer's endpoint that accepts every reward, in these words. */
export async function startRewardReceiver(words = '') {
  const rewards: Reward[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      rewards.push((JSON.parse(body) as { data: Reward }).data);
      res.writeHead(200, words ? { 'x-answer': words } : {}).end(words);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/rewards`,
    rewards,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
