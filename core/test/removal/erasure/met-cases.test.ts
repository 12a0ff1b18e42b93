import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { erasureRequests } from '../../../removal/erasure/records.ts'
import { reviewCases } from '../../../review/records.ts'
import { type Given, hers, worldOf } from './shown.ts'
import { value } from './world.ts'

/** More open cases than the first commit of an erasure cancels. */
const given: Given = {
  seed: 1,
  late: 0,
  submissions: false,
  openCases: 60,
  closedCases: 0,
  namingCases: 0,
  marks: false,
  packages: false,
  callback: true,
}

/** A person whose erasure has begun and has not come to all of their open cases. */
async function begun() {
  const w = await worldOf(given)
  const request = () => w.store.rows(erasureRequests)[0]?.row
  while (request()?.begunAt === null) await w.work(1)
  const left = () => w.store.rows(reviewCases).filter(({ row }) => row.state === 'open')
  const [one] = left()
  assert.ok(one, 'a case is left open')
  const opening = {
    sessionId: one.row.sessionId,
    checkpointId: one.row.checkpointId,
    ...(one.row.stepId === null ? {} : { stepId: one.row.stepId }),
    resumeToken: 'token of the customer',
    reasonCategory: 'high_risk_action',
  } as const
  return { ...w, request, left, review: one.row, opening }
}

describe('an open case that an erasure has not come to', () => {
  const commands = ['claim', 'cancel', 'open there', 'open again', 'read', 'list'] as const
  type World = Awaited<ReturnType<typeof begun>>
  const does: Readonly<Record<(typeof commands)[number], (w: World) => Promise<unknown>>> = {
    claim: ({ service, admin, review }) =>
      service.reviewCases.claim(admin, { reviewCaseId: review.reviewCaseId }),
    cancel: ({ service, application, review }) =>
      service.reviewCases.cancel(application, {
        reviewCaseId: review.reviewCaseId,
        reasonCategory: 'end_user_cancelled',
      }),
    'open there': ({ service, application, opening }) =>
      service.reviewCases.open(application, {
        ...opening,
        presentation: { text: 'another' },
        idempotencyKey: 'another',
      }),
    'open again': ({ service, application, opening, review }) =>
      service.reviewCases.open(application, {
        ...opening,
        presentation: { text: `${hers} 7` },
        policyResults: [{ note: 'about Grace Hopper' }],
        idempotencyKey: `${review.sessionId} ${review.checkpointId}`,
      }),
    read: ({ service, application, review }) =>
      service.reviewCases.read(application, { reviewCaseId: review.reviewCaseId }),
    list: async ({ service, admin }) => {
      const listed = value(
        await service.reviewCases.list(admin, { include: 'presentation', page: 1, pageSize: 100 }),
      )
      const rows = []
      for await (const piece of listed.pieces) rows.push(...piece)
      return rows
    },
  }

  for (const command of commands)
    it(`is left to it by ${command}, and shown as cancelled`, async () => {
      const w = await begun()
      const before = w.left().map(({ row, version }) => [row.reviewCaseId, version])
      const answer = JSON.stringify(await does[command](w))
      assert.ok(!answer.includes(hers) && !answer.includes('Hopper'), answer)
      assert.ok(!answer.includes('"state":"open"'), answer)
      assert.deepEqual(
        w.left().map(({ row, version }) => [row.reviewCaseId, version]),
        before,
      )
      await w.rest()
      await w.rest()
      const cases = w.store.rows(reviewCases).map(({ row }) => row)
      assert.deepEqual([...new Set(cases.map(({ state }) => state))], ['cancelled'])
      assert.deepEqual([w.left().length, cases.length], [0, given.openCases])
      assert.ok(!JSON.stringify(cases).includes(hers))
    })

  it('refuses commands as closed, and openings for a second', async () => {
    const w = await begun()
    const refusalOf = async (command: (typeof commands)[number]) => {
      const told = (await does[command](w)) as {
        readonly ok: boolean
        readonly refusal?: { readonly code: string; readonly retryAfter?: number }
      }
      return told.ok ? 'ok' : [told.refusal?.code, told.refusal?.retryAfter]
    }
    assert.deepEqual(await refusalOf('claim'), ['invalid_transition', undefined])
    assert.deepEqual(await refusalOf('open there'), ['busy', 1])
    assert.equal(await refusalOf('open again'), 'ok')
    await w.rest()
    assert.equal(await refusalOf('open there'), 'ok')
  })

  it('is not among the open ones', async () => {
    const { service, admin, left } = await begun()
    const listed = value(
      await service.reviewCases.list(admin, { state: 'open', page: 1, pageSize: 100 }),
    )
    const rows = []
    for await (const piece of listed.pieces) rows.push(...piece)
    assert.ok(left().length > 0)
    assert.deepEqual(rows, [])
  })
})
