import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, type Client } from '@countersign/client'
import { mutants } from '@countersign/reference-server/reviewed'
import { Command, type StateSnapshot } from '@langchain/langgraph'
import { answerApprovals } from '../ai-sdk.ts'
import {
  checkpointOf,
  createReviews,
  NotRun,
  type Problem,
  type Reviews,
  type ReviewsOptions,
  readResumeToken,
} from '../index.ts'
import { resumeOf } from '../langchain.ts'
import { playedClient } from './played-client.ts'

const tools = { pay: {} }
const call = (callId: string, amount = 5) => ({
  sessionId: 's',
  callId,
  name: 'pay',
  input: { amount },
})
type Make = (client: Client, options: ReviewsOptions) => Reviews

/** Approves, rejects or leaves each case as it is opened. */
function reviewed(
  choose: (nth: number) => 'approved' | 'rejected' | null,
  options: Partial<ReviewsOptions> = {},
  make: Make = createReviews,
) {
  const played = playedClient()
  const seen = new Set<string>()
  const onOpen: ReviewsOptions['onOpen'] = ({ reviewCaseId }) => {
    if (seen.has(reviewCaseId)) return
    seen.add(reviewCaseId)
    const choice = choose(seen.size)
    if (choice) played.decide(reviewCaseId, choice, { reviewerComment: 'Yes, approved?' })
  }
  const problems: Problem[] = []
  const onProblem = (problem: Problem) => problems.push(problem)
  const all = { tools, onOpen, onProblem, ...options }
  return { ...played, problems, reviews: make(played.client, all), options: all }
}

async function notRun(done: Promise<unknown>): Promise<NotRun> {
  const error = await done.then(
    () => assert.fail('it ran'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof NotRun, String(error))
  assert.notEqual(error.message, '')
  return error
}

const rules: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'runs what was approved once, however often and from wherever it is called': async (make) => {
    const { client, options, reviews } = reviewed(() => 'approved', {}, make)
    const others = [reviews, make(client, options), make(client, options)]
    let ran = 0
    const all = others.map((each) => each.run(call('c1'), () => ++ran))
    await Promise.allSettled(all)
    await Promise.allSettled([reviews.run(call('c1'), () => ++ran)])
    assert.equal(ran, 1)
  },
  'asks for a second call of the same arguments': async (make) => {
    const { reviews, cases } = reviewed((nth) => (nth === 1 ? 'approved' : 'rejected'), {}, make)
    let ran = 0
    await reviews.run(call('c1'), () => ++ran)
    await Promise.allSettled([reviews.run(call('c2'), () => ++ran)])
    assert.deepEqual([ran, cases.size], [1, 2])
  },
  'takes the decision for an answer, and nothing that is said beside it': async (make) => {
    const { reviews } = reviewed(() => 'rejected', {}, make)
    let ran = 0
    await Promise.allSettled([reviews.run(call('c1'), () => ++ran)])
    assert.equal(ran, 0)
  },
}

describe('createReviews', () => {
  for (const [rule, holds] of Object.entries(rules)) it(rule, () => holds(createReviews))

  it('has mutants that break a rule each', async () => {
    const broken = Object.values(mutants).map(async (mutate) => {
      const make: Make = (client, options) => mutate(createReviews(client, options))
      const all = Object.entries(rules).map(async ([name, holds]) => {
        const isKept = await holds(make).then(
          () => true,
          () => false,
        )
        return isKept ? [] : [name]
      })
      return (await Promise.all(all)).flat().length
    })
    const counts = await Promise.all(broken)
    assert.ok(
      counts.every((count) => count > 0),
      String(counts),
    )
  })

  it('asks where a policy says so, or throws', async () => {
    const { reviews, problems } = reviewed(() => null, {
      others: 'run',
      tools: {
        pay: { when: ({ input }) => (input as { amount: number }).amount > 100 },
        wire: {
          when: () => {
            throw new Error('the database is away')
          },
        },
      },
    })
    assert.equal(await reviews.needs(call('c', 100)), false)
    assert.equal(await reviews.needs(call('c', 101)), true)
    assert.equal(await reviews.needs({ ...call('c'), name: 'wire' }), true)
    assert.equal(await reviews.needs({ ...call('c'), name: 'toString' }), false)
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['when_failed'],
    )
    assert.equal(await reviews.run(call('c', 1), ({ reviewCaseId }) => reviewCaseId), null)
    const { reviews: asking } = reviewed(() => null)
    assert.equal(await asking.needs({ ...call('c'), name: 'read' }), true)
    for (const others of [null, false, undefined, '', 'Ask', 'deny', 'Run'] as unknown[]) {
      const { reviews: odd } = reviewed(() => null, { others: others as never })
      assert.equal(await odd.needs({ ...call('c'), name: 'read' }), true, String(others))
    }
    // Whoever guards a tool means to ask, also where its policy is misspelt.
    const unseen = { when: () => false }
    for (const others of ['ask', 'run', unseen] as const) {
      const { reviews: typo } = reviewed(() => 'rejected', { tools: { payy: unseen }, others })
      assert.equal((await notRun(typo.run(call('c'), () => 1))).code, 'rejected')
      assert.equal(await typo.runUnasked(call('d'), () => 1), null)
    }
    const { reviews: named } = reviewed(() => null, { tools: { pay: unseen } })
    assert.equal(await named.run(call('c'), () => 'ran'), 'ran')
  })

  it('waits no longer for a policy than its signal says, and then runs nothing', async () => {
    for (const isLate of [false, true]) {
      const left = new AbortController()
      let answer: (isNeeded: boolean) => void = () => {}
      const policy = new Promise<boolean>((resolve) => {
        answer = resolve
      })
      const when = () => policy
      const { reviews, cases, problems } = reviewed(() => 'approved', { tools: { pay: { when } } })
      const { signal } = left
      const ran = () => assert.fail('ran')
      const waits = [
        reviews.run(call('c1'), ran, { signal }),
        reviews.runUnasked(call('c1'), ran, { signal }),
        reviews.needs(call('c1'), { signal }),
      ]
      // Whichever comes first of the two: nobody waits any more.
      if (isLate) answer(false)
      left.abort(new Error('left'))
      const ends = await Promise.allSettled(waits)
      assert.deepEqual(
        ends.slice(0, 2).map((end) => end.status === 'rejected' && String(end.reason)),
        ['Error: left', 'Error: left'],
      )
      answer(false)
      assert.deepEqual([cases.size, problems], [0, []])
    }
  })

  it('asks no policy again about a call that is known to need a person', async () => {
    let asked = 0
    const when = () => ++asked === 1
    const { reviews, cases } = reviewed(() => 'rejected', { tools: { pay: { when } } })
    assert.equal(await reviews.needs(call('c1')), true)
    const run = reviews.run(call('c1'), () => assert.fail('ran'), { isNeeded: true })
    assert.equal((await notRun(run)).code, 'rejected')
    assert.deepEqual([asked, cases.size], [1, 1])
  })

  it('denies with a fixed sentence what nobody could be asked for', async () => {
    const secret = 'at 10.0.0.7'
    const failing: readonly (readonly [error: Error, told: string])[] = [
      [new ApiError('forbidden', secret, { status: 403 }), 'forbidden'],
      // Of an answer's `type`, which is any text.
      [new ApiError(secret as never, secret, { status: 403 }), 'unknown'],
      [new ApiError('constructor' as never, secret, { status: 403 }), 'constructor'],
      [new TypeError(secret), 'not_asked'],
    ]
    for (const [error, told] of failing) {
      const { withCalls, options, problems } = reviewed(() => null)
      const fail = async () => {
        throw error
      }
      const client = withCalls(() => ({ find: fail, open: fail, request: fail }))
      const { reason, approved, code } = await createReviews(client, options).ask(call('c'))
      assert.deepEqual([approved, code], [false, 'refused'])
      assert.equal(reason, `No reviewer could be asked (${told}); the call was not made.`)
      assert.equal(problems[0]?.error, error)
    }
    const { reviews } = reviewed(() => 'approved')
    const unsayable = { ...call('c'), input: { amount: 5n } }
    assert.equal((await notRun(reviews.run(unsayable, () => 1))).code, 'refused')
  })

  it('throws an abort on, and finds the case again', async () => {
    const { reviews, cases, decide } = reviewed(() => null)
    const left = new AbortController()
    const waiting = reviews.run(call('c1'), () => 1, { signal: left.signal })
    setTimeout(() => left.abort(new Error('enough')), 20)
    await assert.rejects(waiting, /enough/)
    assert.equal((await reviews.check(call('c1'))) ?? 'open', 'open')
    decide('rc_1', 'approved')
    assert.equal(await reviews.run(call('c1'), () => 'ran'), 'ran')
    assert.equal(cases.size, 1)
  })

  it('runs nothing but what was shown', async () => {
    const { reviews, decide, change, cases } = reviewed(() => null)
    const input = { amount: 5, to: ['ACME'] }
    const asked = { ...call('c1'), input }
    const waiting = reviews.run(asked, () => 1)
    while (cases.size < 1) await new Promise((resolve) => setTimeout(resolve, 5))
    input.to.push('Mallory')
    decide('rc_1', 'approved')
    assert.equal((await notRun(waiting)).code, 'changed')
    // The same id with other arguments is refused by the service, or by what the case shows.
    const second = reviewed(() => 'approved')
    await second.reviews.ask(call('c2', 5))
    assert.equal((await notRun(second.reviews.run(call('c2', 6), () => 1))).code, 'refused')
    const other = { action: { tool: 'pay', arguments: { amount: 6 } } }
    change('rc_1', { presentation: other })
    assert.equal(
      (await reviews.check({ ...call('c1'), input: { amount: 5, to: ['ACME'] } }))?.code,
      'changed',
    )
    assert.equal(await second.reviews.run(call('c2', 5), () => 'ran'), 'ran')
  })

  it('goes on after a crash between claim and act only by telling so', async () => {
    const { reviews } = reviewed(() => 'approved')
    const crashed = reviews.run(call('c1'), () => {
      throw new Error('the process ended')
    })
    await assert.rejects(crashed, /the process ended/)
    const { code, message } = await notRun(reviews.run(call('c1'), () => 1))
    assert.equal(code, 'spent')
    assert.match(message, /not known whether it was done/)
  })

  it('claims once, also where the answer to the claim is lost', async () => {
    const { withCalls, options } = reviewed(() => 'approved')
    let lost = 0
    const client = withCalls(({ reportContinuation }) => ({
      reportContinuation: async (report) => {
        const answer = await reportContinuation(report)
        if (lost++ === 0) throw new ApiError('no_answer', 'lost')
        return answer
      },
    }))
    assert.equal(await createReviews(client, options).run(call('c1'), () => 'ran'), 'ran')
    assert.equal(lost, 2)
  })

  it('tells the model what became of a call, and evidence what became of the decision', async () => {
    const ends = [
      ['rejected', { reviewerComment: 'Too much' }, /^Rejected by a reviewer: Too much\. Do not/],
      ['rejected', {}, /^Rejected by a reviewer\. Do not/],
      ['response_submitted', { response: { amount: 3 } }, /proposes: \{"amount":3\}/],
      ['expired', {}, /Nobody decided before 2126-11-26 18:00 UTC/],
      ['cancelled', {}, /cancelled/],
    ] as const
    for (const [decision, more, told] of ends) {
      const { reviews, client, change, cases } = reviewed(() => null)
      const isDecided = decision === 'rejected' || decision === 'response_submitted'
      const state = isDecided ? { state: 'decided', decision } : { state: decision, decision }
      await reviews.check(call('c1'))
      change('rc_1', { ...state, ...more } as object)
      const { message, decision: heard } = await notRun(reviews.run(call('c1'), () => 1))
      assert.match(message, told)
      assert.equal(heard, decision)
      assert.equal(cases.get('rc_1')?.continuation?.outcome, 'terminated')
      const silent = createReviews(client, { tools, comment: 'withhold' })
      assert.ok(!(await silent.ask(call('c1'))).reason.includes('Too much'))
    }
  })

  it('identifies calls by their content where they have no ids', async () => {
    const { reviews, client, options, decide, cases } = reviewed(() => null, {
      identify: 'content',
    })
    assert.equal(await reviews.check(call('x1')), null)
    assert.equal(await reviews.check(call('x2')), null)
    assert.equal(cases.size, 1)
    decide('rc_1', 'approved')
    // Two processes at once: one runs, the other asks anew.
    let ran = 0
    const two = [reviews, createReviews(client, options)].map((each, nth) =>
      each.run(call(`y${nth}`), () => ++ran),
    )
    while (cases.size < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(ran, 1)
    decide('rc_2', 'rejected')
    assert.deepEqual((await Promise.allSettled(two)).map(({ status }) => status).sort(), [
      'fulfilled',
      'rejected',
    ])
    assert.equal((await reviews.check(call('z')))?.code, 'rejected')
    assert.deepEqual([ran, cases.size], [1, 2])
  })

  it('finds the first repeat of a content that is not over, however many are', async () => {
    for (const times of [1, 2, 3, 4, 7, 8, 20]) {
      const { reviews, client, options, cases } = reviewed(() => 'approved', {
        identify: 'content',
      })
      for (let nth = 0; nth < times; nth++) await reviews.run(call(`x${nth}`), () => 1)
      assert.equal(cases.size, times)
      let found = 0
      const { find } = client.reviewCases
      const reviewCases: Client['reviewCases'] = {
        ...client.reviewCases,
        find: (...place) => {
          found++
          return find(...place)
        },
      }
      const silent = createReviews({ ...client, reviewCases }, { ...options, onOpen: () => {} })
      assert.equal(await silent.check(call('y')), null)
      assert.equal(cases.size, times + 1)
      assert.ok(found <= 2 + 2 * Math.ceil(Math.log2(times + 1)), `${found} for ${times}`)
      assert.equal(await silent.check(call('z')), null)
      assert.equal(cases.size, times + 1)
    }
  })

  it('goes on with a closed case although its key is forgotten', async () => {
    const played = reviewed(() => 'approved')
    await played.reviews.ask(call('c1'))
    played.forget()
    const again = createReviews(played.client, played.options)
    assert.equal(await again.run(call('c1'), () => 'ran'), 'ran')
    assert.equal((await notRun(again.run(call('c1'), () => 1))).code, 'spent')
    assert.equal(played.cases.size, 1)
  })

  it('opens nothing for a guarded call that nobody was asked about, where it is to deny those', async () => {
    const { reviews, cases } = reviewed(() => 'approved', { unasked: 'deny' })
    const { message } = await notRun(reviews.run(call('c1'), () => 1))
    assert.match(message, /Nobody was asked/)
    assert.equal(cases.size, 0)
    await reviews.ask(call('c1'))
    assert.equal(await reviews.run(call('c1'), () => 'ran'), 'ran')
  })

  it('has ids of calls within the longest of the service', () => {
    const checkpoint = (name: string, callId: string) => checkpointOf({ name, callId })
    assert.equal(checkpoint('pay', 'call_1'), 'pay:call_1')
    const long = checkpoint('p'.repeat(300), 'c')
    assert.ok(long.length <= 200 && long !== checkpoint('p'.repeat(300), 'd'))
    assert.match(checkpoint('pay\n', 'c'), /^pay\?:%sha256-[0-9a-f]{64}$/)
  })

  it('gives outcome callbacks what finds the call again', async () => {
    const { reviews, cases } = reviewed(() => null, { via: 'worker' })
    await reviews.check(call('c1'))
    const token = cases.get('rc_1')?.checkpoint.resumeToken
    assert.deepEqual(readResumeToken(token), { via: 'worker', sessionId: 's', callId: 'c1' })
    for (const other of [null, undefined, 'x', '{}', '{"v":2}', '[1]'])
      assert.equal(readResumeToken(other), null)
  })

  it('shows the action first, and arguments as themselves', async () => {
    const describe = () => ({ title: 'A payment', after: 7 })
    const { reviews, cases } = reviewed(() => null, { tools: { pay: { describe } } })
    const input = { tool: 'nothing', action: 'none', amount: 7 }
    await reviews.check({ ...call('c1'), input })
    const { presentation } = cases.get('rc_1') ?? {}
    assert.deepEqual(Object.entries(presentation ?? {}), [
      ['action', { tool: 'pay', arguments: input }],
      ['after', 7],
      ['title', 'A payment'],
    ])
  })
})

describe('answers to frameworks', () => {
  it('are each to the interrupt that asked', async () => {
    const { reviews } = reviewed((nth) => (nth === 1 ? 'approved' : 'rejected'))
    const tasks = [1, 1_000_000].map((amount, nth) => ({
      interrupts: [{ id: `i${nth}`, value: { amount } }],
    }))
    const graph = { getState: async () => ({ tasks }) as unknown as StateSnapshot }
    const config = { configurable: { thread_id: 't' } }
    const own = (command: Pick<Command, 'resume'> | null) => {
      const answers = Object.entries((command?.resume ?? {}) as Record<string, object>)
      assert.deepEqual(
        answers.map(([id, answer]) => [id, (answer as { approved?: boolean }).approved]),
        [
          ['i0', true],
          ['i1', false],
        ],
      )
    }
    const resumed = await resumeOf(reviews, graph, config, (input: object) => ({
      name: 'pay',
      input,
    }))
    own(resumed)
    const [bare = {}] = Object.values((resumed?.resume ?? {}) as Record<string, object>)
    assert.throws(() => own(new Command({ resume: bare })))
  })

  it('deny what waits for a call that is not there', async () => {
    const { reviews, cases } = reviewed(() => 'approved')
    const asked = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'gone' }
    const messages = [{ role: 'assistant', content: [asked] }]
    const answers = await answerApprovals(reviews, messages, { sessionId: 's' })
    assert.deepEqual([answers?.content.map(({ approved }) => approved), cases.size], [[false], 0])
    assert.equal(await answerApprovals(reviews, [], { sessionId: 's' }), null)
  })
})
