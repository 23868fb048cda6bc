import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Component } from '@tributary/runtime/component';
import { type AnsweredRequest, readLine } from '../domain/read-line.ts';

/**
 * Takes the lines that nginx sends by UDP. Nothing here can hold the edge up: what comes while this
 * process is away, or faster than it reads, is dropped by the kernel.
 */
export function createLineReceiver(options: {
  port: number;
  onRequest: (request: AnsweredRequest) => void;
}): Component {
  let socket: Socket | undefined;
  return {
    async start() {
      // Room for a pause; the kernel gives no more than net.core.rmem_max, and says nothing.
      socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
      socket.on('message', (datagram) => {
        const request = readLine(datagram.toString('latin1'));
        if (request !== undefined) options.onRequest(request);
      });
      socket.bind(options.port, '127.0.0.1');
      await once(socket, 'listening');
    },
    stop: () => void socket?.close(),
  };
}
