import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Read } from '@countersign/core/ports'
import { sessions, steps } from '../../content/records.ts'
import { caseSeals, seals } from '../../content/seal-records.ts'
import { leafOf, recordOf } from '../../sessions/seal/record.ts'
import { createWorld, send, span, spanOf } from './world.ts'

/** What a read or a commit of a slow store takes, ms. */
const slow = 100

it('cases of one application that end at once are sealed soon, and no run gives up', async () => {
  let conflicts = 0
  let wait = async () => {}
  const world = await createWorld({
    wrap: ({ read, commit, ...store }) => ({
      ...store,
      read: (...asked) => wait().then(() => read(...asked)),
      commit: async (set) => {
        await wait()
        const outcome = await commit(set)
        conflicts += outcome.committed ? 0 : 1
        return outcome
      },
    }),
  })
  const { service, admin, clock } = world
  const { applicationId } = world.owner
  const made = await service.applicationKeys.create(admin, { applicationId, label: 'app' })
  const application = unwrap(await service.access.authenticateApplication(unwrap(made).value))
  const ended = 200
  for (let at = 0; at < ended; at++) {
    const name = `case-${at}`
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        ...{ sessionId: 'session-1', checkpointId: name, idempotencyKey: name },
        reasonCategory: 'high_risk_action',
        presentation: { title: name },
      }),
    )
    const { caseVersion } = unwrap(await service.reviewCases.claim(admin, { reviewCaseId }))
    const ending = { reviewCaseId, caseVersion, reasonCategory: 'end_user_cancelled' } as const
    unwrap(await service.reviewCases.cancel(admin, ending))
  }
  // The first runs are late: seals are due while cases are still entered.
  await clock.advance(15_000)
  wait = () => new Promise((resolve) => void clock.after(slow, resolve))
  service.start()
  for (let at = 0; at < 20_000; at += slow) await clock.advance(slow)
  const sealed = world.rows(caseSeals).filter(({ batchId }) => batchId !== null)
  assert.equal(sealed.length, ended)
  assert.ok(conflicts < ended / 4, `${conflicts} conflicts`)
})

const count = 1_200
/** Steps that are read or hashed without a pause. */
const most = 250

it('a long session is sealed in parts with pauses, under the leaf of the whole', async () => {
  let pauses = 0
  const world = await createWorld({
    pause: async () => {
      pauses++
    },
  })
  for (let at = 0; at < count; at += 400)
    unwrap(
      await send(
        world,
        ...Array.from({ length: 400 }, (_, n) => span({ spanId: spanOf(at + n + 1) })),
      ),
    )
  await world.pass(120_000)
  const before = pauses
  let largest = 0
  const { read } = world.store
  world.store.read = async (tenant: string | null, reads: readonly Read[]) => {
    const found = await read(tenant, reads)
    for (const each of found) largest = Math.max(largest, each.rows.length)
    return found
  }
  await world.pass(120_000)

  const [seal] = world.rows(seals)
  const [session] = world.rows(sessions)
  assert.ok(seal?.head && session)
  assert.equal(session.tally.steps, count)
  const all = [...world.rows(steps)].sort((a, b) => (a.place < b.place ? -1 : 1))
  assert.equal(seal.leafHash, leafOf(recordOf(session, seal.revision, seal.head, all)))
  assert.ok(largest <= most, `${largest} rows at once`)
  // One between two reads, and one for each part of what is hashed.
  assert.ok(pauses - before >= count / most + 1, `${pauses - before} pauses`)
})
