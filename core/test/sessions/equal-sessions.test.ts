import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import fc from 'fast-check'
import { sessions, steps } from '../../content/records.ts'
import { keyValues } from './otlp/exports.ts'
import { written } from './otlp/protobuf-writer.ts'
import { createWorld, spanOf, traceOf, type World } from './world.ts'

const startNs = 1_795_177_744_486_000_000n

/** What an agent did, before any convention named it. */
interface Happened {
  readonly does: 'llm' | 'tool' | 'agent'
  readonly asked: string
  readonly answered: string
  readonly model: string
  readonly tokens: number
  readonly agent: string | null
  readonly subject: string | null
  readonly named: boolean
  readonly trace: number
  readonly startMs: number
  readonly failed: boolean
  readonly dropped: number
  readonly isRoot: boolean
}

/** How each convention writes it. */
const conventions = {
  genAi: ({ does, asked, answered, model, tokens }: Happened) => ({
    attributes:
      does === 'tool'
        ? {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': model,
            'gen_ai.tool.call.arguments': asked,
            'gen_ai.tool.call.result': answered,
          }
        : {
            'gen_ai.operation.name': does === 'llm' ? 'chat' : 'invoke_agent',
            'gen_ai.request.model': model,
            'gen_ai.usage.input_tokens': tokens,
            'gen_ai.input.messages': [{ role: 'user', content: asked }],
            'gen_ai.output.messages': [{ role: 'assistant', content: answered }],
          },
    events: [],
  }),
  genAiEvents: ({ asked, answered, model }: Happened) => ({
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.response.model': model },
    events: [
      { name: 'gen_ai.user.message', attributes: keyValues({ content: asked }) },
      { name: 'gen_ai.choice', attributes: keyValues({ message: answered }) },
    ],
  }),
  openInference: ({ does, asked, answered, model, tokens }: Happened) => ({
    attributes: {
      'openinference.span.kind': does.toUpperCase(),
      'llm.model_name': model,
      'llm.token_count.prompt': tokens,
      'input.value': asked,
      'llm.output_messages.0.message.content': answered,
    },
    events: [],
  }),
  openLlmetry: ({ does, asked, answered, model, tokens }: Happened) => ({
    attributes:
      does === 'llm'
        ? {
            'llm.request.type': 'chat',
            'gen_ai.response.model': model,
            'gen_ai.usage.prompt_tokens': tokens,
            'gen_ai.prompt.0.content': asked,
            'gen_ai.completion.0.content': answered,
          }
        : {
            'traceloop.span.kind': does,
            'traceloop.entity.name': model,
            'traceloop.entity.input': asked,
            'traceloop.entity.output': answered,
          },
    events: [],
  }),
  aiSdk: ({ does, asked, answered, model }: Happened) => ({
    attributes:
      does === 'tool'
        ? {
            'ai.operationId': 'ai.toolCall',
            'ai.toolCall.name': model,
            'ai.toolCall.args': asked,
            'ai.toolCall.result': answered,
          }
        : {
            'ai.operationId': does === 'llm' ? 'ai.generateText.doGenerate' : 'ai.generateText',
            'ai.model.id': model,
            'ai.prompt': asked,
            'ai.response.text': answered,
          },
    events: [],
  }),
} as const
type Convention = keyof typeof conventions

function spanFrom(it: Happened, convention: Convention, at: number): object {
  const { attributes, events } = conventions[convention](it)
  const start = startNs + BigInt(it.startMs) * 1_000_000n
  return {
    traceId: traceOf(it.trace),
    spanId: spanOf(at + 1),
    parentSpanId: it.isRoot ? '' : spanOf(99),
    name: `step ${at}`,
    kind: 3,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: keyValues({
      ...attributes,
      ...(it.named && { 'session.id': `run-${it.trace % 2}` }),
      ...(it.agent !== null && { 'gen_ai.agent.name': it.agent }),
      ...(it.subject !== null && { 'user.id': it.subject }),
    }),
    events,
    droppedAttributesCount: it.dropped,
    status: it.failed ? { code: 2, message: 'it broke' } : {},
  }
}

const happened: fc.Arbitrary<Happened> = fc.record({
  does: fc.constantFrom('llm', 'tool', 'agent'),
  asked: fc.constantFrom('pay', 'pay o-77 😀', 'find'),
  answered: fc.constantFrom('paid', 'found'),
  model: fc.constantFrom('m-1', 'm-2', 'm-3'),
  tokens: fc.nat(9),
  agent: fc.constantFrom(null, null, 'teller', 'auditor'),
  subject: fc.constantFrom(null, null, 'ada', 'bob'),
  named: fc.boolean(),
  trace: fc.integer({ min: 7, max: 9 }),
  startMs: fc.nat(3),
  failed: fc.boolean(),
  dropped: fc.constantFrom(0, 0, 0, 2),
  isRoot: fc.boolean(),
})
const run = fc.array(
  fc.record({
    it: happened,
    convention: fc.constantFrom(...(Object.keys(conventions) as Convention[])),
    order: fc.nat(),
    encoding: fc.constantFrom('json', 'protobuf'),
    settles: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
)

const exportOf = (spans: readonly object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues({ 'service.name': 'shop' }) },
      scopeSpans: [{ scope: { name: 'lib' }, spans }],
    },
  ],
})

async function sendExport(
  { service, key }: World,
  spans: readonly object[],
  encoding: 'json' | 'protobuf',
): Promise<void> {
  const given = exportOf(spans)
  const body =
    encoding === 'json' ? new TextEncoder().encode(JSON.stringify(given)) : written(given)
  assert.deepEqual(unwrap(await service.ingest.acceptExport(key, body, encoding)), {})
}

async function judging({ service, admin, owner }: World): Promise<void> {
  const match = (key: string, value: string) => ({
    attributes: [{ key, op: 'contains' as const, value }],
  })
  unwrap(
    await service.policyRules.set(admin, {
      applicationId: owner.applicationId,
      ruleSetVersion: 0,
      rules: [
        { name: 'asks to pay', effect: 'deny', match: match('input', 'pay') },
        { name: 'found', effect: 'allow', match: match('output', 'found') },
        { name: 'teller', effect: 'allow', match: match('session.agent.name', 'teller') },
      ],
    }),
  )
}

/** All that members see of the sessions, contents included. */
async function shown({ service, admin, rows }: World) {
  const results = rows(steps).map(({ stepId, policyResults }) => ({
    stepId,
    rules: policyResults.map(({ ruleName }) => ruleName).toSorted(),
  }))
  const read = rows(sessions).map(async ({ sessionId }) => {
    const session = unwrap(await service.sessions.read(admin, { sessionId }))
    const ofIt = rows(steps).filter((each) => each.sessionId === sessionId)
    const contents = ofIt.map(async ({ stepId }) => {
      const { payload, ...step } = unwrap(
        await service.sessions.readStep(admin, { sessionId, stepId }),
      )
      const { input, output, attributes } = payload ?? {}
      return { ...step, input, output, attributes }
    })
    const byId = (await Promise.all(contents)).toSorted((a, b) => (a.stepId < b.stepId ? -1 : 1))
    // Raised flags, and so their sums, stay though a result ceases to hold.
    const { openFlags: _, applicationId: __, ...kept } = session
    return { ...kept, steps: byId }
  })
  const all = await Promise.all(read)
  return {
    sessions: all.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)),
    results: results.toSorted((a, b) => (a.stepId < b.stepId ? -1 : 1)),
  }
}

type Shown = Awaited<ReturnType<typeof shown>>

describe('the sessions that come of an export', () => {
  /** `arrives`: what becomes of sessions that came in exports of their own. */
  const same = (arrives: (told: Shown) => Shown) =>
    fc.asyncProperty(run, async (given) => {
      const spans = given.map(({ it, convention }, at) => spanFrom(it, convention, at))
      const whole = await createWorld()
      await judging(whole)
      await sendExport(whole, spans, 'json')
      await whole.pass(0)

      const single = await createWorld()
      await judging(single)
      const shuffled = given
        .map(({ order, encoding, settles }, at) => ({ order, encoding, settles, at }))
        .toSorted((a, b) => a.order - b.order)
      for (const { at, encoding, settles } of shuffled) {
        await sendExport(single, [spans[at] ?? {}], encoding as 'json' | 'protobuf')
        if (settles) await single.pass(0)
      }
      await single.pass(0)
      assert.deepEqual(arrives(await shown(single)), await shown(whole))
    })

  it('are the same in JSON and protobuf, in one export and in many, in any order', () =>
    fc.assert(
      same((told) => told),
      { numRuns: 25 },
    ))

  it('and that fails for sessions that differ in one thing', async () => {
    type Session = Shown['sessions'][number]
    const each =
      (change: (session: Session) => Partial<Session>) =>
      (told: Shown): Shown => ({
        ...told,
        sessions: told.sessions.map((session) => ({ ...session, ...change(session) })),
      })
    const wrongs: Readonly<Record<string, (told: Shown) => Shown>> = {
      'models as they came': each(({ models }) => ({ models: models.toReversed() })),
      'nothing incomplete': each(() => ({ incompleteAtSource: false })),
      'no input': each(({ steps }) => ({ steps: steps.map((step) => ({ ...step, input: null })) })),
      'no results': (told) => ({
        ...told,
        results: told.results.map((result) => ({ ...result, rules: [] })),
      }),
    }
    for (const [name, wrong] of Object.entries(wrongs))
      await assert.rejects(fc.assert(same(wrong), { numRuns: 60, endOnFailure: true }), Error, name)
  })

  it('tell what each convention says of the same step', async () => {
    const it: Happened = {
      ...{ does: 'llm', asked: 'pay', answered: 'paid', model: 'm-1', tokens: 3 },
      ...{ agent: null, subject: null, named: true, trace: 7, startMs: 0, failed: false },
      ...{ dropped: 0, isRoot: true },
    }
    for (const convention of Object.keys(conventions) as Convention[]) {
      const world = await createWorld()
      await sendExport(world, [spanFrom(it, convention, 0)], 'protobuf')
      const [session] = (await shown(world)).sessions
      const [step] = session?.steps ?? []
      assert.deepEqual([convention, step?.type, step?.model], [convention, 'llm', 'm-1'])
      assert.match(JSON.stringify(step?.input), /pay/, convention)
      assert.match(JSON.stringify(step?.output), /paid/, convention)
    }
  })

  it('say that they are incomplete where a step is, after it moved too', async () => {
    const plain: Happened = {
      ...{ does: 'llm', asked: 'pay', answered: 'paid', model: 'm-1', tokens: 3 },
      ...{ agent: null, subject: null, named: false, trace: 7, startMs: 0, failed: false },
      ...{ dropped: 2, isRoot: false },
    }
    const world = await createWorld()
    const told = async () =>
      (await shown(world)).sessions.map((each) => [each.sessionId, each.incompleteAtSource])
    await sendExport(world, [spanFrom(plain, 'genAi', 0)], 'json')
    assert.deepEqual(await told(), [[traceOf(7), true]])
    await sendExport(world, [spanFrom({ ...plain, dropped: 0, named: true }, 'genAi', 1)], 'json')
    await world.pass(0)
    assert.deepEqual(await told(), [['run-1', true]])
  })
})
