import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { test } from 'node:test'
import { pino } from 'pino'
import { listen } from '../listen.ts'

test('a listener goes on after errors of accept, and complains once', async () => {
  const lines: string[] = []
  let server: Server | null = null
  const listener = await listen({
    setting: 'COUNTERSIGN_PORTAL_PORT',
    host: '127.0.0.1',
    port: 0,
    tls: null,
    maxConnections: 10,
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    handler: (request, response) => {
      server = Reflect.get(request.socket, 'server') as Server
      response.end('answer')
    },
  })
  try {
    const ask = async () => (await fetch(`http://127.0.0.1:${listener.port}/`)).text()
    assert.equal(await ask(), 'answer')
    const found = server as Server | null
    assert.ok(found)
    for (let at = 0; at < 3; at++)
      found.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
    assert.equal(await ask(), 'answer')
    assert.equal(lines.length, 1)
    const { setting, error } = JSON.parse(lines[0] ?? '{}')
    assert.deepEqual([setting, error], ['COUNTERSIGN_PORTAL_PORT', 'accept EMFILE'])
    await assert.rejects(
      listen({
        setting: 'COUNTERSIGN_INGEST_PORT',
        host: '127.0.0.1',
        port: listener.port,
        tls: null,
        maxConnections: 10,
        logger: pino({ level: 'silent' }),
        handler: () => {},
      }),
      /COUNTERSIGN_INGEST_PORT: port \d+ on 127\.0\.0\.1 is taken/,
    )
  } finally {
    await listener.close(100)
  }
})
