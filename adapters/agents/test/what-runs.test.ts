import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { canUseTool } from '../claude.ts'
import {
  checkpointOf,
  createReviews,
  NotRun,
  type ReviewsOptions,
  type RunContext,
  type ToolPolicy,
} from '../index.ts'
import { idsOfDetails, resolveInterruptions } from '../openai.ts'
import { playedClient } from './played-client.ts'

const ids = { sessionId: 's', callId: 'c1' }

/** Reviews whose reviewer decides each case as it is opened. */
function reviewed(decision: 'approved' | 'rejected' | null, options: Partial<ReviewsOptions> = {}) {
  const played = playedClient()
  const onOpen: ReviewsOptions['onOpen'] = ({ reviewCaseId, state }) => {
    if (state === 'open' && decision) played.decide(reviewCaseId, decision)
  }
  const reviews = createReviews(played.client, { tools: { pay: {} }, onOpen, ...options })
  const ran: unknown[] = []
  const pay = (input: unknown) =>
    reviews.guard(
      'pay',
      (given: unknown) => ran.push(given),
      () => ids,
    )(input)
  return { ...played, reviews, ran, pay }
}

const hasCode = (code: NotRun['code']) => (error: unknown) =>
  error instanceof NotRun && error.code === code

describe('what runs is what was shown', () => {
  it('refuses input that is no plain JSON, and asks nobody', async () => {
    class Payment {
      readonly amount = 1_000_000
    }
    const circle: { self?: object } = {}
    circle.self = circle
    const inputs: readonly unknown[] = [
      new Map([['amount', 1_000_000]]),
      { amount: 1_000_000, toJSON: () => ({ amount: 1 }) },
      Object.create({ toJSON: () => ({ amount: 1 }) }),
      new Payment(),
      { at: new Date(0) },
      { amount: Number.NaN },
      { amount: 5n },
      [undefined],
      new Array(1),
      circle,
      '\ud800',
    ]
    for (const input of inputs) {
      const { pay, ran, cases, reviews } = reviewed('approved')
      await assert.rejects(pay(input), hasCode('refused'))
      assert.equal((await reviews.check({ ...ids, name: 'pay', input }))?.code, 'refused')
      const unasked = reviewed('approved', { tools: { pay: { when: () => false } } })
      await assert.rejects(unasked.pay(input), hasCode('refused'))
      assert.deepEqual([ran, unasked.ran, cases.size], [[], [], 0])
    }
  })

  it('guards no generator function, which does nothing when it is called', async () => {
    const generators: readonly ((input: unknown) => unknown)[] = [
      async function* paying() {
        yield 'paid'
      },
      function* paying() {
        yield 'paid'
      },
    ]
    const expected = { name: 'TypeError', message: /expected .*generator/ }
    for (const act of [...generators, ...generators.map((each) => each.bind(null))]) {
      const { reviews, cases } = reviewed('approved')
      assert.throws(() => reviews.guard('pay', act, () => ids), expected)
      const call = { ...ids, name: 'pay', input: {} }
      await assert.rejects(reviews.run(call, act), expected)
      await assert.rejects(reviews.runUnasked(call, act), expected)
      assert.equal(cases.size, 0)
    }
  })

  it('runs a copy, without members that have no value', async () => {
    const { pay, ran, cases } = reviewed('approved')
    const input = { amount: 5, note: undefined, to: ['ACME'] }
    await pay(input)
    assert.deepEqual(ran, [{ amount: 5, to: ['ACME'] }])
    const shown = cases.get('rc_1')?.presentation
    assert.deepEqual(shown, { action: { tool: 'pay', arguments: ran[0] } })
    const unset = reviewed('approved')
    await unset.pay(undefined)
    assert.deepEqual(unset.ran, [null])
  })

  it('does not run what was changed while its policy was asked', async () => {
    const when = async ({ input }: { readonly input: unknown }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return (input as { amount: number }).amount > 100
    }
    const { pay, ran, cases } = reviewed('rejected', { tools: { pay: { when } } })
    const input = { amount: 1 }
    const paid = pay(input)
    input.amount = 1_000_000
    await assert.rejects(paid, hasCode('changed'))
    assert.deepEqual([ran, cases.size], [[], 0])
    await pay({ amount: 2 })
    assert.deepEqual(ran, [{ amount: 2 }])
  })

  it('keeps the approval of a call that was changed while people looked', async () => {
    const { reviews, cases, decide } = reviewed(null)
    const call = { ...ids, name: 'pay', input: { amount: 1 } }
    await reviews.check(call)
    decide('rc_1', 'approved')
    const given = { ...call, input: { amount: 1 } }
    const run = reviews.run(given, () => assert.fail('ran'))
    given.input.amount = 1_000_000
    await assert.rejects(run, hasCode('changed'))
    assert.equal(cases.get('rc_1')?.continuation, null)
    assert.equal(await reviews.run(call, () => 'paid'), 'paid')
  })

  it('shows and runs the call as it was made, whatever its policy does with what it is given', async () => {
    const change = ({ input }: { readonly input: unknown }) => {
      Object.assign(input as object, { amount: 1_000_000 })
    }
    for (const isAsked of [true, false]) {
      const policy: ToolPolicy = {
        when: (call) => change(call) ?? isAsked,
        requestedBy: (call) => change(call) ?? null,
        describe: (call) => change(call) ?? {},
      }
      const { pay, ran, cases } = reviewed('approved', { tools: { pay: policy } })
      await pay({ amount: 1 })
      assert.deepEqual(ran, [{ amount: 1 }])
      const shown = [...cases.values()].map(({ presentation }) => presentation)
      const action = { tool: 'pay', arguments: { amount: 1 } }
      assert.deepEqual(shown, isAsked ? [{ action }] : [])
    }
  })

  it('runs the number that is shown', async () => {
    const { pay, ran } = reviewed('approved')
    await pay({ amount: -0 })
    assert.ok(Object.is((ran[0] as { amount: number }).amount, 0))
  })

  it('spends an approval for the call alone that was shown', async () => {
    const { reviews, cases } = reviewed('approved')
    const shown = { ...ids, name: 'pay', input: { amount: 1 } }
    const verdict = await reviews.ask(shown)
    const others = [
      { ...shown, input: { amount: 9_000_000_000 } },
      { ...shown, name: 'wire' },
      { ...shown, sessionId: 't' },
      { ...shown, input: new Map() },
    ]
    for (const other of others) {
      const { approved, code } = await reviews.spend(other, verdict)
      assert.deepEqual([approved, code], [false, 'changed'])
    }
    assert.equal((await reviews.spend(shown, { ...verdict, review: null })).approved, false)
    assert.equal(cases.get('rc_1')?.continuation, null)
    assert.equal((await reviews.spend(shown, verdict)).approved, true)
  })

  it('takes no generator for the result of an action, for it has done nothing yet', async () => {
    for (const when of [undefined, () => false])
      for (const lazy of [async function* () {}, function* () {}]) {
        const { reviews } = reviewed('approved', { tools: { pay: { ...(when && { when }) } } })
        // As the `execute` of a framework's tool, which a guard is given within another function.
        const guarded = reviews.guard(
          'pay',
          async () => lazy(),
          () => ids,
        )
        await assert.rejects(guarded({ amount: 1 }), /expected the result of an action/)
      }
  })

  it('gives the action the signal of its call, whether people were asked or not', async () => {
    for (const when of [undefined, () => false]) {
      const { reviews } = reviewed('approved', { tools: { pay: { ...(when && { when }) } } })
      const { signal } = new AbortController()
      const given: unknown[] = []
      const act = (_: unknown, context: RunContext) => given.push(context.signal)
      await reviews.guard('pay', act, () => ({ ...ids, signal }))({ amount: 1 })
      await reviews.guard('pay', act, () => ({ ...ids, callId: 'c2' }))({ amount: 1 })
      assert.deepEqual([given[0] === signal, given[1]], [true, undefined])
    }
  })

  it('asks for what the guard of an OpenAI tool is given', async () => {
    const payment = z.object({ amount: z.number(), currency: z.string().default('EUR') })
    const { reviews, ran, cases } = reviewed('approved')
    const guarded = reviews.guard('pay', (input: unknown) => ran.push(input), idsOfDetails('s'))
    const stopped = (text: string, callId: string, type = 'function_call') => {
      const item = { name: 'pay', arguments: text, rawItem: { type, callId } }
      const answers: string[] = []
      const state = {
        getInterruptions: () => [item],
        approve: () => answers.push('approved'),
        reject: (_: unknown, { message = '' } = {}) => answers.push(message),
      }
      const asked = resolveInterruptions(reviews, state, {
        sessionId: 's',
        parameters: { pay: payment },
      })
      return asked.then(() => answers)
    }
    const text = '{"amount":1,"note":"x"}'
    assert.deepEqual(await stopped(text, 'c1'), ['approved'])
    await guarded(await payment.parseAsync(JSON.parse(text)), undefined, {
      toolCall: { callId: 'c1' },
    })
    assert.deepEqual(ran, [{ amount: 1, currency: 'EUR' }])
    // A tool of the provider's is run with what the model wrote, though one here has its name.
    assert.deepEqual(await stopped(text, 'c3', 'hosted_tool_call'), ['approved'])
    const [, hosted] = [...cases.values()]
    const made = { amount: 1, note: 'x' }
    assert.deepEqual(hosted?.presentation, { action: { tool: 'pay', arguments: made } })
    const [refused = ''] = await stopped('{"amount":"much"}', 'c2')
    assert.match(refused, /not what the tool takes/)
    assert.equal(cases.size, 2)
    // Of names that come twice, and of numbers of more digits, another reader may take another value.
    for (const [nth, loose] of [
      '{"amount":1000000,"amount":1}',
      '{"amount":9007199254740993}',
      '{"amount":1.0000000000000000001}',
    ].entries()) {
      await stopped(loose, `d${nth}`, 'hosted_tool_call')
      const { presentation } = [...cases.values()].at(-1) ?? {}
      assert.deepEqual(presentation, { action: { tool: 'pay', arguments: loose } })
    }
    await stopped('{ "to" : "A \\" B",\n"amount":[1, 2] }', 'd9', 'hosted_tool_call')
    const { presentation } = [...cases.values()].at(-1) ?? {}
    const plain = { to: 'A " B', amount: [1, 2] }
    assert.deepEqual(presentation, { action: { tool: 'pay', arguments: plain } })
  })

  it('says of other arguments under the same id that they are that', async () => {
    const { reviews } = reviewed('approved')
    const call = { ...ids, name: 'pay', input: { amount: 1 } }
    await reviews.ask(call)
    const { reason } = await reviews.ask({ ...call, input: { amount: 2 } })
    assert.match(reason, /asked about before, with other arguments .*\(idempotency_conflict\)/)
  })

  it('keeps the cases of calls, of their changes and of namespaces apart', () => {
    const names = ['pay', 'pay:c1', 'pay%3Ac1']
    const callIds = [
      'c1',
      'c1:2',
      'c1:edit-2',
      'c1%3Aedit-2',
      'edit-2',
      'c1:in-',
      'c1:edit-2:in-c1',
    ]
    const edits = [undefined, { nth: 2 }, { nth: 3 }]
    const namespaces = [undefined, '', 'edit-2', 'c1']
    const all = names.flatMap((name) =>
      callIds.flatMap((callId) =>
        edits.flatMap((edit) =>
          namespaces.map((each) => checkpointOf({ name, callId, ...(edit && { edit }) }, each)),
        ),
      ),
    )
    assert.equal(new Set(all).size, all.length)
  })
})

describe('who is asked', () => {
  const { signal } = new AbortController()
  const permitted = (options: Partial<ReviewsOptions>, input: object = { command: 'rm -rf /' }) => {
    const { reviews, cases } = reviewed('rejected', options)
    const given = { signal, toolUseID: 'toolu_1' }
    const mayUse = canUseTool(reviews, { sessionId: 's' })('Bash', { ...input }, given)
    return mayUse.then(({ behavior }) => [behavior, cases.size])
  }

  it('is a person, for a tool without a policy, unless those are to run', async () => {
    assert.deepEqual(await permitted({}), ['deny', 1])
    assert.deepEqual(await permitted({ tools: { bash: {} } }), ['deny', 1])
    assert.deepEqual(await permitted({ others: 'run' }), ['allow', 0])
    assert.deepEqual(await permitted({ others: 'run' }, { at: new Date(0) }), ['deny', 0])
  })

  it('is a person, where a policy answers nothing', async () => {
    const forgot = { when: () => {} } as unknown as { readonly when: () => boolean }
    const { pay, ran, cases } = reviewed('rejected', { tools: { pay: forgot } })
    await assert.rejects(pay({}), hasCode('rejected'))
    assert.deepEqual([ran, cases.size], [[], 1])
  })

  it('is a person again, by content, once a decision is past its deadline', async () => {
    for (const decision of ['approved', 'rejected'] as const) {
      const { reviews, cases, decide, change } = reviewed(null, { identify: 'content' })
      const call = { ...ids, name: 'pay', input: { amount: 1 } }
      assert.equal(await reviews.check(call), null)
      decide('rc_1', decision)
      assert.equal((await reviews.check(call))?.code, decision)
      change('rc_1', { expiresAt: '2020-01-01T00:00:00.000Z' })
      assert.equal(await reviews.check(call), null)
      assert.equal(await reviews.check(call), null)
      assert.equal(cases.size, 2)
    }
  })
})
