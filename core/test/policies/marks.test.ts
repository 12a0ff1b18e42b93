import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultOfSent } from '@countersign/core/events'
import { sessions } from '../../content/records.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { newSession } from '../../sessions/session-state.ts'
import { code, value } from '../organizations/access/fixture.ts'
import { policyRule } from './facts.ts'
import { people, peopleRows } from './people.ts'
import { createWorld, judgedBy, session, start } from './world.ts'

const first = { page: 1, pageSize: 20 }

async function withSession(status: 'running' | 'completed' = 'completed') {
  const world = await createWorld()
  const row = newSession(session, { origin: 'otlp', startedAt: start, now: start })
  const completedAt = status === 'completed' ? start : null
  const puts = [...peopleRows(), put(sessions, { ...row, status, completedAt }, null)]
  await world.store.commit({ tenant: null, puts })
  const stored = () => world.rows(sessions)[0]?.row
  return { ...world, ...world.service, stored }
}

const { admin, reviewer, auditor } = people
const { sessionId } = session

describe('flags of a session', () => {
  it('are open once for each kind and source, with one event, until they are cleared', async () => {
    const { flags, stored, events, enact } = await withSession()
    const raise = async (flag: 'safety' | 'compliance') =>
      value(await flags.raise(reviewer, { sessionId, flag, note: 'look' }))
    const safety = await raise('safety')
    assert.equal((await raise('safety')).flagId, safety.flagId)
    await raise('compliance')
    await enact([judgedBy([policyRule({ effect: 'deny' })])])
    assert.equal(stored()?.openFlags, 2, 'ingest itself counts the flags of policies')
    const flagged = events().filter(({ type }) => type === 'session.flagged')
    assert.equal(flagged.length, 3)
    for (const event of flagged) assert.equal(faultOfSent({ ...event }), null)
    assert.ok(!JSON.stringify(flagged).includes('look'), 'no note in an event')

    const cleared = value(await flags.clear(reviewer, { sessionId, flagId: safety.flagId }))
    assert.equal(cleared.clearedBy, reviewer.memberId)
    assert.deepEqual(value(await flags.clear(admin, { sessionId, flagId: safety.flagId })), cleared)
    assert.equal(stored()?.openFlags, 1)
    assert.notEqual((await raise('safety')).flagId, safety.flagId)
    const { flags: listed, totalCount } = value(await flags.list(auditor, { sessionId, ...first }))
    assert.equal(totalCount, 4)
    assert.equal(listed.filter(({ clearedAt }) => clearedAt === null).length, 3)
  })

  it('are raised by those who may review, of sessions that are there', async () => {
    const { flags } = await withSession()
    const flag = { flag: 'other' } as const
    assert.equal(code(await flags.raise(auditor, { sessionId, ...flag })), 'forbidden')
    assert.equal(code(await flags.raise(reviewer, { sessionId: 'unknown', ...flag })), 'not_found')
    assert.equal(
      code(await flags.clear(reviewer, { sessionId, flagId: 'flag_unknown' })),
      'not_found',
    )
    const of = { applicationId: 'app_2' }
    assert.equal(code(await flags.raise(reviewer, { sessionId, ...flag, ...of })), 'not_found')
  })

  it('count each once when several members raise and clear at the same time', async () => {
    const { flags, stored } = await withSession()
    const all = await Promise.all(
      (['safety', 'safety', 'quality', 'privacy', 'quality'] as const).map((flag) =>
        flags.raise(reviewer, { sessionId, flag }),
      ),
    )
    assert.equal(new Set(all.map((each) => value(each).flagId)).size, 3)
    assert.equal(stored()?.openFlags, 3)
    await Promise.all(
      all.map((each) => flags.clear(admin, { sessionId, flagId: value(each).flagId })),
    )
    assert.equal(stored()?.openFlags, 0)
  })
})

describe('annotations of a session', () => {
  it('are listed, the latest first, and removed by their author or an admin alone', async () => {
    const { annotations, clock } = await withSession()
    const note = async (who: MemberActor, text: string) =>
      value(await annotations.create(who, { sessionId, text, label: 'label' }))
    const mine = await note(reviewer, 'mine')
    await clock.advance(1)
    const theirs = await note(admin, 'theirs')
    const { annotations: notes } = value(await annotations.list(auditor, { sessionId, ...first }))
    assert.deepEqual(notes, [theirs, mine])
    const remove = (who: MemberActor, id: string) =>
      annotations.remove(who, { sessionId, annotationId: id })
    assert.equal(code(await remove(reviewer, theirs.annotationId)), 'forbidden')
    assert.deepEqual(value(await remove(admin, mine.annotationId)), mine)
    assert.equal(code(await remove(admin, mine.annotationId)), 'not_found')
    const unknown = await annotations.create(reviewer, { sessionId, text: 'x', stepId: 'none' })
    assert.equal(code(unknown), 'invalid_request')
  })
})

describe('reviews of a session', () => {
  it('record who and what, set its state and emit an event', async () => {
    const { sessionReviews, stored, events } = await withSession()
    const review = async (decision: 'approved' | 'rejected') =>
      value(await sessionReviews.create(reviewer, { sessionId, decision, comment: 'fine' }))
    const made = await review('approved')
    assert.deepEqual([made.revision, made.leafHash, made.reviewerName], [1, null, 'mem_reviewer'])
    await review('rejected')
    assert.equal(stored()?.reviewState, 'rejected')
    const types = events().map(({ type }) => type)
    assert.deepEqual(types.toSorted(), ['session.review.approved', 'session.review.rejected'])
    for (const event of events()) assert.equal(faultOfSent({ ...event }), null)
    assert.ok(!JSON.stringify(events()).includes('fine'), 'no comment in an event')
  })

  it('are refused while it runs', async () => {
    const { sessionReviews } = await withSession('running')
    const refused = await sessionReviews.create(reviewer, { sessionId, decision: 'approved' })
    assert.equal(code(refused), 'invalid_transition')
  })
})
