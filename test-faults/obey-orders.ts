import { setTimeout as delay } from 'node:timers/promises';

/**
 * What a process does when it reaches a test hook for the n-th time since
 * it got the order: end at once, or wait for the command to go on (and then, with SIGTERM,
 * stop). With `onwards` each later time
 * waits too.
 */
export type Order<TestHook extends string> = {
  hook: TestHook;
  times: number;
  act: 'SIGKILL' | 'SIGTERM' | 'wait' | 'wait-onwards';
};

export type Report<TestHook extends string> = { adminPort: number } | { reached: TestHook };

/** The end of the wire that is in the process of a service under test; see watched-process.ts. */
export function obeyOrders<TestHook extends string>() {
  const orders: Order<TestHook>[] = [];
  let waiting: (() => void)[] = [];

  process.on('message', (message: Order<TestHook> | 'go' | 'disarm') => {
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

  function tell(report: Report<TestHook>): Promise<void> {
    return new Promise((resolve) => process.send!(report, () => resolve()));
  }

  async function observe(hook: TestHook): Promise<void> {
    const order = orders.find((known) => known.hook === hook);
    if (order === undefined) return;
    order.times -= 1;
    if (order.times > 0) return;
    if (order.act !== 'wait-onwards') orders.splice(orders.indexOf(order), 1);
    if (order.act === 'SIGKILL') process.kill(process.pid, 'SIGKILL');
    const waited = new Promise<void>((resolve) => waiting.push(resolve));
    await tell({ reached: hook });
    await waited;
    if (order.act !== 'SIGTERM') return;
    process.kill(process.pid, 'SIGTERM');
    // A signal is handled in a later turn of the loop.
    await delay(100);
  }

  return { tell, observe };
}
