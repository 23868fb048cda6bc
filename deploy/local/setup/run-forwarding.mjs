import { spawn } from 'node:child_process';
import { constants } from 'node:os';

// Ctrl-C reaches every process of the terminal's group: npm, this one and, were it in the group,
// the child. npm then passes it on once more. A program that takes a second Ctrl-C for "now,
// at once" would be cut short by that, so the child leads a group of its own and hears from here
// only, and the same signal again within a moment is the echo of the first.
const echoMs = 500;

/** Runs a command to its end, whatever signals come, and gives its exit code. */
export function runForwarding(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env, detached: true });
    const last = new Map();
    const forward = (signal) => {
      const now = Date.now();
      const echo = now - (last.get(signal) ?? -Infinity) < echoMs;
      last.set(signal, now);
      // A closed terminal means no more than to end.
      if (!echo) child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}
