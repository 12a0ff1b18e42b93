import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import { createWorld, send, span } from './world.ts'

test('a read of a session asks for the marks of erasures no later than for the rows', async () => {
  const world = await createWorld()
  await send(world, span())
  const { service, admin, store } = world
  const asked: string[] = []
  const { read } = store
  store.read = (tenant, reads) => {
    asked.push(...reads.map((one) => String(Object.values(one)[0])))
    return read(tenant, reads)
  }
  const sessionId = 'session-1'
  unwrap(await service.sessions.read(admin, { sessionId }))
  const [marks, rows] = ['erasureMarks', 'sessions'].map((name) => asked.indexOf(name))
  assert.ok(marks !== undefined && marks >= 0, 'the marks are read')
  assert.ok(rows !== undefined && marks < rows, asked.join(', '))
})
