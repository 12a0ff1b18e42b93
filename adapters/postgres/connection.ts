import { StoreError } from '@countersign/core/ports'
import pg from 'pg'
import { translate } from './errors.ts'
import { parsers } from './parsers.ts'

/** What a statement answered; rows are arrays of values. */
export interface Answer {
  readonly rows: readonly (readonly unknown[])[]
  /** The command tag: a `commit` of a transaction that failed answers `ROLLBACK`. */
  readonly command: string
}

/** One connection; statements are sent without waiting for the answers to those before. */
export interface Connection {
  run(text: string, values?: readonly unknown[]): Promise<Answer>
  /** Broken or closed: nothing more can be sent. */
  lost(): boolean
  close(): Promise<void>
}

/** Where the database is. */
export interface Place {
  /** `postgres://user:password@host:port/database?sslmode=…`, as libpq has it. */
  readonly url: string
  readonly schema: string
  /** Longest wait for a connection and for an answer, in ms. */
  readonly connectMs: number
  readonly answerMs: number
}

/** Settings of the session by what it is for: each statement of a writer has one good plan, whatever statistics say. */
const sessions = {
  writer: {
    plan_cache_mode: 'force_generic_plan',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
  },
  reader: {},
}

const common = {
  enable_seqscan: 'off',
  jit: 'off',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '10s',
  client_min_messages: 'warning',
  extra_float_digits: '1',
}

/** Texts of statements and the short names under which connections prepare them. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  const found = names.get(text)
  if (found !== undefined) return found
  const made = `s${names.size}`
  names.set(text, made)
  return made
}

const unnamed = /^(?:begin|commit|rollback|lock|set)\b/

/** Opens a connection and reads back that the server keeps what it acknowledges. */
export async function connect(
  { url, schema, connectMs, answerMs }: Place,
  session: keyof typeof sessions,
): Promise<Connection> {
  const settings = { ...common, ...sessions[session], search_path: schema }
  const client = new pg.Client({
    connectionString: url,
    pipeline: true,
    types: parsers,
    application_name: 'countersign',
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
  let lost = false
  client.on('error', () => {
    lost = true
  })
  client.on('end', () => {
    lost = true
  })
  const connection: Connection = {
    async run(text, values) {
      if (lost) throw new StoreError('io', 'the connection to the database server is closed')
      const named = unnamed.test(text) ? {} : { name: nameOf(text) }
      const query = { text, rowMode: 'array' as const, ...named, values: [...(values ?? [])] }
      const { rows, command } = await client.query(query)
      return { rows, command }
    },
    lost: () => lost,
    async close() {
      lost = true
      await client.end().catch(() => {})
    },
  }
  try {
    await client.connect()
    await checkServer(connection)
  } catch (error) {
    await connection.close()
    throw translate(error)
  }
  return connection
}

const asked = `select current_setting('server_version_num')::int, current_setting('server_encoding'),
  pg_is_in_recovery()::int, current_setting('fsync'), current_setting('full_page_writes'),
  current_setting('synchronous_commit')`

async function checkServer(connection: Connection): Promise<void> {
  const { rows } = await connection.run(asked)
  const [version, encoding, standby, fsync, pages, synchronous] = rows[0] ?? []
  const wrong =
    Number(version) < 150_000
      ? `it is of version ${version}, expected 15 or later`
      : encoding !== 'UTF8'
        ? `its encoding is ${encoding}, expected UTF8`
        : fsync !== 'on' || pages !== 'on'
          ? 'fsync or full_page_writes is off: it loses what it acknowledged'
          : synchronous === 'off'
            ? 'synchronous_commit is off: it loses what it acknowledged'
            : null
  if (wrong) throw new StoreError('incompatible', `the database server can not be used: ${wrong}`)
  if (Number(standby) === 1)
    throw new StoreError('io', 'the database server is a standby and takes no writes')
}
