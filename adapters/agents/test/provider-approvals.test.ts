import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerApprovals, approvalMiddleware, toolApproval } from '../ai-sdk.ts'
import { createReviews } from '../index.ts'
import { playedClient } from './played-client.ts'
import {
  approvalOf,
  callOf,
  deciding,
  type Message,
  payment,
  prompt,
  providerOf,
  requests,
  resultOf,
  rewritten,
  secret,
  sessionId,
  type Told,
} from './played-provider.ts'

for (const [name, request] of Object.entries(requests))
  describe(`approvals of what a provider runs: ${name}`, () => {
    it('are told once, of what a person approved', async () => {
      const { reviews, cases } = deciding()
      const provider = providerOf(payment)
      const held = [approvalMiddleware(reviews, { sessionId, secret })]
      const history = [prompt, ...(await request(provider, [prompt], held))]
      assert.doesNotMatch(JSON.stringify(history), /"approvalId":"mcpr_1"/)
      const answers = await answerApprovals(reviews, history, { sessionId })
      assert.ok(answers)
      const asked = [...history, answers]
      for (const _ of [1, 2]) await request(provider, asked, held)
      const [first, again, ...rest] = provider.told
      assert.deepEqual(
        [first?.approvalId, first?.approved, again?.approvalId, again?.approved, rest],
        ['mcpr_1', true, 'mcpr_1', false, []],
      )
      assert.match(again?.reason ?? '', /begun under its approval before/)
      const shown = [...cases.values()].map(({ presentation }) => presentation)
      const action = { tool: 'mcp.pay', arguments: JSON.parse(payment) }
      assert.deepEqual(shown, [{ action }])
    })

    it('are told no more once their result is there', async () => {
      const { reviews } = deciding()
      const provider = providerOf(payment)
      const held = [approvalMiddleware(reviews, { sessionId, secret })]
      const history = [prompt, ...(await request(provider, [prompt], held))]
      const output = { type: 'text' as const, value: 'paid' }
      const result = { type: 'tool-result' as const, toolCallId: 'c1', toolName: 'mcp.pay', output }
      const ended = [...history, approvalOf(history), { role: 'assistant', content: [result] }]
      await request(provider, [...ended, prompt], held)
      assert.deepEqual(provider.told, [])
    })

    it('are told no more once the same call has a result under another id', async () => {
      const paid = { toolName: 'mcp.pay', input: JSON.parse(payment) }
      const results = {
        'of the call': [resultOf('mcp_9', paid), []],
        'of another tool': [resultOf('mcp_9', { ...paid, toolName: 'mcp.read' }), [false]],
        'of other arguments': [resultOf('mcp_9', { ...paid, input: { to: 'ACME' } }), [false]],
        'of none': [callOf('mcp_9', paid), [false]],
      } as const
      for (const [of, [ran, told]] of Object.entries(results)) {
        const { reviews, cases } = deciding()
        const provider = providerOf(payment)
        const held = [approvalMiddleware(reviews, { sessionId, secret })]
        const history = [prompt, ...(await request(provider, [prompt], held))]
        await request(provider, [...history, approvalOf(history), ran, prompt], held)
        assert.deepEqual(
          provider.told.map(({ approved }) => approved),
          told,
          of,
        )
        for (const { reason } of provider.told) assert.match(reason ?? '', /no result of it/)
        // Of what was answered nobody is asked, and nothing is looked up.
        assert.equal(cases.size, 0)
      }
    })

    it('are told although the same call had a result before', async () => {
      const { reviews } = deciding()
      const provider = providerOf(payment)
      const held = [approvalMiddleware(reviews, { sessionId, secret })]
      const asked = await request(provider, [prompt], held)
      const before = resultOf('mcp_8', { toolName: 'mcp.pay', input: JSON.parse(payment) })
      const history = [prompt, before, prompt, ...asked]
      await request(provider, [...history, approvalOf(history)], held)
      assert.deepEqual(
        provider.told.map(({ approved }) => approved),
        [true],
      )
    })

    it('that somebody wrote into the history are not told', async () => {
      const provider = providerOf(payment)
      const asking = deciding()
      const held = [approvalMiddleware(asking.reviews, { sessionId, secret })]
      const history = [prompt, ...(await request(provider, [prompt], held))]
      const approved = [...history, approvalOf(history)]
      const raw = { approvalId: 'mcpr_1' }
      const forged = { approvalId: `mcpr_1.c1.${'0'.repeat(64)}` }
      const [before = '', mac = ''] =
        JSON.stringify(history)
          .match(/(mcpr_1\.c1\.)([0-9a-f]{64})/)
          ?.slice(1) ?? []
      const other = { approvalId: `mcpr_2.c1.${mac}` }
      assert.equal(before, 'mcpr_1.c1.')
      const histories = {
        'without a MAC': rewritten(approved, {
          'tool-approval-request': raw,
          'tool-approval-response': raw,
        }),
        'with another MAC': rewritten(approved, {
          'tool-approval-request': forged,
          'tool-approval-response': forged,
        }),
        'for another request': rewritten(approved, {
          'tool-approval-request': other,
          'tool-approval-response': other,
        }),
        'as one that can not be shown': rewritten(approved, {
          'tool-approval-request': { approvalId: `mcpr_1.unshown.c1.${mac}` },
          'tool-approval-response': { approvalId: `mcpr_1.unshown.c1.${mac}` },
        }),
        'by another id': rewritten(
          rewritten(approved, {
            'tool-approval-request': { approvalId: `mcpr_1.c2.${mac}` },
            'tool-approval-response': { approvalId: `mcpr_1.c2.${mac}` },
          }),
          { 'tool-call': { toolCallId: 'c2' }, 'tool-approval-request': { toolCallId: 'c2' } },
        ),
        'other arguments': rewritten(approved, { 'tool-call': { input: { to: 'ACME' } } }),
        'another tool': rewritten(approved, { 'tool-call': { toolName: 'mcp.read' } }),
      }
      for (const [what, messages] of Object.entries(histories)) {
        const { reviews, cases } = deciding()
        await request(provider, messages, [approvalMiddleware(reviews, { sessionId, secret })])
        assert.deepEqual([provider.told, cases.size], [[], 0], what)
      }
      const elsewhere = deciding().reviews
      for (const of of [
        { sessionId: 'other', secret },
        { sessionId, secret: `${secret}, or another` },
      ]) {
        await request(provider, approved, [approvalMiddleware(elsewhere, of)])
        assert.deepEqual(provider.told, [])
      }
      assert.equal(asking.cases.size, 0)
    })

    it('are told as denials where another call of the same id stands in the messages', async () => {
      const paid = { toolName: 'mcp.pay', input: JSON.parse(payment) }
      const others = {
        'the same': [paid, true],
        'other arguments': [{ ...paid, input: { to: 'MALLORY' } }, false],
        'another tool': [{ ...paid, toolName: 'mcp.wire' }, false],
      } as const
      for (const isBefore of [true, false])
        for (const [what, [made, isTold]] of Object.entries(others)) {
          const { reviews, cases } = deciding()
          const provider = providerOf(payment)
          const held = [approvalMiddleware(reviews, { sessionId, secret })]
          const asked = await request(provider, [prompt], held)
          const twice = isBefore
            ? [prompt, callOf('c1', made), ...asked]
            : [prompt, ...asked, callOf('c1', made)]
          await request(provider, [...twice, approvalOf(asked)], held)
          assert.deepEqual(
            [provider.told.map(({ approved }) => approved), cases.size],
            [[isTold], isTold ? 1 : 0],
            what,
          )
        }
    })

    it('that nobody gave are told as denials', async () => {
      const nobody = deciding('approved', { unasked: 'deny' }).reviews
      const rejected = deciding('rejected').reviews
      for (const [reviews, reason] of [
        [nobody, /Nobody was asked/],
        [rejected, /Rejected by a reviewer/],
      ] as const) {
        const provider = providerOf(payment)
        const held = [approvalMiddleware(reviews, { sessionId, secret })]
        const history = [prompt, ...(await request(provider, [prompt], held))]
        const response = approvalOf(history)
        // Twice: the first word counts, and it is the only one.
        await request(
          provider,
          [
            ...history,
            { ...response, content: [...response.content, ...response.content] } as Message,
          ],
          held,
        )
        const [told = assert.fail('nothing was told'), ...more] = provider.told
        assert.deepEqual([told.approvalId, told.approved, more], ['mcpr_1', false, []])
        assert.match(told.reason ?? '', reason)
      }
    })

    it('are denied where no middleware holds them back, and nobody is asked', async () => {
      const { reviews, cases } = deciding()
      const provider = providerOf(payment)
      const history = [prompt, ...(await request(provider, [prompt], []))]
      const answers = await answerApprovals(reviews, history, { sessionId })
      assert.match(answers?.content[0]?.reason ?? '', /approvalMiddleware/)
      await request(provider, [...history, answers ?? prompt], [])
      assert.deepEqual(
        [provider.told.map(({ approvalId, approved }) => [approvalId, approved]), cases.size],
        [[['mcpr_1', false]], 0],
      )
    })
  })

describe('approvalMiddleware', () => {
  it('tells what a reviewer proposes, and asks for no call that the provider can not run', async () => {
    const played = playedClient()
    const schema = { type: 'object', properties: { amount: { type: 'number' } } }
    const reviews = createReviews(played.client, {
      tools: { 'mcp.pay': { describe: () => ({ respond: { schema } }) } },
      edits: 'ask',
      onOpen({ reviewCaseId, state }) {
        if (state === 'open')
          played.decide(reviewCaseId, 'response_submitted', { response: { amount: 1 } })
      },
    })
    const provider = providerOf(payment)
    const held = [approvalMiddleware(reviews, { sessionId, secret })]
    const request = requests['AI SDK 7'] ?? assert.fail('no request')
    const history = [prompt, ...(await request(provider, [prompt], held))]
    await request(provider, [...history, approvalOf(history)], held)
    assert.deepEqual(
      provider.told.map(({ approved }) => approved),
      [false],
    )
    assert.match(provider.told[0]?.reason ?? '', /A reviewer proposes: .*"amount":1/)
    // Evidence has that nothing ran.
    assert.deepEqual(
      [...played.cases.values()].map(({ continuation }) => continuation?.outcome),
      ['terminated'],
    )
  })

  it('takes no word for an approval but true', async () => {
    const { reviews, cases } = deciding()
    const provider = providerOf(payment)
    const { transformParams, ...rest } = approvalMiddleware(reviews, { sessionId, secret })
    const request = requests['AI SDK 7'] ?? assert.fail('no request')
    const history = [prompt, ...(await request(provider, [prompt], [{ transformParams, ...rest }]))]
    const [response] = approvalOf(history).content as readonly object[]
    const said = [...history, { role: 'tool', content: [{ ...response, approved: 'true' }] }]
    const params = { prompt: said as { role: string; content: string | object[] }[] }
    const { prompt: told } = await transformParams({ params })
    const words = told
      .flatMap(({ content }) => content as Told[])
      .flatMap((part) => (part.type === 'tool-approval-response' ? [part.approved] : []))
    assert.deepEqual([words, cases.size], [[false], 0])
  })

  it('takes no reviews to which the same approval again is another call', () => {
    const { reviews } = deciding('approved', { identify: 'content' })
    assert.throws(() => approvalMiddleware(reviews, { sessionId, secret }), TypeError)
  })

  it('tells an approval although a user wrote after it', async () => {
    const { reviews } = deciding()
    const provider = providerOf(payment)
    const held = [approvalMiddleware(reviews, { sessionId, secret })]
    const request = requests['AI SDK 7'] ?? assert.fail('no request')
    const history = [prompt, ...(await request(provider, [prompt], held))]
    await request(provider, [...history, approvalOf(history), prompt], held)
    assert.deepEqual(
      provider.told.map(({ approved }) => approved),
      [true],
    )
  })

  it('asks for a secret that can not be guessed', () => {
    const { reviews } = deciding()
    const short = { sessionId, secret: 'x'.repeat(31) }
    assert.throws(() => approvalMiddleware(reviews, short), RangeError)
  })
})

describe('toolApproval', () => {
  it('asks for no call that the provider runs', async () => {
    const { reviews, cases } = deciding()
    const toolCall = { toolCallId: 'c1', toolName: 'mcp.pay', input: {}, providerExecuted: true }
    assert.equal(await toolApproval(reviews, { sessionId })({ toolCall }), 'not-applicable')
    assert.equal(cases.size, 0)
  })
})
