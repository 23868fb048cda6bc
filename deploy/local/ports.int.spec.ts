import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { choosePorts, randomPorts } from './ports.ts';
import { requireFreePorts } from './require-free-ports.ts';

describe('ports of the local stack', () => {
  it('are overridden one by one by TRIBUTARY_LOCAL_<NAME>_PORT', async () => {
    const ports = await choosePorts({ TRIBUTARY_LOCAL_INGEST_API_ADMIN_PORT: '4711' });
    expect(ports).to.include({ ingestApiAdmin: 4711, edge: 8080 });
  });

  it('are all different when random', async () => {
    const ports = Object.values(await choosePorts({ TRIBUTARY_LOCAL_RANDOM_PORTS: '1' }));
    expect(new Set(ports).size).to.equal(ports.length);
  });

  it('report every variable that is no port', async () => {
    const env = { TRIBUTARY_LOCAL_EDGE_PORT: 'http', TRIBUTARY_LOCAL_REDIS_PORT: '70000' };
    const error = await rejection(choosePorts(env));
    expect(error).to.include('LOCAL_EDGE_PORT').and.include('LOCAL_REDIS_PORT');
  });

  it('name a taken port, its owner and the variable that moves it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const ports = { ...(await randomPorts()), edge: port };
    const error = await rejection(requireFreePorts(ports));
    holder.close();
    expect(error).to.include(`port ${port} (edge) is taken by process ${process.pid}`);
    expect(error).to.include('TRIBUTARY_LOCAL_EDGE_PORT');
  });
});

/** The message of a promise that must reject. */
async function rejection(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return String(error);
  }
  throw new Error('it did not reject');
}
