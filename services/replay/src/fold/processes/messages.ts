import type { Cut, Shape } from '../cut.ts';
import type { SpoolTask } from '../spool/spool-part.ts';

/**
 * What a worker is told. Settings of Kafka go this way too: arguments of a process are for all to
 * see.
 */
export type ToWorker =
  | { begin: FoldSetup }
  | { id: number; spool: SpoolTask }
  | { id: number; task: string; input: unknown }
  | { hold: boolean };

/** Once per process, before its first task. */
export type FoldSetup = {
  logDir: string;
  logParts: number;
  foldDir: string;
  /** Which of so many processes this one is. */
  part: number;
  parts: number;
  shape: Shape;
  cut: Cut;
};

export type FromWorker =
  | { id: number; result: unknown }
  | { id: number; failed: { message: string; refused: boolean; stack?: string | undefined } }
  /** Records of the log, since the last such message. */
  | { read: number };
