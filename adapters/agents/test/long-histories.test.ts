import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerApprovals, approvalMiddleware } from '../ai-sdk.ts'
import { deciding, secret, sessionId } from './played-provider.ts'

/** A counter of reads, and objects of which it counts those of one member. */
function counting() {
  let reads = 0
  const of = <T extends object, V>(rest: T, name: string, value: V) =>
    Object.defineProperty({ ...rest }, name, {
      enumerable: true,
      get() {
        reads++
        return value
      },
    })
  return { of, reads: () => reads }
}

/** A call of `mcp.pay` that the provider ran by this id. */
function ranAs(toolCallId: string, input: object) {
  const call = { type: 'tool-call', toolName: 'mcp.pay', toolCallId, input }
  const output = { type: 'text', value: '' }
  const result = { type: 'tool-result', toolName: 'mcp.pay', toolCallId, output }
  return { role: 'assistant', content: [call, result] }
}

describe('a long history', () => {
  it('has each argument read a few times, however many approvals and results are in it', async () => {
    const each = 200
    const { reviews } = deciding()
    const { of, reads } = counting()
    const held = approvalMiddleware(reviews, { sessionId, secret })
    const made = Array.from({ length: each }, (_, nth) => ({
      type: 'tool-call' as const,
      toolCallId: `c${nth}`,
      toolName: 'mcp.pay',
      input: of({ nth }, 'to', 'ACME'),
    }))
    const asked = made.map(({ toolCallId }, nth) => ({
      type: 'tool-approval-request' as const,
      approvalId: `mcpr_${nth}`,
      toolCallId,
    }))
    const doGenerate = async () => ({ content: [...made, ...asked] })
    const { content } = await held.wrapGenerate({ doGenerate, params: { prompt: [] } })
    const approvals = content.flatMap((part) =>
      'approvalId' in part
        ? [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: true }]
        : [],
    )
    const results = Array.from({ length: each }, (_, nth) =>
      ranAs(`r${nth}`, of({ nth }, 'to', 'nobody')),
    )
    const prompt = [
      { role: 'assistant', content: made },
      { role: 'tool', content: approvals },
      ...results,
    ]
    const { prompt: told } = await held.transformParams({ params: { prompt } })
    assert.equal(told[1]?.content.length, 64)
    assert.ok(reads() <= 20 * each, `${reads()} reads of ${2 * each} calls`)
  })

  it('has each part looked at a few times, however many calls wait in it', async () => {
    const each = 2_000
    const { reviews, cases } = deciding()
    const { of, reads } = counting()
    const name = 'toolCallId'
    const made = { type: 'tool-call', toolName: 'pay', input: {} }
    const calls = Array.from({ length: each }, (_, nth) => of(made, name, `c${nth}`))
    const asked = Array.from({ length: each }, (_, nth) =>
      of({ type: 'tool-approval-request', approvalId: `a${nth}` }, name, `gone${nth}`),
    )
    const messages = [{ role: 'assistant', content: [...calls, ...asked] }]
    const answers = await answerApprovals(reviews, messages as never, { sessionId })
    assert.deepEqual([answers?.content.length, cases.size], [each, 0])
    assert.ok(reads() <= 20 * each, `${reads()} reads of ${2 * each} parts`)
  })

  it('has a call asked for once, however many requests name it', async () => {
    const { reviews, cases } = deciding()
    const { of, reads } = counting()
    const input = of({}, 'amount', 5)
    const call = { type: 'tool-call', toolName: 'pay', toolCallId: 'c1', input }
    const asked = Array.from({ length: 100 }, (_, nth) => ({
      type: 'tool-approval-request',
      approvalId: `a${nth}`,
      toolCallId: 'c1',
    }))
    const messages = [{ role: 'assistant', content: [call, ...asked] }]
    const answers = await answerApprovals(reviews, messages, { sessionId })
    const approved = answers?.content.filter((each) => each.approved)
    assert.deepEqual([approved?.length, cases.size], [100, 1])
    assert.ok(reads() <= 10, `${reads()} reads of one argument`)
  })
})
