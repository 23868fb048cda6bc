/**
 * One server for tests, the same whether it is a process or a container. Its port never changes,
 * so a client that reconnects finds it again.
 */
export type TestServer = {
  kind: ServerKind;
  /** Broker list of Kafka, otherwise a URL (of Postgres' admin database). */
  address: string;
  /** SIGKILL, and resolves when it is dead. Data stays. */
  kill(): Promise<void>;
  /** Starts it again (stopping it first when it runs); resolves when it answers. */
  restart(): Promise<void>;
  /** Freezes it: connections stay open and get no answer. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** A file below its data directory, for tests that damage what a dead server had kept. */
  readData(path: string): Promise<Buffer>;
  writeData(path: string, content: Buffer): Promise<void>;
  /** For good: its data goes too. */
  stop(): Promise<void>;
};

export type ServerKind = 'kafka' | 'redis' | 'postgres';

export const testDatabase = 'tributary_test';
