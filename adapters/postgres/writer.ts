import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '@countersign/core/ports'
import type { Connection } from './connection.ts'
import { endsConnection, translate } from './errors.ts'

/** What became of a transaction. `lost`: the connection broke, and it is known that nothing of it will be committed. */
export type Ended<T> =
  | { readonly kind: 'committed'; readonly value: T }
  | { readonly kind: 'refused'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'lost'; readonly error: unknown }

/** What a transaction does within: `sent` once all its statements are, so that `commit` may follow without waiting. */
export interface Work<T> {
  readonly sent: boolean
  /** Whether what it answered may be committed. */
  commits(value: T): boolean
  run(connection: Connection): Promise<T>
}

/** One connection that writes, and its row in `_writers`: the row tells what became of a transaction whose answer was lost. */
export interface Writer {
  /** Rejects with `io` where nobody can tell whether the transaction is committed. */
  transact<T>(work: Work<T>): Promise<Ended<T>>
  close(): Promise<void>
}

const insert = 'insert into _writers (id, seq) values ($1, 0)'
const move = `with w as (update _writers set seq = seq + 1 where id = $1 and seq = $2 returning 1)
  select 1/(count(*) = 1)::int from w`
const look = 'select seq from _writers where id = $1 for update'
const fence = 'update _writers set seq = seq + 1000000 where id = $1'

/** Between two tries to connect, in ms. */
const pauseMs = 100

/** `patienceMs`: how long it tries to reach a server that is gone. */
export function createWriter(open: () => Promise<Connection>, patienceMs: number): Writer {
  let connection: Connection | null = null
  /** Null until the row is there. */
  let row: { readonly id: string; seq: number } | null = null

  async function connected(): Promise<Connection> {
    if (connection && !connection.lost()) return connection
    connection = null
    for (const end = performance.now() + patienceMs; ; ) {
      try {
        connection = await open()
        return connection
      } catch (error) {
        const told = translate(error)
        if (told.code === 'incompatible' || performance.now() > end) throw told
        await sleep(pauseMs)
      }
    }
  }

  async function ready(): Promise<{ connection: Connection; row: NonNullable<typeof row> }> {
    const open = await connected()
    if (!row) {
      const made = { id: randomUUID(), seq: 0 }
      await open.run(insert, [made.id])
      row = made
    }
    return { connection: open, row }
  }

  /** After a lost answer: whether the transaction is committed; if not, it never will be. */
  async function resolve(expected: NonNullable<typeof row>): Promise<boolean> {
    const end = performance.now() + patienceMs
    for (;;) {
      try {
        const { run } = await connected()
        await run('begin')
        // Waits for the transaction, should the server still be at it.
        const { rows } = await run(look, [expected.id])
        const seq = rows[0]?.[0] as number | undefined
        if (seq === undefined)
          throw new StoreError('incompatible', 'the row of this writer is gone from _writers')
        if (seq === expected.seq) await run(fence, [expected.id])
        const { command } = await run('commit')
        if (command !== 'COMMIT') throw new StoreError('io', 'the writer could not be fenced')
        const committed = seq > expected.seq
        expected.seq = committed ? seq : seq + 1_000_000
        return committed
      } catch (error) {
        const told = translate(error)
        await connection?.close()
        if (told.code === 'incompatible' || performance.now() > end) {
          // Whatever is under way may still be committed; this row must not be taken for another's.
          row = null
          throw new StoreError(
            'io',
            `the connection broke while committing, and nobody can tell whether it is done: ${told.message}`,
            { cause: error },
          )
        }
        await sleep(pauseMs)
      }
    }
  }

  async function transact<T>(work: Work<T>): Promise<Ended<T>> {
    const { connection: open, row: mine } = await ready()
    const { run } = open
    const first = [run('begin'), run(move, [mine.id, mine.seq])]
    const working = work.run(open)
    const outcomes = Promise.allSettled([...first, working])
    let value: T | undefined
    let ending: Promise<{ readonly command: string }> | null = null
    if (work.sent) ending = run('commit')
    else {
      const failed = (await outcomes).some(({ status }) => status === 'rejected')
      if (!failed) value = await working
      ending = failed || !work.commits(value as T) ? null : run('commit')
    }
    const [end] = await Promise.allSettled([ending ?? run('rollback')])
    const settled = await outcomes
    const wrong = settled.find(({ status }) => status === 'rejected') ?? end
    const error: unknown = wrong?.status === 'rejected' ? wrong.reason : null

    if (ending && end?.status === 'fulfilled' && end.value.command === 'COMMIT') {
      mine.seq += 1
      return { kind: 'committed', value: await working }
    }
    if (ending && end?.status === 'rejected' && endsConnection(end.reason)) {
      await open.close()
      return (await resolve(mine))
        ? { kind: 'committed', value: await working.catch(() => value as T) }
        : { kind: 'lost', error }
    }
    if (end?.status === 'rejected') await open.close()
    if (settled[1]?.status === 'rejected' && settled[0]?.status === 'fulfilled') row = null
    if (error === null) return { kind: 'refused', value: value as T }
    return endsConnection(error) ? { kind: 'lost', error } : { kind: 'failed', error }
  }

  return {
    transact,
    async close() {
      if (!connection || connection.lost()) return
      if (row) await connection.run('delete from _writers where id = $1', [row.id]).catch(() => {})
      await connection.close()
    },
  }
}
