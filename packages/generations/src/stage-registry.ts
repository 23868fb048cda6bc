import { type Topic, topics as topicTable } from '@tributary/contracts/topics';
import { isOfLaterGeneration } from './generation.ts';
import type { GenerationsDb } from './registry.ts';
import { type Stage, stageOf, type StagePlan } from './stage.ts';

/**
 * Before anything of it is made, so that nothing of it is ever unknown to whoever removes it. Names
 * that are those of a later generation are refused: others would take its schema for that of the
 * first generation, and remove it with that.
 */
export async function registerStage(db: GenerationsDb, plan: StagePlan): Promise<void> {
  if (isOfLaterGeneration(plan.schema)) {
    throw new Error(
      `${plan.name} is to have the schema ${plan.schema}, which is called as that of a later ` +
        `generation: set TRIBUTARY_POSTGRES_SCHEMA (the portal's is TRIBUTARY_READ_MODEL_SCHEMA) ` +
        `to the schema of the first one, whatever TRIBUTARY_GENERATION is`,
    );
  }
  await db.query(
    `insert into stage
       (name, schema_name, consumer_group, projection, topics, shared_schema, database)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (name) do update set schema_name = excluded.schema_name,
       consumer_group = excluded.consumer_group, projection = excluded.projection,
       topics = excluded.topics, shared_schema = excluded.shared_schema,
       database = excluded.database, registered_at = now()`,
    valuesOf(plan),
  );
}

/** With all that is known of it now: who ran before may have registered something else. */
export async function isRegistered(db: GenerationsDb, plan: StagePlan): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from stage
     where name = $1 and schema_name = $2 and consumer_group = $3 and projection = $4
       and topics = $5 and shared_schema is not distinct from $6
       and database is not distinct from $7`,
    valuesOf(plan),
  );
  return rowCount !== 0;
}

function valuesOf(plan: StagePlan): unknown[] {
  const { name, schema, group, projection, topics, sharedSchema, database } = plan;
  return [name, schema, group, projection, topics, sharedSchema, database];
}

/** What a generation consists of, by name, whether or not its processes run now. */
export async function listStages(db: GenerationsDb, generation: number): Promise<Stage[]> {
  const { rows } = await db.query<Row>(
    `select name, schema_name, consumer_group, projection, topics, shared_schema, database
     from stage order by name`,
  );
  return rows.map((row) => stageOf(fromRow(row), generation));
}

type Row = {
  name: string;
  schema_name: string;
  consumer_group: string;
  projection: string;
  topics: string[];
  shared_schema: string | null;
  database: string | null;
};

function fromRow({ name, projection, topics, ...row }: Row): StagePlan {
  return {
    name,
    schema: row.schema_name,
    group: row.consumer_group,
    projection,
    // One that only a newer release knows is not waited for by this one.
    topics: topics.filter((topic): topic is Topic => Object.hasOwn(topicTable, topic)),
    ...(row.shared_schema !== null && { sharedSchema: row.shared_schema }),
    ...(row.database !== null && { database: row.database }),
  };
}
