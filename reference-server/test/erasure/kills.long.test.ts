import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { askedErasure } from './asked-erasure.ts'
import { killedAt } from './killed-erasure.ts'
import { never } from './mortal-ports.ts'

test('an erasure on SQLite survives a death at each of its writes, before and after it took effect', async () => {
  const asked = await askedErasure()
  const states = new Map<string, number>()
  try {
    const { writes } = await killedAt(asked, never)
    for (let at = 1; at <= writes; at++)
      for (const when of ['before', 'after'] as const) {
        const { status } = await killedAt(asked, { at, when })
        states.set(status, (states.get(status) ?? 0) + 1)
      }
    assert.ok(writes > 20, `${writes} writes`)
    for (const status of ['received', 'scheduled', 'completed'])
      assert.ok(states.has(status), JSON.stringify([...states]))
  } finally {
    rmSync(asked.directory, { recursive: true })
  }
})
