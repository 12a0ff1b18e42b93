import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { collections, logs } from '@countersign/core'
import { openSqliteStore } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { serveParent } from '../child.ts'
import { listening } from '../listening.ts'
import { spansIn } from '../trace-proto.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly startTimeUnixNano: string
}

/**
 * What one would write by hand: parse an export, and insert a row a span in one transaction. The table is the service's
 * own, with its indexes: a step is found by its session, its subject and its application here too.
 */
await serveParent<{ readonly directory: string }>(async ({ directory }) => {
  const file = join(directory, 'bare.db')
  await openSqliteStore({ file, collections, logs }).close()
  const db = new Database(file)
  db.pragma('synchronous = FULL')
  const insert = db.prepare(
    'INSERT OR IGNORE INTO steps (tenantId, applicationId, scope, stepId, sessionId, place, subject, _version, _body) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)',
  )
  const commit = db.transaction((spans: readonly Span[]) => {
    for (const { traceId, spanId, startTimeUnixNano, ...rest } of spans) {
      const at = Math.floor(Number(startTimeUnixNano) / 1e6)
      const owner = ['ten_bare', 'app_bare', traceId, spanId]
      const body = Buffer.from(JSON.stringify(rest))
      insert.run(...owner, `session ${traceId}`, `${at}.${spanId}`, 'customer-77', body)
    }
  })
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    if (request.headers['content-type'] === 'application/x-protobuf') {
      commit.immediate(
        spansIn(body).map((span) => ({
          ...span,
          traceId: span.traceId.toString('hex'),
          spanId: span.spanId.toString('hex'),
        })),
      )
      response.end()
      return
    }
    const parsed = JSON.parse(body.toString())
    commit.immediate(parsed.resourceSpans[0].scopeSpans[0].spans)
    response.end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  return { ready: await listening(server) }
})
