import assert from 'node:assert/strict'
import fc from 'fast-check'
import { workItems } from '../../../kernel/work/records.ts'
import { phases } from '../../../removal/erasure/machine.ts'
import type { Progress } from '../../../removal/erasure/progress.ts'
import { erasureRequests } from '../../../removal/erasure/records.ts'
import { reviewCases } from '../../../review/records.ts'
import type { Faults, Ingested } from './ingested.ts'
import { type Given, hers, shown, worldOf } from './shown.ts'
import { readable } from './world.ts'

/** Sessions of which some are beyond the first commit. */
export const manySessions = 103

/** A person in any form, and after how many of its commits the process of their erasure dies. */
export interface Death {
  readonly given: Given
  readonly commits: number
  readonly withExports: boolean
}

export const deaths: fc.Arbitrary<Death> = fc.record({
  given: fc.record({
    seed: fc.nat(),
    late: fc.oneof(
      { weight: 12, arbitrary: fc.nat(2) },
      { weight: 1, arbitrary: fc.constant(manySessions) },
    ),
    submissions: fc.boolean(),
    openCases: fc.oneof(
      { weight: 5, arbitrary: fc.nat(3) },
      { weight: 1, arbitrary: fc.constant(24) },
    ),
    closedCases: fc.nat(2),
    namingCases: fc.nat(3),
    marks: fc.boolean(),
    packages: fc.boolean(),
    callback: fc.boolean(),
  }),
  commits: fc.integer({ min: 1, max: 30 }),
  withExports: fc.boolean(),
})

/** The most open cases that the first commit of an erasure is sure to cancel. */
const cancelledAtFirst = 10
/** The sessions that it is sure to reach. */
const sessionsAtFirst = 90

/** From the first commit of an erasure on nothing of the person is shown, and once keys are scrubbed nothing opens. */
export async function holdsAt({ given, commits, withExports }: Death, faults?: Faults) {
  const w = await worldOf(given, faults)
  await w.work(commits)
  await isUnreadable(w, given, withExports)
}

export async function isUnreadable(w: Ingested, given: Given, withExports: boolean): Promise<void> {
  const [request] = w.store.rows(erasureRequests)
  assert.ok(request, 'no erasure was asked for')
  if (request.row.begunAt === null) return
  const open = w.store.rows(reviewCases).filter(({ row }) => row.state === 'open')
  if (given.openCases <= cancelledAtFirst && given.late <= sessionsAtFirst)
    assert.deepEqual(open, [], 'a case is open')
  const [item] = w.store.rows(workItems).filter(({ row }) => row.kind === 'erasure')
  const phase = (item?.row.state as Progress | null)?.phase ?? 'finish'
  if (phases.indexOf(phase) > phases.indexOf('packages')) {
    const opened = (await readable(w.process, w.tenantId)).filter((text) => text.includes(hers))
    assert.deepEqual(opened, [], `opens in phase ${phase}`)
  }
  const all = await shown(w, { withExports })
  const told = [...all].flatMap(([name, text]) => (text.includes(hers) ? name : []))
  assert.deepEqual(told, [], `shown in phase ${phase}`)
  const steps = [...all].filter(([name]) => name.startsWith('step '))
  assert.ok(
    steps.some(([, text]) => text.includes('text of alan')),
    'others are hidden as well',
  )
  const stillOpen = [...all].filter(
    ([name, text]) => name.startsWith('case ') && text.includes('"state":"open"'),
  )
  assert.deepEqual(stillOpen, [], 'a case is shown as open')
}
