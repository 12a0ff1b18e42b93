import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerApprovals, approvalMiddleware } from '../ai-sdk.ts'
import {
  approvalOf,
  deciding,
  prompt,
  providerOf,
  requests,
  secret,
  sessionId,
} from './played-provider.ts'

/** Arguments that readers of JSON differ about, that are none, or whose names the SDK doesn't take. */
const unshown = [
  ...['{"amount":1,"amount":5}', '{"amount":1,"\\u0061mount":5}', '{"a":[{"b":{"c":1,"c":2}}]}'],
  ...['{"amount":9007199254740993}', '{"amount":0.1000000000000000055}', '{"amount":1e400}'],
  ...['{"amount":-0.0}', '{"amount":1e-400}', `{"amount":5.${'0'.repeat(80)}}`],
  ...['{"amount"', '"amount"', '{"to":"\\ud800"}', '{"__proto__":{"amount":5},"amount":1}'],
  `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
]

/** Arguments that each reader of JSON takes for the same. */
const same = [
  '{"to":"Caf\\u00e9 \\u0022:1\\/2","amount":5}',
  ...['{"amount":5.00}', '{"amount":50e-1}', '{"amount":0.0500E+2}', '{"amount":-1.50}'],
  ...['{"2":1,"1":2}', '{"amount":1E2}', '{"amount":0e5}', ' {\n"amount" :\t[5 , 0.10] } ', ''],
]

for (const [name, request] of Object.entries(requests))
  describe(`approvals by what the model wrote: ${name}`, () => {
    it('of a call that the provider may read otherwise are denied to it, and nobody is asked', async () => {
      for (const input of unshown) {
        const { reviews, cases } = deciding()
        const provider = providerOf(input)
        const held = [approvalMiddleware(reviews, { sessionId, secret })]
        const history = await request(provider, [prompt], held)
        const answers = await answerApprovals(reviews, history, { sessionId })
        assert.match(answers?.content[0]?.reason ?? '', /may be read otherwise/, input)
        const approved = approvalOf(history)
        for (const told of [answers ?? prompt, approved])
          await request(provider, [prompt, ...history, told], held)
        const denied = { approvalId: 'mcpr_1', approved: false }
        assert.deepEqual(
          provider.told.map(({ approvalId, approved }) => ({ approvalId, approved })),
          [denied, denied],
          input,
        )
        for (const { reason } of provider.told) assert.match(reason ?? '', /may be read otherwise/)
        assert.equal(cases.size, 0)
      }
    })

    it('are of arguments that are written otherwise than here, and mean the same', async () => {
      for (const input of same) {
        const { reviews, cases } = deciding()
        const provider = providerOf(input)
        const held = [approvalMiddleware(reviews, { sessionId, secret })]
        const history = [prompt, ...(await request(provider, [prompt], held))]
        const answers = await answerApprovals(reviews, history, { sessionId })
        await request(provider, [...history, answers ?? prompt], held)
        assert.deepEqual(
          provider.told.map(({ approved }) => approved),
          [true],
          input,
        )
        const action = { tool: 'mcp.pay', arguments: JSON.parse(input || '{}') }
        assert.deepEqual(
          [...cases.values()].map(({ presentation }) => presentation),
          [{ action }],
        )
      }
    })
  })
