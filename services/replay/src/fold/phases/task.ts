import type { Catalog } from '../catalog.ts';
import type { Cut, Shape } from '../cut.ts';
import type { Store } from '../store/store.ts';

/** What a task of a phase works on. Tasks of one phase run at once, in any order and process. */
export type TaskContext = {
  /** As it was spooled; not written to. */
  log: Store;
  /** What phases leave to each other. */
  store: Store;
  shape: Shape;
  cut: Cut;
  catalog: Catalog;
};

export type ShardTask = { shard: number };
export type BucketTask = { bucket: number };
