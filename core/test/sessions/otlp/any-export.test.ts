import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type NormalSpan, readExport } from '@countersign/core/internal'
import fc from 'fast-check'
import { keyValues, read } from './exports.ts'

/** What an application did, in its own words; nothing here knows the mapping. */
interface Happened {
  readonly traceId: bigint
  readonly spanId: bigint
  readonly parentId: bigint
  readonly startNs: bigint
  readonly lengthNs: bigint
  readonly failed: boolean
  readonly session: string | null
  readonly resourceSession: string | null
  readonly subject: string | null
  readonly model: string | null
  readonly tokens: number | null
  readonly input: string | null
  readonly facts: Readonly<Record<string, unknown>>
}

/** How an exporter happens to write it. */
interface Style {
  readonly upperCase: boolean
  readonly numbers: boolean
  readonly nulls: boolean
  readonly extras: boolean
  readonly conventions: 0 | 1 | 2
  readonly gap: string
}

const text = fc.string({
  minLength: 1,
  maxLength: 12,
  unit: fc.constantFrom('a', 'Z', '1', '"', '\\', 'é', '😀', ' '),
})
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const fact = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  fc.array(text, { maxLength: 3 }),
)
const happened: fc.Arbitrary<Happened> = fc.record({
  traceId: fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }),
  spanId: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  parentId: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })),
  startNs: fc.bigInt({ min: 1n, max: 4n * 10n ** 18n }),
  lengthNs: fc.bigInt({ min: 0n, max: 10n ** 13n }),
  failed: fc.boolean(),
  session: optional(text),
  resourceSession: optional(text),
  subject: optional(text),
  model: optional(text),
  tokens: optional(fc.oneof(fc.constant(0), fc.nat())),
  input: optional(text),
  facts: fc.dictionary(fc.stringMatching(/^my\.[a-z]{1,6}$/), fact, { maxKeys: 4 }),
})
const style: fc.Arbitrary<Style> = fc.record({
  upperCase: fc.boolean(),
  numbers: fc.boolean(),
  nulls: fc.boolean(),
  extras: fc.boolean(),
  conventions: fc.constantFrom(0, 1, 2),
  gap: fc.constantFrom('', ' ', '\n'),
})

const conventions = [
  [
    'session.id',
    'user.id',
    'gen_ai.response.model',
    'gen_ai.usage.input_tokens',
    'gen_ai.input.messages',
  ],
  [
    'gen_ai.conversation.id',
    'enduser.id',
    'llm.model_name',
    'llm.token_count.prompt',
    'input.value',
  ],
  [
    'langfuse.session.id',
    'langfuse.user.id',
    'ai.model.id',
    'gen_ai.usage.prompt_tokens',
    'traceloop.entity.input',
  ],
] as const

const hex = (value: bigint, digits: number) => value.toString(16).padStart(digits, '0')

/** The export of one span, with its 64-bit numbers in place. */
function written(it: Happened, how: Style): string {
  const [session, subject, model, tokens, input] = conventions[how.conventions]
  const named = {
    [session]: it.session,
    [subject]: it.subject,
    [model]: it.model,
    [tokens]: it.tokens,
    [input]: it.input,
  }
  const set = Object.entries(named).filter(([, value]) => value !== null || how.nulls)
  const cased = (id: string) => (how.upperCase ? id.toUpperCase() : id)
  const nanoseconds = (value: bigint) => (how.numbers ? `#${value}#` : String(value))
  const extras = how.extras
    ? { droppedAttributesCount: 0, links: [{}], traceState: 'x', flags: 257, newest: { a: [1] } }
    : {}
  const span = {
    ...extras,
    traceId: cased(hex(it.traceId, 32)),
    spanId: cased(hex(it.spanId, 16)),
    ...(it.parentId === 0n && how.nulls
      ? { parentSpanId: null }
      : { parentSpanId: it.parentId === 0n ? '' : cased(hex(it.parentId, 16)) }),
    name: 'step',
    kind: 3,
    startTimeUnixNano: nanoseconds(it.startNs),
    endTimeUnixNano: nanoseconds(it.startNs + it.lengthNs),
    attributes: keyValues({ ...it.facts, ...Object.fromEntries(set) }),
    status: it.failed ? { code: 2 } : how.nulls ? null : {},
  }
  const resource = {
    attributes: keyValues(it.resourceSession === null ? {} : { 'session.id': it.resourceSession }),
  }
  const body = {
    ...extras,
    resourceSpans: [{ ...extras, resource, scopeSpans: [{ spans: [span] }, {}] }, {}],
  }
  return JSON.stringify(body, null, how.gap).replace(/"#(\d+)#"/g, '$1')
}

/** What must come of it, by the words of the interface alone. */
function expected(it: Happened): Partial<NormalSpan> {
  return {
    traceId: hex(it.traceId, 32),
    spanId: hex(it.spanId, 16),
    parentSpanId: it.parentId === 0n ? null : hex(it.parentId, 16),
    startedAt: Number(it.startNs / 1_000_000n),
    endedAt: Number((it.startNs + it.lengthNs) / 1_000_000n),
    status: it.failed ? 'error' : 'ok',
    sessionId: it.session ?? it.resourceSession,
    dataSubjectId: it.subject,
    model: it.model,
    inputTokens: it.tokens,
    input: it.input,
  }
}

type Reader = typeof readExport

const same = (reader: Reader) =>
  fc.property(happened, style, (it, how) => {
    const result = read(written(it, how), undefined, reader)
    assert.ok(result.ok)
    const [only] = result.value.spans
    const wanted = expected(it)
    assert.deepEqual(
      Object.fromEntries(
        Object.keys(wanted).map((name) => [name, only?.[name as keyof NormalSpan]]),
      ),
      wanted,
    )
    // Minus zero is 0 in JSON.
    for (const [key, value] of Object.entries(it.facts))
      assert.deepEqual(only?.attributes[key], JSON.parse(JSON.stringify(value)))
  })

/** A reader whose spans come out wrong in one way. */
const wrong = (change: (span: NormalSpan) => Partial<NormalSpan>): Reader =>
  function* (...given) {
    const result = yield* readExport(...given)
    if (!result.ok) return result
    const spans = result.value.spans.map((span) => ({ ...span, ...change(span) }))
    return { ok: true, value: { ...result.value, spans } }
  }

describe('any export of any exporter', () => {
  test('comes out as it happened', () => fc.assert(same(readExport)))

  test('and that fails for readers that are wrong in one thing', () => {
    const broken: Readonly<Record<string, Reader>> = {
      'ids as written': wrong(({ traceId }) => ({ traceId: traceId.toUpperCase() })),
      'a parent that is none': wrong(({ parentSpanId }) => ({ parentSpanId: parentSpanId ?? '' })),
      'times rounded up': wrong(({ startedAt }) => ({ startedAt: startedAt + 1 })),
      'nanoseconds as doubles': wrong(({ endedAt }) => ({
        endedAt: Math.round(endedAt / 10) * 10,
      })),
      'no failure': wrong(() => ({ status: 'ok' })),
      'no session of a resource': wrong(({ sessionId, resource }) => ({
        sessionId: resource['session.id'] === sessionId ? null : sessionId,
      })),
      'the resource before the span': wrong(({ sessionId, resource }) => ({
        sessionId: (resource['session.id'] as string | undefined) ?? sessionId,
      })),
      'a subject in clear only': wrong(() => ({ dataSubjectId: null })),
      'no tokens for 0': wrong(({ inputTokens }) => ({ inputTokens: inputTokens || null })),
      'attributes lost': wrong(() => ({ attributes: {} })),
    }
    for (const [name, reader] of Object.entries(broken))
      assert.throws(() => fc.assert(same(reader)), Error, name)
  })
})
