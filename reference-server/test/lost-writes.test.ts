import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@countersign/core/testing'
import { keepMark } from '../lost-writes.ts'

test('the mark is raised at once, every second and at the end; a fault is told once as long as it lasts', async () => {
  const clock = createManualClock(1_000_000)
  const marks: number[] = []
  const faults: string[] = []
  let broken = false
  const mark = async (now: number) => {
    if (broken) throw new Error('full')
    marks.push(now - 1_000_000)
  }
  const keeper = keepMark(mark, clock, ({ message }) => faults.push(message))
  await clock.advance(2_500)
  assert.deepEqual(marks, [0, 1_000, 2_000])
  broken = true
  await clock.advance(5_000)
  assert.deepEqual(faults, ['full'])
  broken = false
  await clock.advance(1_000)
  broken = true
  await clock.advance(1_000)
  assert.deepEqual(faults, ['full', 'full'])
  broken = false
  await keeper.stop()
  const last = marks.at(-1)
  assert.equal(last, 9_500)
  await clock.advance(10_000)
  assert.equal(marks.at(-1), last, 'nothing is raised after the end')
})
