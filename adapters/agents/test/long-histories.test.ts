import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerApprovals } from '../ai-sdk.ts'
import { deciding, sessionId } from './played-provider.ts'

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

describe('a long history', () => {
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
})
