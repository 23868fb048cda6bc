import { setTimeout as delay } from 'node:timers/promises';

/**
 * What a process does when it comes to a moment for the n-th time since it was told: end at once,
 * or wait for the word to go on (and then, with SIGTERM, stop). With `onwards` each later time
 * waits too.
 */
export type Order<Moment extends string> = {
  moment: Moment;
  times: number;
  act: 'SIGKILL' | 'SIGTERM' | 'wait' | 'wait-onwards';
};

export type Report<Moment extends string> = { adminPort: number } | { reached: Moment };

/** The end of the wire that is in the process of a service under test; see watched-process.ts. */
export function obeyOrders<Moment extends string>() {
  const orders: Order<Moment>[] = [];
  let waiting: (() => void)[] = [];

  process.on('message', (message: Order<Moment> | 'go' | 'disarm') => {
    if (typeof message === 'object') {
      orders.push(message);
      return;
    }
    orders.length = 0;
    if (message === 'disarm') return;
    for (const goOn of waiting) goOn();
    waiting = [];
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

  function tell(report: Report<Moment>): Promise<void> {
    return new Promise((resolve) => process.send!(report, () => resolve()));
  }

  async function observe(moment: Moment): Promise<void> {
    const order = orders.find((known) => known.moment === moment);
    if (order === undefined) return;
    order.times -= 1;
    if (order.times > 0) return;
    if (order.act !== 'wait-onwards') orders.splice(orders.indexOf(order), 1);
    if (order.act === 'SIGKILL') process.kill(process.pid, 'SIGKILL');
    const waited = new Promise<void>((resolve) => waiting.push(resolve));
    await tell({ reached: moment });
    await waited;
    if (order.act !== 'SIGTERM') return;
    process.kill(process.pid, 'SIGTERM');
    // A signal is handled in a later turn of the loop.
    await delay(100);
  }

  return { tell, observe };
}
