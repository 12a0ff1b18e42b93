import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { approvalMiddleware } from '../ai-sdk.ts'
import { createReviews } from '../index.ts'
import { playedClient } from './played-client.ts'
import { secret, sessionId } from './played-provider.ts'

const made = { type: 'tool-call', toolCallId: 'c', toolName: 'pay', input: { amount: 1_000 } }
const action = { tool: 'pay', arguments: { amount: 1_000 } }

interface Sent {
  readonly type: string
  readonly approved?: boolean
}

type Message = { readonly role: string; readonly content: readonly object[] }

/** What the provider is sent of a call, by its message of this content, and of its approval by a person. */
async function sentOf(
  content: readonly object[],
  messageOf: (content: readonly object[]) => Message = (given) => ({
    role: 'assistant',
    content: given,
  }),
) {
  const { client, cases, decide } = playedClient()
  const reviews = createReviews(client, {
    tools: {},
    onOpen({ reviewCaseId, state }) {
      if (state !== 'open') return
      made.input.amount = 1_000_000
      decide(reviewCaseId, 'approved')
    },
  })
  const held = approvalMiddleware(reviews, { sessionId, secret })
  const asked = [
    { ...made, input: JSON.stringify(made.input) },
    { type: 'tool-approval-request', approvalId: 'm', toolCallId: 'c' },
  ]
  const doGenerate = async () => ({ content: asked })
  const given = await held.wrapGenerate({ doGenerate, params: { prompt: [] } })
  const { approvalId } = given.content[1] as { readonly approvalId: string }
  const answer = { type: 'tool-approval-response', approvalId, approved: true }
  const prompt = [messageOf(content), { role: 'tool', content: [answer] }]
  const told = await held.transformParams({ params: { prompt } })
  made.input.amount = 1_000
  const parts = told.prompt.flatMap((message) => message.content) as readonly Sent[]
  const isApproved = parts.some(({ type, approved }) => type === answer.type && approved === true)
  return {
    parts,
    isApproved,
    shown: [...cases.values()].map(({ presentation }) => presentation?.action),
  }
}

/** A part whose member of this name is another one each time that it is read. */
function turning(name: 'type' | 'toolName' | 'input', values: readonly unknown[]): object {
  const left = [...values]
  const get = () => (left.length > 1 ? left.shift() : left[0])
  return Object.defineProperty({ ...made }, name, { get, enumerable: true })
}

class Part {
  get type() {
    return 'tool-call'
  }
  get toolCallId() {
    return 'c'
  }
  get toolName() {
    return 'pay'
  }
  get input() {
    return made.input
  }
}

describe('a call of a prompt', () => {
  for (const [name, part] of Object.entries({
    'members of its own': made,
    'getters of a class': new Part(),
    'members of a prototype': Object.create(made),
  }))
    it(`is sent as people saw it, by ${name}`, async () => {
      const { parts, isApproved, shown } = await sentOf([part])
      assert.deepEqual([isApproved, shown], [true, [action]])
      assert.deepEqual(parts[0], { ...made, input: { amount: 1_000 } })
    })

  it('is sent as it was copied, whatever its getters tell later', async () => {
    const pay = await sentOf([turning('toolName', ['pay', 'refund'])])
    assert.deepEqual([pay.isApproved, pay.shown], [true, [action]])
    assert.deepEqual(pay.parts[0], made)
    const input = await sentOf([turning('input', [{ amount: 1_000 }, { amount: 9 }])])
    assert.deepEqual([input.isApproved, input.parts[0]], [true, made])
    const none = await sentOf([turning('type', ['text', 'text', 'tool-call'])])
    assert.deepEqual([none.isApproved, none.shown, none.parts[0]?.type], [false, [], 'text'])
    const first = turning('type', ['tool-call', 'tool-call', 'text'])
    const { parts, isApproved } = await sentOf([first])
    assert.deepEqual([isApproved, parts[0]], [true, made])
  })

  it('is one of those that its message had when it was read first', async () => {
    const contents: (readonly object[])[] = [[made], [made], [{ ...made, toolName: 'refund' }]]
    const message = {
      role: 'assistant',
      get content() {
        return contents.length > 1 ? (contents.shift() ?? []) : (contents[0] ?? [])
      },
    }
    const { parts, isApproved } = await sentOf([], () => message)
    assert.deepEqual([isApproved, parts[0]], [true, made])
  })
})
