import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import { createWorkListener, type WorkListener } from './listen-for-work.ts';
import { notifyDue } from './notify-due.ts';

describe('createWorkListener', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let listener: WorkListener;
  let heard = 0;

  before(async () => {
    database = await createDispatchDatabase();
    listener = createWorkListener({
      settings: database.settings,
      applicationName: 'listener',
      logger: silentLogger,
      onWork: () => (heard += 1),
      reconnectMs: 20,
    });
    listener.start();
    // It looks once it listens.
    await eventually(() => expect(heard).to.equal(1));
  });

  after(async () => {
    await listener.stop();
    await database.drop();
  });

  it('hears what is notified in its schema', async () => {
    await listening();
    heard = 0;
    await notifyDue(database.pool);
    await eventually(() => expect(heard).to.equal(1));
  });

  it('looks at once and goes on hearing when its connection was lost', async () => {
    await listening();
    heard = 0;
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'listener' and datname = current_database()`,
    );
    await eventually(() => expect(heard).to.equal(1));
    await listening();
    await notifyDue(database.pool);
    await eventually(() => expect(heard).to.equal(2));
  });

  async function listening(): Promise<void> {
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select from pg_stat_activity
         where application_name = 'listener' and datname = current_database()
           and state = 'idle' and query like 'listen%'`,
      );
      expect(rows).to.have.length(1);
    });
  }
});
