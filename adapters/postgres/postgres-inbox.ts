import {
  type CaseHead,
  type CasePosition,
  type Inbox,
  type InboxTurn,
  type Settled,
  type Stored,
  StoreError,
} from '@countersign/core/ports'
import pg from 'pg'
import { translate } from './errors.ts'
import { createInboxSchema, inboxStatements } from './inbox-schema.ts'
import { checkSchema } from './options.ts'
import { parsers } from './parsers.ts'

/** Options of `openPostgresInbox`. */
export interface PostgresInboxOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: string
  /** Where its tables are (default `countersign_inbox`), apart from yours. Made if it is not there. */
  readonly schema?: string
  /** Connections, each of which a transactional handler keeps while it runs (default 10). */
  readonly connections?: number
}

/** A transaction of your database, by a client of pg; rows are objects. */
export interface InboxTransaction {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{
    readonly rows: readonly Record<string, unknown>[]
    readonly rowCount: number | null
  }>
}

/** What names an event's turn: `onEvent` is given it. */
export interface EventOfTurn {
  readonly message: { readonly id: string }
  readonly attempt: number
}

/** The receiver's inbox in a PostgreSQL database, which several processes may share. */
export interface PostgresInbox extends Inbox {
  /**
   * An `onEvent` whose writes through `transaction` and the settling of the entry are committed together: they have
   * their effect exactly once, whatever dies when. Effects elsewhere (calls, mails) happen at least once, as ever.
   */
  transactional<T extends EventOfTurn>(
    handle: (transaction: InboxTransaction, turn: T) => Promise<void>,
  ): (turn: T) => Promise<void>
}

type Row = readonly unknown[]
type Client = Pick<pg.PoolClient, 'query'>

/** Opens the inbox, and makes its tables where they are missing. */
export async function openPostgresInbox(options: PostgresInboxOptions): Promise<PostgresInbox> {
  const { url, schema = 'countersign_inbox', connections = 10 } = options
  checkSchema(schema)
  const sql = inboxStatements(schema)
  const pool = new pg.Pool({ connectionString: url, max: connections, application_name: 'inbox' })
  // A connection that breaks while nobody uses it is replaced by the next call.
  pool.on('error', () => {})
  let closed: Promise<void> | null = null

  async function ask(text: string, values: readonly unknown[], by: Client = pool) {
    const query = { text, values: [...values], rowMode: 'array' as const, types: parsers }
    const { rows } = await by.query<unknown[]>(query)
    return rows as readonly Row[]
  }

  function open(): void {
    if (closed) throw new StoreError('closed', 'the inbox is closed')
  }

  async function call<T>(run: () => Promise<T>): Promise<T> {
    open()
    try {
      return await run()
    } catch (error) {
      throw translate(error)
    }
  }

  /** Rejects with what `run` rejects with, rolled back. */
  async function transaction<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken = true
    try {
      await client.query('begin')
      let result: T
      try {
        result = await run(client)
      } catch (error) {
        await client.query('rollback')
        broken = false
        throw error
      }
      const { command } = await client.query('commit')
      broken = false
      if (command !== 'COMMIT') throw new StoreError('io', 'the transaction was rolled back')
      return result
    } finally {
      client.release(broken)
    }
  }

  async function take(
    client: Client,
    { topic, now, holdUntil, limit }: Parameters<Inbox['take']>[0],
  ): Promise<readonly InboxTurn[]> {
    // Takers take turns: two of them must not hand out entries of one case.
    await ask(sql.takeTurns, [], client)
    const chosen: { readonly seq: unknown; readonly turn: Omit<InboxTurn, 'caseHead'> }[] = []
    const cases = new Map<string, CasePosition>()
    let behind: readonly unknown[] = [Number.MIN_SAFE_INTEGER, 0]
    while (chosen.length < limit) {
      const due = await ask(sql.due, [topic, now, ...behind, limit], client)
      for (const row of due) {
        const { seq, turnAt, turn } = readTurn(topic, row)
        behind = [turnAt, seq]
        const { position } = turn.entry
        if (chosen.length === limit) break
        if (position && cases.has(position.reviewCaseId)) continue
        if (position) cases.set(position.reviewCaseId, position)
        chosen.push({ seq, turn })
      }
      if (due.length < limit) break
    }
    if (chosen.length === 0) return []
    await ask(sql.holdAll, [chosen.map(({ seq }) => seq), holdUntil], client)
    const heads = await raiseHeads(client, [...cases.values()])
    return chosen.map(({ turn }) => {
      const { position } = turn.entry
      return { ...turn, caseHead: position && (heads.get(position.reviewCaseId) ?? null) }
    })
  }

  async function raiseHeads(
    client: Client,
    positions: readonly CasePosition[],
  ): Promise<ReadonlyMap<string, CaseHead>> {
    if (positions.length === 0) return new Map()
    const ids = positions.map(({ reviewCaseId }) => reviewCaseId)
    await ask(
      sql.raise,
      [
        ids,
        positions.map(({ caseVersion }) => caseVersion),
        positions.map(({ eventSequence }) => eventSequence),
      ],
      client,
    )
    return new Map((await ask(sql.heads, [ids], client)).map(readHead))
  }

  async function store(values: readonly unknown[], id: string, body: Uint8Array): Promise<Stored> {
    const stored = await ask(sql.insert, values)
    if (stored.length > 0) return { kind: 'stored' }
    const [copy] = await ask(sql.countCopy, [id, body])
    return { kind: 'duplicate', sameBody: copy?.[0] === 1 }
  }

  async function settle(text: string, values: readonly unknown[], by?: Client): Promise<Settled> {
    return (await ask(text, values, by)).length > 0 ? 'settled' : 'stale'
  }

  const inbox: PostgresInbox = {
    store({ id, topic, type, position, receivedAt, body: given }) {
      // Copied at once: a runtime may use the buffer of a request again.
      const body = given.slice()
      const place = position
        ? [position.reviewCaseId, position.caseVersion, position.eventSequence]
        : [null, null, null]
      const values = [id, topic, type, ...place, body, receivedAt]
      return call(() => store(values, id, body))
    },
    take: (query) => call(() => transaction((client) => take(client, query))),
    hold: (turns, until) =>
      call(async () => {
        const ids = turns.map(({ id }) => id)
        await ask(sql.moveHolds, [ids, turns.map(({ attempt }) => attempt), until])
      }),
    handled: ({ id, attempt }, at) => call(() => settle(sql.handled, [id, attempt, at])),
    failed: ({ id, attempt }, retryAt, reason) =>
      call(() => settle(sql.failed, [id, attempt, retryAt, reason])),
    head: (reviewCaseId) =>
      call(async () => {
        const [found] = await ask(sql.heads, [[reviewCaseId]])
        return found ? readHead(found)[1].head : null
      }),
    has: (ids) =>
      call(async () => {
        const found = new Set((await ask(sql.has, [ids])).map(([id]) => id))
        return ids.map((id) => found.has(id))
      }),
    transactional: (handle) => async (turn) => {
      open()
      const { message, attempt } = turn
      await transaction(async (client) => {
        // Locks the entry until the end: nobody else is handed it, and what was settled is not done again.
        const mine = await settle(sql.settle, [message.id, attempt], client)
        if (mine === 'stale') return
        await handle({ query: (text, values = []) => client.query(text, [...values]) }, turn)
      })
    },
    close() {
      closed ??= pool.end()
      return closed
    },
  }

  try {
    await transaction((client) => createInboxSchema(client, schema))
  } catch (error) {
    await inbox.close()
    throw translate(error)
  }
  return inbox
}

function readTurn(topic: InboxTurn['entry']['topic'], row: Row) {
  const [seq, id, type, reviewCaseId, caseVersion, eventSequence, body, receivedAt, attempts, at] =
    row as readonly [
      number,
      string,
      string | null,
      string | null,
      number,
      number,
      Uint8Array,
      number,
      number,
      number,
    ]
  const position = reviewCaseId === null ? null : { reviewCaseId, caseVersion, eventSequence }
  const entry = { id, topic, type, position, body, receivedAt }
  return { seq, turnAt: at, turn: { entry, attempt: attempts + 1 } }
}

function readHead(row: Row): readonly [string, CaseHead] {
  const [reviewCaseId, caseVersion, eventSequence, version, sequence] = row as readonly [
    string,
    number,
    number,
    number | null,
    number | null,
  ]
  const previous =
    version === null || sequence === null
      ? null
      : { reviewCaseId, caseVersion: version, eventSequence: sequence }
  return [reviewCaseId, { head: { reviewCaseId, caseVersion, eventSequence }, previous }]
}
