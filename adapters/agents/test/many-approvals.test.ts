import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerApprovals, approvalMiddleware } from '../ai-sdk.ts'
import { deciding, secret, sessionId, type Told } from './played-provider.ts'

const made = { type: 'tool-call' as const, toolName: 'mcp.pay' }

/** A middleware, and approvals of calls as it gave them out. */
async function given(
  calls: readonly { readonly toolCallId: string; readonly of: string }[],
  onOpen = () => {},
) {
  const played = deciding('approved', {}, onOpen)
  const held = approvalMiddleware(played.reviews, { sessionId, secret })
  const content = calls.flatMap(({ toolCallId, of: approvalId }) => [
    { ...made, toolCallId, input: '{"amount":5}' },
    { type: 'tool-approval-request' as const, approvalId, toolCallId },
  ])
  const answer = await held.wrapGenerate({
    doGenerate: async () => ({ content }),
    params: { prompt: [] },
  })
  const ids = answer.content.flatMap((part) => ('approvalId' in part ? [part.approvalId] : []))
  return { ...played, held, ids }
}

const approval = (approvalId: string, approved = true) => ({
  type: 'tool-approval-response' as const,
  approvalId,
  approved,
  providerExecuted: true,
})

type Held = Awaited<ReturnType<typeof given>>['held']

/** What the provider is told of approvals that stand behind these calls. */
async function told(held: Held, calls: readonly object[], approvals: readonly object[]) {
  const prompt = [
    { role: 'assistant', content: calls },
    { role: 'tool', content: approvals },
  ]
  const params = await held.transformParams({ params: { prompt } })
  return params.prompt.flatMap(({ role, content }) =>
    role === 'tool' ? (content as readonly Told[]) : [],
  )
}

describe('many approvals in one request', () => {
  it('of one call have its arguments read a few times', async () => {
    const { held } = await given([])
    let reads = 0
    const input = {
      get amount() {
        reads++
        return 5
      },
    }
    const madeUp = Array.from({ length: 500 }, (_, nth) =>
      approval(`mcpr_${nth}.c1.${'0'.repeat(64)}`),
    )
    assert.deepEqual(await told(held, [{ ...made, toolCallId: 'c1', input }], madeUp), [])
    assert.ok(reads <= 10, `${reads} reads of one argument`)
  })

  it('are looked at up to 64, the newest, and people are asked of no more', async () => {
    const calls = Array.from({ length: 70 }, (_, nth) => ({
      toolCallId: `c${nth}`,
      of: `mcpr_${nth}`,
    }))
    const { held, ids, cases } = await given(calls)
    const input = { amount: 5 }
    const answers = await told(
      held,
      calls.map(({ toolCallId }) => ({ ...made, toolCallId, input })),
      ids.map((id) => approval(id)),
    )
    assert.deepEqual(
      answers.map(({ approvalId, approved }) => [approvalId, approved]),
      calls.slice(-64).map((each) => [each.of, true]),
    )
    assert.equal(cases.size, 64)
  })

  it('that spell one id otherwise than it was given out are none', async () => {
    const { held, ids, reviews } = await given([{ toolCallId: 'c1', of: 'mcpr_1' }])
    const [id = ''] = ids
    const call = { ...made, toolCallId: 'c1', input: { amount: 5 }, providerExecuted: true }
    const spelt = ['.%00631.', '.c%0031.', '.%0063%0031.'].map((tag) => id.replace('.c1.', tag))
    assert.deepEqual(
      await told(
        held,
        [call],
        spelt.map((each) => approval(each)),
      ),
      [],
    )
    const denied = await told(held, [call], [approval(id, false), ...spelt.map((e) => approval(e))])
    assert.deepEqual(
      denied.map(({ approved }) => approved),
      [false],
    )
    const requests = spelt.map((approvalId) => ({
      type: 'tool-approval-request',
      approvalId,
      toolCallId: 'c1',
    }))
    const messages = [{ role: 'assistant', content: [call, ...requests] }]
    const answers = await answerApprovals(reviews, messages, { sessionId })
    assert.deepEqual(
      answers?.content.map(({ approved }) => approved),
      [false, false, false],
    )
  })

  it("tell each of the provider's ids once", async () => {
    const calls = ['c1', 'c2'].map((toolCallId) => ({ toolCallId, of: 'mcpr_1' }))
    const { held, ids } = await given(calls)
    const [first = '', second = ''] = ids
    const answers = await told(
      held,
      calls.map(({ toolCallId }) => ({ ...made, toolCallId, input: { amount: 5 } })),
      [approval(first, false), approval(second)],
    )
    assert.deepEqual(
      answers.map(({ approvalId, approved }) => [approvalId, approved]),
      [['mcpr_1', false]],
    )
  })

  it("tell a call whose id of the provider's an earlier call with its result had", async () => {
    const calls = ['c1', 'c2'].map((toolCallId) => ({ toolCallId, of: 'apr_1' }))
    const { held, ids, cases } = await given(calls)
    const [ran, made2] = calls.map(({ toolCallId }) => ({
      ...made,
      toolCallId,
      input: { amount: 5 },
    }))
    const output = { type: 'text', value: 'paid' }
    const result = { type: 'tool-result', toolName: made.toolName, toolCallId: 'c1', output }
    const prompt = [
      { role: 'assistant', content: [ran ?? {}] },
      { role: 'tool', content: [approval(ids[0] ?? '')] },
      { role: 'assistant', content: [result, made2 ?? {}] },
      { role: 'tool', content: [approval(ids[1] ?? '')] },
    ]
    const { prompt: said } = await held.transformParams({ params: { prompt } })
    const last = said.at(-1)?.content as readonly Told[]
    assert.deepEqual(
      last.map(({ approvalId, approved }) => [approvalId, approved]),
      [['apr_1', true]],
    )
    assert.equal(cases.size, 1)
  })
})

describe('an approval of a call that changes meanwhile', () => {
  const changes: Readonly<Record<string, (call: { toolName: string; input: object }) => void>> = {
    'in its arguments': ({ input }) => Object.assign(input, { amount: 9_999 }),
    'for other arguments': (call) => Object.assign(call, { input: { amount: 9_999 } }),
    'for another tool': (call) => Object.assign(call, { toolName: 'mcp.drain', input: {} }),
  }
  const moments = ['at once', 'while people look', 'once the provider is told'] as const

  for (const [name, change] of Object.entries(changes))
    it(`goes out with the call that was approved: ${name}`, async () => {
      for (const moment of moments) {
        let onOpen = () => {}
        const { held, ids, cases } = await given([{ toolCallId: 'c1', of: 'mcpr_1' }], () =>
          onOpen(),
        )
        const call = { ...made, toolCallId: 'c1', input: { amount: 5 } }
        const changed = () => change(call)
        if (moment === 'while people look') onOpen = changed
        const prompt = [
          { role: 'assistant', content: [call] },
          { role: 'tool', content: [approval(ids[0] ?? '')] },
        ]
        const telling = held.transformParams({ params: { prompt } })
        if (moment === 'at once') changed()
        const { prompt: told } = await telling
        if (moment === 'once the provider is told') changed()
        const [sent, word] = told.flatMap(({ content }): readonly object[] => content)
        const approved = { ...made, toolCallId: 'c1', input: { amount: 5 } }
        assert.deepEqual([sent, (word as Told).approved], [approved, true])
        const [{ presentation } = assert.fail('no case')] = cases.values()
        assert.deepEqual(presentation?.action, { tool: 'mcp.pay', arguments: { amount: 5 } })
      }
    })
})
