import {
  type CaseHead,
  type CasePosition,
  type Inbox,
  type InboxEntry,
  type InboxTurn,
  type Settled,
  type Stored,
  StoreError,
} from '@countersign/core/ports'
import { plainBytes } from '@countersign/core/store-kit'
import { type ConnectionOptions, connect } from './connection.ts'
import { translate, translateLive } from './errors.ts'
import { createGroup } from './group.ts'
import { inboxSchema } from './inbox-schema.ts'
import { createSavepoint } from './savepoint.ts'
import { immediately, takeSteps } from './schema-steps.ts'
import { createStatements } from './statements.ts'

/** Options of `openSqliteInbox`. */
export interface SqliteInboxOptions extends ConnectionOptions {
  /** `most`: calls that share a transaction (default 500), which bounds how long the thread is held. */
  readonly groupCommit?: { readonly most?: number }
}

type Candidate = readonly [
  seq: number,
  id: string,
  type: string | null,
  reviewCaseId: string | null,
  caseVersion: number,
  eventSequence: number,
  body: Uint8Array,
  receivedAt: number,
  attempts: number,
  turnAt: number,
]

type HeadValues = readonly [
  caseVersion: number,
  eventSequence: number,
  previousVersion: number | null,
  previousSequence: number | null,
]

const insertEntry = `INSERT INTO entries
    (id, topic, type, reviewCaseId, caseVersion, eventSequence, body, receivedAt, turnAt)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const countCopy = 'UPDATE entries SET copies = copies + 1 WHERE id = ? RETURNING body'
const selectId = 'SELECT 1 FROM entries WHERE id = ?'
const selectHead = `SELECT caseVersion, eventSequence, previousVersion, previousSequence
  FROM heads WHERE reviewCaseId = ?`
const upsertHead = `INSERT INTO heads (reviewCaseId, caseVersion, eventSequence) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET previousVersion = caseVersion, previousSequence = eventSequence,
    caseVersion = excluded.caseVersion, eventSequence = excluded.eventSequence
  WHERE (excluded.caseVersion, excluded.eventSequence) > (caseVersion, eventSequence)`
const selectDue = `SELECT seq, id, type, reviewCaseId, caseVersion, eventSequence, body, receivedAt,
    attempts, turnAt
  FROM entries INDEXED BY waiting
  WHERE topic = ? AND handledAt IS NULL AND turnAt <= ? AND (turnAt, seq) > (?, ?)
    AND NOT EXISTS (
      SELECT 1 FROM entries AS other INDEXED BY held
      WHERE other.reviewCaseId = entries.reviewCaseId
        AND other.held = 1 AND other.handledAt IS NULL AND other.turnAt > ?
    )
  ORDER BY turnAt, seq LIMIT ? + 0`
const holdEntry = 'UPDATE entries SET held = 1, turnAt = ?, attempts = attempts + 1 WHERE seq = ?'
const ofTurn = 'WHERE id = ? AND attempts = ? AND held = 1 AND handledAt IS NULL'
const moveHold = `UPDATE entries SET turnAt = ? ${ofTurn}`
const endHandled = `UPDATE entries SET handledAt = ? ${ofTurn}`
const endFailed = `UPDATE entries SET held = 0, turnAt = ?, failure = ? ${ofTurn}`

/** The receiver's inbox on one SQLite file; concurrent stores share a sync, and each is answered after it. */
export function openSqliteInbox(options: SqliteInboxOptions): Inbox {
  const { file, database }: Partial<SqliteInboxOptions> = options ?? {}
  if (!database && (typeof file !== 'string' || file === ''))
    throw new TypeError(
      `openSqliteInbox: expected { file } with the path of a file, or { database }, got ${JSON.stringify(options)}`,
    )
  const { db, close } = connect(options)
  try {
    immediately(db, () => takeSteps(db, inboxSchema))
  } catch (error) {
    close()
    throw translate(error)
  }
  const statements = createStatements(db)
  const savepoint = createSavepoint(db, statements)
  const group = createGroup(db, options.groupCommit?.most ?? 500)
  let closed = false

  function storeNow(entry: InboxEntry, body: Uint8Array): Stored {
    const { id, topic, type, position, receivedAt } = entry
    const place = position
      ? [position.reviewCaseId, position.caseVersion, position.eventSequence]
      : [null, null, null]
    const values = [id, topic, type, ...place, body, receivedAt, receivedAt]
    if (statements.of(insertEntry).run(values).changes === 1) return { kind: 'stored' }
    const [kept] = statements.of(countCopy).get([id]) as [Uint8Array]
    return { kind: 'duplicate', sameBody: sameBytes(kept, body) }
  }

  function headNow(reviewCaseId: string): CaseHead | null {
    const found = statements.of(selectHead).get([reviewCaseId]) as HeadValues | undefined
    if (!found) return null
    const [caseVersion, eventSequence, previousVersion, previousSequence] = found
    const previous =
      previousVersion === null || previousSequence === null
        ? null
        : { reviewCaseId, caseVersion: previousVersion, eventSequence: previousSequence }
    return { head: { reviewCaseId, caseVersion, eventSequence }, previous }
  }

  function raiseNow(position: CasePosition): CaseHead {
    const { reviewCaseId, caseVersion, eventSequence } = position
    statements.of(upsertHead).run([reviewCaseId, caseVersion, eventSequence])
    return headNow(reviewCaseId) ?? { head: position, previous: null }
  }

  function takeNow({ topic, now, holdUntil, limit }: Parameters<Inbox['take']>[0]): InboxTurn[] {
    const turns: InboxTurn[] = []
    const taken = new Set<string>()
    let behind: readonly [turnAt: number, seq: number] = [Number.MIN_SAFE_INTEGER, 0]
    while (turns.length < limit) {
      const due = statements
        .of(selectDue)
        .all([topic, now, ...behind, now, limit]) as readonly Candidate[]
      for (const [
        seq,
        id,
        type,
        reviewCaseId,
        caseVersion,
        eventSequence,
        body,
        receivedAt,
        attempts,
        turnAt,
      ] of due) {
        behind = [turnAt, seq]
        if (turns.length === limit) break
        if (reviewCaseId !== null && taken.has(reviewCaseId)) continue
        if (reviewCaseId !== null) taken.add(reviewCaseId)
        statements.of(holdEntry).run([holdUntil, seq])
        const position = reviewCaseId === null ? null : { reviewCaseId, caseVersion, eventSequence }
        turns.push({
          entry: { id, topic, type, position, body: plainBytes(body), receivedAt },
          attempt: attempts + 1,
          caseHead: position && raiseNow(position),
        })
      }
      if (due.length < limit) break
    }
    return turns
  }

  function settleNow(sql: string, values: readonly (string | number)[]): Settled {
    return statements.of(sql).run(values).changes === 1 ? 'settled' : 'stale'
  }

  function open(): void {
    if (closed) throw new StoreError('closed', 'the inbox is closed')
  }

  async function write<T>(run: () => T): Promise<T> {
    open()
    return group.run(run)
  }

  async function look<T>(run: () => T): Promise<T> {
    open()
    try {
      return run()
    } catch (error) {
      throw translateLive(error)
    }
  }

  return {
    store(entry) {
      // Copied at once: a runtime may use the buffer of a request again.
      const body = entry.body.slice()
      return write(() => storeNow(entry, body))
    },
    head: (reviewCaseId) => look(() => headNow(reviewCaseId)?.head ?? null),
    take: (query) => write(() => savepoint.around(() => takeNow(query))),
    hold: (turns, until) =>
      write(() =>
        savepoint.around(() => {
          for (const { id, attempt } of turns) statements.of(moveHold).run([until, id, attempt])
        }),
      ),
    handled: ({ id, attempt }, at) => write(() => settleNow(endHandled, [at, id, attempt])),
    failed: ({ id, attempt }, retryAt, reason) =>
      write(() => settleNow(endFailed, [retryAt, reason, id, attempt])),
    has: (ids) => look(() => ids.map((id) => statements.of(selectId).get([id]) !== undefined)),
    async close() {
      if (closed) return
      closed = true
      group.flush()
      close()
    },
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
