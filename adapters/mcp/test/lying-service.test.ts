import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, type CaseAnswer, type Client, type SignatureCheck } from '@countersign/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { approvalServer } from '../approval-server.ts'
import { post } from './post.ts'

type Members = Readonly<Record<string, unknown>>
type Decision = 'approved' | 'rejected' | 'response_submitted'

/** What is asked, and what its reviewer signed of it; null: nothing. */
const requests: readonly { readonly asked: Members; readonly signed: Decision | null }[] = [
  {
    asked: { action: 'deploy', arguments: { to: 'test' }, why: 'R', key: 'k1' },
    signed: 'approved',
  },
  { asked: { action: 'deploy', arguments: { to: 'test' }, why: 'R' }, signed: 'approved' },
  { asked: { action: 'deploy', arguments: { to: 'prod' }, why: 'R' }, signed: 'rejected' },
  {
    asked: { action: 'deploy', arguments: { to: 'test' }, why: 'other' },
    signed: 'response_submitted',
  },
  { asked: { action: 'deploy', arguments: { to: 'else' }, why: 'R' }, signed: null },
]

/** What a reviewer signs of a case, as text. */
const statementOf = (
  { reviewCaseId, caseVersion, decision, response }: Members,
  { checkpointId, presentation }: Members,
) => JSON.stringify([reviewCaseId, caseVersion, decision, response, checkpointId, presentation])

/** The only statements that were signed. */
const known = new Set<unknown>()
const reviewers: SignatureCheck = {
  faultOf: async (decided, asked) => {
    const { statement } = Object(decided.decisionSignature)
    const isSigned = known.has(statement) && statement === statementOf({ ...decided }, { ...asked })
    return isSigned ? null : { code: 'not_signed', detail: 'nobody signed it' }
  },
}

const notFound = async () => {
  throw new ApiError('not_found', 'no such case', { status: 404 })
}

type Opening = Parameters<Client['reviewCases']['open']>[0]

/** A case as it is opened. */
const openedOf = (reviewCaseId: string, { sessionId, checkpointId, presentation }: Opening) => ({
  ...{ reviewCaseId, sessionId, checkpoint: { checkpointId }, presentation },
  ...{ state: 'open', decision: null, caseVersion: 1, adopted: false, continuation: null },
  ...{ followUps: [], response: null, reviewerComment: null, decidedBy: null },
  ...{ presentationDigest: null, decisionSignature: null },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2126-01-01T00:00:00.000Z',
})

/** Posts to the server over a service. */
const posting = (reviewCases: object, waitMs = 5) => {
  const options = { sessionId: 's', reviewers, waitMs, pollMs: 1 }
  const client = { reviewCases } as Client
  const handler = createMcpHandler(() => approvalServer(client, options))
  return async (method: string, params: Members, tasks = false) =>
    (await post((request) => handler.fetch(request), method, params, { tasks })).result
}

/** The case of a request as it was decided, with its signature where it has one. */
async function decidedOf({ asked, signed }: (typeof requests)[number], nth: number) {
  const opened: Members[] = []
  const open = async (opening: Opening) => {
    opened.push(openedOf(`rc_${nth}`, opening))
    return opened[0]
  }
  const ask = { name: 'ask_for_approval', arguments: asked }
  await posting({ find: notFound, open })('tools/call', ask, true)
  const [review = assert.fail('nothing was asked')] = opened
  if (!signed) return review
  const response = signed === 'response_submitted' ? { to: 'nowhere' } : null
  const decided = { ...review, state: 'decided', decision: signed, caseVersion: 2, response }
  const { checkpointId } = Object(review.checkpoint)
  const { presentation } = review
  const statement = statementOf(decided, { checkpointId, presentation })
  known.add(statement)
  return { ...decided, decisionSignature: { statement } }
}

const ways = ['ask', 'check', 'withdraw', 'task'] as const

/** What an agent is told in one of the ways, by a service that answers each read so. */
async function toldBy(
  way: (typeof ways)[number],
  { asked }: (typeof requests)[number],
  lie: object,
  waitMs?: number,
) {
  const answer = async () => structuredClone(lie)
  const service = {
    ...{ find: notFound, read: answer, cancel: answer },
    open: async (opening: Opening) => ({
      ...openedOf('', opening),
      reviewCaseId: (lie as CaseAnswer).reviewCaseId,
    }),
    // The claim is taken, whatever was decided.
    reportContinuation: async ({ outcome, detail = null }: Members) => ({
      ...structuredClone(lie),
      continuation: { outcome, detail, reportedAt: '2026-01-01T00:00:00.000Z' },
    }),
  }
  const call = posting(service, waitMs)
  const ask = { name: 'ask_for_approval', arguments: asked }
  if (way === 'ask') return call('tools/call', ask)
  const { taskId } = await call('tools/call', ask, true)
  if (way === 'task') return call('tasks/get', { taskId }, true)
  const name = `${way}_approval`
  return call('tools/call', { name, arguments: { reviewCaseId: taskId } })
}

/** The decisions that an answer tells. */
function decisionsIn(answer: unknown): Decision[] {
  const text = JSON.stringify(answer) ?? ''
  const told: Readonly<Record<Decision, RegExp>> = {
    approved: /"approved":true|"(state|decision)":"approved"|Approved by|was approved/,
    rejected: /"(state|decision)":"rejected"|Rejected by/,
    response_submitted: /"(state|decision)":"response_submitted"|reviewer proposes/,
  }
  return (Object.keys(told) as Decision[]).filter((decision) => told[decision].test(text))
}

const lies = fc.array(
  fc.oneof(
    fc.record({
      state: fc.constantFrom(
        'approved',
        'rejected',
        'decided',
        'cancelled',
        'expired',
        'open',
        'x',
      ),
    }),
    fc.record({
      decision: fc.constantFrom(
        ...['approved', 'rejected', 'response_submitted', 'cancelled', 'expired', 'constructor'],
        null,
      ),
    }),
    fc.record({
      taken: fc.constantFrom(
        ...['presentation', 'checkpoint', 'decisionSignature', 'reviewCaseId', 'caseVersion'],
        ...['state', 'decision', 'response'],
      ),
      of: fc.nat(requests.length - 1),
    }),
    fc.record({ shown: fc.constantFrom({ x: 1 }, { followUps: [] }, { title: 'x' }) }),
    fc.record({ adopted: fc.constant(true), wrapped: fc.boolean() }),
    fc.record({
      continuation: fc.constantFrom(null, { outcome: 'terminated', detail: null, reportedAt: '' }),
    }),
    fc.record({ response: fc.constant({ to: 'thief' }) }),
  ),
  { maxLength: 4 },
)

/** A case as a liar changes it. */
function changed(
  review: Members,
  { shown, wrapped, taken, of, ...more }: Members,
  cases: readonly Members[],
): Members {
  const { presentation } = review
  return {
    ...review,
    ...more,
    ...(shown !== undefined && { presentation: { ...Object(presentation), ...Object(shown) } }),
    ...(wrapped === true && { presentation: { application: presentation, rule: 'r' } }),
    ...(typeof taken === 'string' && { [taken]: cases[Number(of)]?.[taken] }),
  }
}

describe('a service that lies about what pinned reviewers decided', () => {
  it('has nothing told as approved, rejected or proposed that they did not sign', async () => {
    const cases = await Promise.all(requests.map(decidedOf))
    let told = 0
    const given = [fc.nat(requests.length - 1), fc.boolean(), fc.nat(requests.length - 1)] as const
    await fc.assert(
      fc.asyncProperty(
        ...given,
        lies,
        fc.constantFrom(...ways),
        async (nth, own, other, all, way) => {
          const request = requests[nth] ?? assert.fail('no request')
          const base = cases[own ? nth : other] ?? assert.fail('no case')
          const lie = all.reduce<Members>((review, each) => changed(review, each, cases), base)
          const decisions = decisionsIn(await toldBy(way, request, lie))
          for (const decision of decisions) assert.equal(decision, request.signed)
          told += decisions.length
        },
      ),
      {
        numRuns: 250,
        examples: requests.flatMap((_, nth) =>
          ways.flatMap((way) =>
            ['approved', 'rejected', 'response_submitted'].flatMap((decision) => [
              [
                nth,
                true,
                0,
                [{ state: 'decided' }, { decision }, { shown: { x: 1 } }],
                way,
              ] as const,
              [nth, true, 0, [{ state: decision }, { shown: { x: 1 } }], way] as const,
              [nth, true, 0, [{ state: 'open' }, { decision }], way] as const,
            ]),
          ),
        ) as never,
      },
    )
    assert.ok(told > 0)
  })

  it('has each decision that they signed told, in each way', async () => {
    const cases = await Promise.all(requests.map(decidedOf))
    for (const [nth, request] of requests.entries())
      for (const way of ways) {
        // What nobody signed is still open.
        const waitMs = request.signed ? 10_000 : 1
        const decisions = decisionsIn(await toldBy(way, request, cases[nth] ?? {}, waitMs))
        assert.deepEqual(decisions, request.signed ? [request.signed] : [], way)
      }
  })
})
