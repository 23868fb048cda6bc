#!/usr/bin/env node
import { runTributary } from './run-tributary.ts';

process.exitCode = await runTributary({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  input: process.stdin,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  ...(process.stderr.isTTY && { terminal: process.stderr }),
  onInterrupt(listener) {
    process.once('SIGINT', listener);
    return () => void process.off('SIGINT', listener);
  },
});
