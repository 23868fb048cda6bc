import type { LogFields, Logger } from '@tributary/runtime/logger';
import { toLoggable } from '@tributary/runtime/loggable';

/** A logger that keeps its lines, as they would be written. */
export function createLogLines(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (message: string, fields?: LogFields) =>
    void lines.push(JSON.stringify([message, toLoggable(fields ?? {})]));
  const logger: Logger = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: () => logger,
  };
  return { logger, lines };
}
