import { serveThreadStream } from '@tributary/runtime/thread-stream';
import { compareTask } from './compare-task.ts';

await serveThreadStream(compareTask);
