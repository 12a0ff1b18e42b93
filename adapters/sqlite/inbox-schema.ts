import type { SchemaSteps } from './schema-steps.ts'

/**
 * `waiting` is the order of turns, `held` the cases that a handler works on; `copies` counts how often an entry came,
 * all but the first of which were dropped.
 */
export const inboxSchema: SchemaSteps = {
  applicationId: 0x43534931,
  steps: [
    `CREATE TABLE entries (
       seq INTEGER PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       topic TEXT NOT NULL,
       type TEXT,
       reviewCaseId TEXT,
       caseVersion INTEGER,
       eventSequence INTEGER,
       receivedAt INTEGER NOT NULL,
       turnAt INTEGER NOT NULL,
       held INTEGER NOT NULL DEFAULT 0,
       attempts INTEGER NOT NULL DEFAULT 0,
       handledAt INTEGER,
       failure TEXT,
       copies INTEGER NOT NULL DEFAULT 1,
       body BLOB NOT NULL
     ) STRICT;
     CREATE INDEX waiting ON entries (topic, turnAt, seq) WHERE handledAt IS NULL;
     CREATE INDEX held ON entries (reviewCaseId, turnAt)
       WHERE held = 1 AND handledAt IS NULL AND reviewCaseId IS NOT NULL;
     CREATE TABLE heads (
       reviewCaseId TEXT NOT NULL PRIMARY KEY,
       caseVersion INTEGER NOT NULL,
       eventSequence INTEGER NOT NULL,
       previousVersion INTEGER,
       previousSequence INTEGER
     ) STRICT, WITHOUT ROWID;`,
  ],
}
