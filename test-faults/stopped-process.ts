import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `T` is stopped by a signal. */
export function processState(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '';
}

/** Bytes that a server on this port has sent to the process, which has not read them yet. */
export function unreadBytes(pid: number, serverPort: number): number {
  const sockets = new Set(socketsOf(pid));
  return [`/proc/${pid}/net/tcp`, `/proc/${pid}/net/tcp6`]
    .flatMap((file) => readFileSync(file, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote = '', , , , , , , inode = '']) => {
      return sockets.has(inode) && parseInt(remote.split(':')[1] ?? '', 16) === serverPort;
    })
    .reduce((sum, [, , , , queues = '']) => sum + parseInt(queues.split(':')[1] ?? '0', 16), 0);
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
    return inode === undefined ? [] : [inode];
  });
}
