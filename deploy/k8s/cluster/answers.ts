import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';

/** Whether something listens there. */
export function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 });
    const finish = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}

/** Whether a server of the cluster's authority answers 200. */
export function answersOk(url: string, authorityFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ca = readFileSync(authorityFile);
    const asked = request(url, { ca, timeout: 2_000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once('error', () => resolve(false));
    asked.once('timeout', () => asked.destroy());
    asked.end();
  });
}
