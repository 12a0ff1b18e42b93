import type pg from 'pg'
import { quote } from './layout.ts'

/**
 * `waiting` is the order of turns, `held` the cases that a handler works on; `copies` counts how often an entry came,
 * all but the first of which were dropped. `settledBy` is the attempt whose own transaction settled the entry.
 */
const tables = (schema: string): readonly string[] => [
  `create schema if not exists ${schema}`,
  `create table if not exists ${schema}.takers (one int primary key)`,
  `insert into ${schema}.takers values (1) on conflict do nothing`,
  `create table if not exists ${schema}.entries (
    seq bigint generated always as identity primary key,
    id text collate "C" not null unique,
    topic text not null,
    type text,
    "reviewCaseId" text collate "C",
    "caseVersion" bigint,
    "eventSequence" bigint,
    "receivedAt" bigint not null,
    "turnAt" bigint not null,
    held boolean not null default false,
    attempts int not null default 0,
    "handledAt" bigint,
    "settledBy" int,
    failure text,
    copies int not null default 1,
    body bytea not null
  ) with (fillfactor = 85)`,
  `create index if not exists waiting on ${schema}.entries (topic, "turnAt", seq) where "handledAt" is null`,
  `create index if not exists held on ${schema}.entries ("reviewCaseId", "turnAt")
    where held and "handledAt" is null and "reviewCaseId" is not null`,
  `create table if not exists ${schema}.heads (
    "reviewCaseId" text collate "C" primary key,
    "caseVersion" bigint not null,
    "eventSequence" bigint not null,
    "previousVersion" bigint,
    "previousSequence" bigint
  ) with (fillfactor = 85)`,
]

/** Makes the tables where they are missing; who starts meanwhile waits. */
export async function createInboxSchema(
  client: Pick<pg.PoolClient, 'query'>,
  schema: string,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [`countersign inbox ${schema}`])
  for (const statement of tables(quote(schema))) await client.query(statement)
}

/** The statements of an inbox; its tables are named with their schema, so that the search path stays yours. */
export function inboxStatements(schema: string) {
  const [entries, heads] = ['entries', 'heads'].map((name) => `${quote(schema)}.${name}`)
  const ofTurn = 'id = $1 and attempts = $2 and held and "handledAt" is null'
  return {
    takeTurns: `select 1 from ${quote(schema)}.takers for update`,
    insert: `insert into ${entries}
        (id, topic, type, "reviewCaseId", "caseVersion", "eventSequence", body, "receivedAt", "turnAt")
      values ($1, $2, $3, $4, $5, $6, $7, $8, $8) on conflict (id) do nothing returning 1`,
    countCopy: `update ${entries} set copies = copies + 1 where id = $1 returning (body = $2)::int`,
    due: `select seq, id, type, "reviewCaseId", "caseVersion", "eventSequence", body, "receivedAt", attempts, "turnAt"
      from ${entries} e
      where topic = $1 and "handledAt" is null and "turnAt" <= $2 and ("turnAt", seq) > ($3, $4)
        and not exists (
          select 1 from ${entries} o where o."reviewCaseId" = e."reviewCaseId"
            and o.held and o."handledAt" is null and o."turnAt" > $2
        )
      order by "turnAt", seq limit $5 for update of e skip locked`,
    holdAll: `update ${entries} set held = true, "turnAt" = $2, attempts = attempts + 1 where seq = any($1::bigint[])`,
    raise: `insert into ${heads} as h ("reviewCaseId", "caseVersion", "eventSequence")
      select * from unnest($1::text[], $2::bigint[], $3::bigint[])
      on conflict ("reviewCaseId") do update set
        "previousVersion" = h."caseVersion", "previousSequence" = h."eventSequence",
        "caseVersion" = excluded."caseVersion", "eventSequence" = excluded."eventSequence"
      where (excluded."caseVersion", excluded."eventSequence") > (h."caseVersion", h."eventSequence")`,
    heads: `select "reviewCaseId", "caseVersion", "eventSequence", "previousVersion", "previousSequence"
      from ${heads} where "reviewCaseId" = any($1::text[])`,
    moveHolds: `update ${entries} e set "turnAt" = $3 from unnest($1::text[], $2::int[]) as k(id, attempt)
      where e.id = k.id and e.attempts = k.attempt and e.held and e."handledAt" is null`,
    /** An entry that its own transaction settled is told settled to the same turn, and its time noted. */
    handled: `update ${entries} set "handledAt" = $3
      where ${ofTurn} or (id = $1 and "settledBy" = $2) returning 1`,
    settle: `update ${entries} set "settledBy" = $2, "handledAt" = "turnAt" where ${ofTurn} returning 1`,
    failed: `update ${entries} set held = false, "turnAt" = $3, failure = $4 where ${ofTurn} returning 1`,
    has: `select id from ${entries} where id = any($1::text[])`,
  } as const
}
