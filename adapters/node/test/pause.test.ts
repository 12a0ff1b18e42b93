import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nodePause } from '../pause.ts'

async function turnsOf(pause: () => Promise<void>): Promise<readonly number[]> {
  let turn = 0
  let running = true
  const counting = (async () => {
    for (; running; turn++) await nextTurn()
  })()
  const went: number[] = []
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      for (let slice = 0; slice < 3; slice++) {
        await pause()
        went.push(turn)
      }
    }),
  )
  running = false
  await counting
  return went
}

test('of several that pause, one goes on in each turn of the loop', async () => {
  const went = await turnsOf(nodePause)
  assert.equal(went.length, 15)
  assert.equal(new Set(went).size, 15)
  // The test finds a pause that lets all go on at once.
  assert.ok(new Set(await turnsOf(() => nextTurn())).size < 15)
})
