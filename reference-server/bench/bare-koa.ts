import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import Koa from 'koa'

/** What one would write by hand: a Koa route that parses JSON and commits one row, commits of a turn together. */
export function bareKoa(file: string): Server {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE IF NOT EXISTS decisions (id TEXT PRIMARY KEY, body TEXT) STRICT')
  const insert = db.prepare('INSERT INTO decisions VALUES (?, ?)')
  let waiting: { id: string; body: string; done: () => void }[] = []
  const commit = db.transaction((rows: typeof waiting) => {
    for (const { id, body } of rows) insert.run(id, body)
  })

  function flush(): void {
    const rows = waiting
    waiting = []
    commit.immediate(rows)
    for (const { done } of rows) done()
  }

  const koa = new Koa()
  koa.use(async (ctx) => {
    const body = await text(ctx.req)
    const { id } = JSON.parse(body)
    await new Promise<void>((done) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ id, body, done })
    })
    ctx.body = { id }
  })
  const answer = koa.callback()
  return createServer((request, response) => void answer(request, response))
}
