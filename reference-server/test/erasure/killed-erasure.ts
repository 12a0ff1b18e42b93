import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { unwrap } from '@countersign/core'
import { messages, workItems } from '@countersign/core/internal'
import { formsOf } from '../text-forms.ts'
import { type Asked, hers, his, stepIdOf } from './asked-erasure.ts'
import { type KillPoint, never } from './mortal-ports.ts'
import { type Faulty, filesWith, newDirectory, type Process, processOn } from './process-on.ts'

const hour = 3_600_000

/** What became of an erasure whose process died. */
export interface Survived {
  /** Of the process that died. */
  readonly writes: number
  /** What the erasure's state was when it died. */
  readonly status: string
}

/**
 * Runs the erasure in a process that dies at a point, and on the files that it leaves in another one until it is done.
 * Throws where something of the person is shown after the erasure's first commit, where it does not end whole, or where
 * a file has what was theirs then.
 */
export async function killedAt(asked: Asked, point: KillPoint, faulty?: Faulty): Promise<Survived> {
  const what = `killed ${point.when} write ${point.at}`
  const [directory, image] = [newDirectory(), newDirectory()]
  cpSync(asked.directory, directory, { recursive: true })
  const mortal = processOn(directory, asked.now, point, faulty)
  let died = false
  void mortal.mortal.dead.then(() => {
    died = true
  })
  try {
    mortal.service.start()
    for (let waits = 0; !died && (await statusOf(mortal, asked)) !== 'completed'; waits++) {
      assert.ok(waits < 100, what)
      await mortal.clock.advance(1_000)
    }
    // What a crash leaves: files as they are, and no word of goodbye.
    cpSync(directory, image, { recursive: true })
  } finally {
    await mortal.end()
    rmSync(directory, { recursive: true })
  }
  const heir = processOn(image, mortal.clock.now() + hour, never, faulty)
  let status: string
  try {
    status = await assertUnreadable(heir, asked, what)
    heir.service.start()
    for (let waits = 0; (await statusOf(heir, asked)) !== 'completed'; waits++) {
      assert.ok(waits < 100, what)
      await heir.clock.advance(1_000)
    }
    await assertErased(heir, asked, what)
    // While it runs: an end in order would write the log into the file.
    for (const bytes of [...asked.secrets, ...formsOf(hers)])
      assert.deepEqual(filesWith(image, Buffer.from(bytes)), [], what)
  } finally {
    await heir.end()
  }
  rmSync(image, { recursive: true })
  return { writes: mortal.mortal.writes(), status }
}

async function statusOf({ service }: Process, { admin, erasureRequestId }: Asked) {
  const read = await service.erasureRequests.read(admin, { erasureRequestId }).catch(() => null)
  return read?.ok ? read.value.status : null
}

/** All that a member is shown of both sessions and of the cases. */
async function shownBy({ service }: Process, { admin, reviewCaseIds }: Asked): Promise<string> {
  const page = { page: 1, pageSize: 100 }
  const told: unknown[] = []
  for (const sessionId of ['own', 'his']) {
    told.push(await service.evidence.read(admin, { sessionId }))
    told.push(await service.annotations.list(admin, { sessionId, ...page }))
    for (let at = 0; at < 4; at++)
      told.push(await service.sessions.readStep(admin, { sessionId, stepId: stepIdOf(at) }))
  }
  for (const reviewCaseId of reviewCaseIds)
    told.push(await service.reviewCases.read(admin, { reviewCaseId }))
  return JSON.stringify(told)
}

/** From the first commit on nothing of hers is shown; before it all is. Others' texts are shown in any case. */
async function assertUnreadable(process: Process, asked: Asked, what: string): Promise<string> {
  const { erasureRequestId, admin } = asked
  const { status } = unwrap(await process.service.erasureRequests.read(admin, { erasureRequestId }))
  const text = await shownBy(process, asked)
  assert.ok(text.includes(his), what)
  assert.equal(text.includes(hers), status === 'received', `${what}, ${status}`)
  return status
}

async function assertErased(process: Process, asked: Asked, what: string): Promise<void> {
  const { erasureRequestId, admin, reviewCaseIds } = asked
  const { counts } = unwrap(await process.service.erasureRequests.read(admin, { erasureRequestId }))
  assert.deepEqual(
    counts,
    { applications: 1, sessions: 2, payloads: 2, cases: 3, annotations: 1 },
    what,
  )
  await assertUnreadable(process, asked, what)
  for (const reviewCaseId of reviewCaseIds) {
    const { state, presentation } = unwrap(
      await process.service.reviewCases.read(admin, { reviewCaseId }),
    )
    assert.deepEqual([state, presentation], ['cancelled', null], what)
  }
  const told = (await process.rows(messages)).filter(
    ({ type }) => type === 'gdpr.erasure_completed',
  )
  assert.equal(told.length, 1, what)
  const left = (await process.rows(workItems)).filter(({ kind }) => kind === 'erasure')
  assert.deepEqual(left, [], what)
}
