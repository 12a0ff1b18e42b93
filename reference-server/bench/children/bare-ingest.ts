import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { serveParent } from '../child.ts'
import { listening } from '../listening.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

/** What one would write by hand: parse an export, and insert a row a span in one transaction. */
await serveParent<{ readonly directory: string }>(async ({ directory }) => {
  const db = new Database(join(directory, 'bare.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(
    'CREATE TABLE spans (id TEXT PRIMARY KEY, name TEXT, at INTEGER, body TEXT) STRICT, WITHOUT ROWID',
  )
  const insert = db.prepare('INSERT OR IGNORE INTO spans VALUES (?, ?, ?, ?)')
  const commit = db.transaction((spans: readonly Span[]) => {
    for (const span of spans) {
      const at = Math.floor(Number(span.startTimeUnixNano) / 1e6)
      insert.run(`${span.traceId}-${span.spanId}`, span.name, at, JSON.stringify(span.attributes))
    }
  })
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request))
    commit.immediate(body.resourceSpans[0].scopeSpans[0].spans)
    response.end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  return { ready: await listening(server) }
})
