#!/usr/bin/env node
import { runTributary } from './run-tributary.ts';

const echoMs = 500;

process.exitCode = await runTributary({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  input: process.stdin,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  ...(process.stderr.isTTY && { terminal: process.stderr }),
  onInterrupt(listener) {
    let firstMs: number | undefined;
    const interrupted = () => {
      firstMs ??= performance.now();
      // npm passes on the Ctrl-C that this process has heard already.
      if (performance.now() - firstMs > echoMs) process.exit(130);
      listener();
    };
    process.on('SIGINT', interrupted);
    return () => void process.off('SIGINT', interrupted);
  },
});
