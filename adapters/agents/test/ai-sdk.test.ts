import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generateText as generateText7, type ModelMessage as Message7, tool as tool7 } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { generateText as generateText6, type ModelMessage as Message6, tool as tool6 } from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import * as z from 'zod'
import { answerApprovals, idsOf } from '../ai-sdk.ts'
import { createReviews, type Reviews, type ReviewsOptions } from '../index.ts'
import { generated } from './entries/ai-sdk.ts'
import { playedClient } from './played-client.ts'

const sessionId = 's'
const payment = z.object({ amount: z.number() })
const nothing = z.object({})

/** A model that reads and pays in one step, and then says what it heard. */
function readAndPay(prompt: readonly { readonly role: string }[]) {
  const made = generated([{ callId: 'c2', input: { to: 'ACME', amount: 5 } }], prompt)
  if (prompt.some(({ role }) => role === 'tool')) return made
  const read = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'read', input: '{}' }
  return { ...made, content: [read, ...made.content] }
}

/** A step that makes one call and hands out another, its answer, and the step after it; what was saved meanwhile. */
type Mixed = (reviews: Reviews, ran: string[]) => Promise<readonly unknown[]>

const mixed7: Mixed = async (reviews, ran) => {
  const model = new MockLanguageModelV4({ doGenerate: async ({ prompt }) => readAndPay(prompt) })
  const pay = async () => void ran.push('pay')
  const transfer = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = {
    transfer: tool7({ inputSchema: payment, execute: transfer }),
    read: tool7({ inputSchema: nothing, execute: async () => void ran.push('read') }),
  }
  const messages: Message7[] = [{ role: 'user', content: 'Pay.' }]
  const toolApproval = { transfer: 'user-approval' } as const
  const first = await generateText7({ model, tools, messages, toolApproval })
  messages.push(...first.responseMessages)
  const answers = await answerApprovals(reviews, messages, { sessionId })
  assert.ok(answers)
  messages.push(answers)
  assert.equal(await answerApprovals(reviews, messages, { sessionId }), null)
  const { responseMessages, text } = await generateText7({ model, tools, messages, toolApproval })
  assert.equal(text, 'done')
  return [...messages, ...responseMessages]
}

const mixed6: Mixed = async (reviews, ran) => {
  const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => readAndPay(prompt) })
  const pay = async () => void ran.push('pay')
  const transfer = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = {
    transfer: tool6({ inputSchema: payment, needsApproval: true, execute: transfer }),
    read: tool6({ inputSchema: nothing, execute: async () => void ran.push('read') }),
  }
  const messages: Message6[] = [{ role: 'user', content: 'Pay.' }]
  const first = await generateText6({ model, tools, messages })
  messages.push(...first.response.messages)
  const answers = await answerApprovals(reviews, messages, { sessionId })
  assert.ok(answers)
  messages.push(answers)
  assert.equal(await answerApprovals(reviews, messages, { sessionId }), null)
  const { response, text } = await generateText6({ model, tools, messages })
  assert.equal(text, 'done')
  return [...messages, ...response.messages]
}

describe('answerApprovals', () => {
  for (const [name, mixed] of Object.entries({ 'AI SDK 7': mixed7, 'AI SDK 6': mixed6 }))
    it(`asks for a call beside one that ran in the same step: ${name}`, async () => {
      for (const decision of ['approved', 'rejected'] as const) {
        const { client, cases, decide } = playedClient()
        const onOpen: ReviewsOptions['onOpen'] = ({ reviewCaseId, state }) => {
          if (state === 'open') decide(reviewCaseId, decision)
        }
        const ran: string[] = []
        const reviews = createReviews(client, { tools: { transfer: {} }, onOpen })
        await mixed(reviews, ran)
        assert.deepEqual(ran, decision === 'approved' ? ['read', 'pay'] : ['read'])
        assert.equal(cases.size, 1)
      }
    })

  it('asks for nothing that somebody spoke after', async () => {
    const { client, cases } = playedClient()
    const reviews = createReviews(client, { tools: {} })
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: {} }
    const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' }
    const result = { type: 'tool-result', toolCallId: 'c2' }
    const messages = [
      { role: 'assistant', content: [call, request] },
      { role: 'tool', content: [result] },
      { role: 'user', content: 'Never mind.' },
    ]
    assert.equal(await answerApprovals(reviews, messages, { sessionId }), null)
    assert.equal(
      await answerApprovals(reviews, [{ role: 'tool', content: [] }], { sessionId }),
      null,
    )
    assert.equal(cases.size, 0)
  })
})
