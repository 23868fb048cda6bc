import winston from 'winston';
import { toLoggable } from './loggable.ts';

/**
 * One JSON line per message on stdout. What goes into a message is the caller's duty: no secret and
 * no e-mail or name of a person (design 4.9). Suspicious field names are redacted as a safety net.
 */
export type Logger = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Logger;
};
export type LogFields = Record<string, unknown>;

/** `level` is one of {@link logLevels}; any other refuses at once rather than logging nothing. */
export function createLogger({ service, level }: { service: string; level: string }): Logger {
  if (!(logLevels as readonly string[]).includes(level)) {
    throw new Error(`unknown log level ${level}; known: ${logLevels.join(', ')}`);
  }
  const sink = winston.createLogger({
    level: level === 'silent' ? 'error' : level,
    silent: level === 'silent',
    format: winston.format.printf((line) => line.message as string),
    transports: [new winston.transports.Console()],
  });
  return loggerOver(sink, { service });
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

function loggerOver(sink: winston.Logger, bound: LogFields): Logger {
  const write = (level: string) => (message: string, fields?: LogFields) => {
    if (!sink.silent && sink.isLevelEnabled(level)) {
      sink.log(level, toLine(level, message, { ...bound, ...fields }));
    }
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => loggerOver(sink, { ...bound, ...fields }),
  };
}

/** The three members that every line has come first, and no field can take their place. */
function toLine(level: string, message: string, fields: LogFields): string {
  const head = { time: new Date().toISOString(), level, message: toLoggable(message) };
  const { time: _t, level: _l, message: _m, ...rest } = toLoggable(fields) as LogFields;
  return JSON.stringify({ ...head, ...rest });
}
