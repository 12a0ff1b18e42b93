import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { noSpanRules, parentStepIdOf, stepIdOf } from '@countersign/core/internal'
import { exportOf, keyValues, one, span, spanId, taken, traceId } from './exports.ts'

const vectors = fileURLToPath(new URL('../../../../../../shared/vectors/otlp/', import.meta.url))
const hasVectors = existsSync(vectors)

describe('published exports', { skip: hasVectors ? false : 'no vectors' }, () => {
  const vector = (name: string) => readFileSync(`${vectors}${name}`)

  test('the example of opentelemetry-proto, its ids in upper case', () => {
    const { spans, rejected } = taken(vector('opentelemetry-proto-trace.json'))
    assert.deepEqual(rejected, {})
    const [only] = spans
    assert.equal(spans.length, 1)
    assert.equal(only?.traceId, '5b8efff798038103d269b633813fc60c')
    assert.equal(only?.spanId, 'eee19b7ec3c1b174')
    assert.equal(only?.parentSpanId, 'eee19b7ec3c1b173')
    assert.equal(only?.name, "I'm a server span")
    assert.equal(only?.startedAt, 1544712660000)
    assert.equal(only?.endedAt, 1544712661000)
    assert.deepEqual(only?.agent, { name: 'my.service', version: null })
    assert.deepEqual(only?.attributes, {
      'my.span.attr': 'some value',
      'otel.kind': 'server',
      'otel.scope.name': 'my.library',
      'otel.scope.version': '1.0.0',
      'otel.scope.attributes': { 'my.scope.attribute': 'some scope attribute' },
    })
    assert.equal(only?.sessionId, null)
    assert.equal(only?.type, 'other')
  })

  test('what the exporter for JavaScript sends', () => {
    const { spans, rejected } = taken(vector('otlp-js-0.205-real-export.json'))
    assert.deepEqual(rejected, {})
    const [chat, agent] = spans
    assert.equal(spans.length, 2)
    assert.equal(chat?.type, 'llm')
    assert.equal(chat?.model, 'gpt-4o')
    assert.equal(chat?.inputTokens, 12)
    assert.equal(chat?.outputTokens, null)
    assert.equal(chat?.sessionId, null)
    assert.equal(chat?.startedAt, 1795177744486)
    assert.equal(chat?.endedAt, 1795177744486)
    assert.deepEqual(chat?.attributes['otel.events'], [
      { name: 'x', time: '2026-11-20T12:29:04.486Z', attributes: { a: 1 } },
    ])
    assert.deepEqual(chat?.attributes['gen_ai.response.finish_reasons'], ['stop'])
    assert.equal(agent?.sessionId, 's-1')
    assert.equal(agent?.type, 'agent')
    assert.equal(agent?.parentSpanId, null)
    assert.deepEqual(agent?.agent, { name: 'support', version: null })
  })
})

describe('what a span names', () => {
  const order = (
    found: (attributes: object, resource: object) => unknown,
    keys: readonly string[],
    values: readonly unknown[] = keys.map((key) => `by ${key}`),
  ) => {
    for (const at of keys.keys()) {
      const pairs = keys.slice(at).map((key, index) => [key, values[at + index]] as const)
      // In whatever order they were set.
      assert.deepEqual(found(Object.fromEntries(pairs.toReversed()), {}), values[at], keys[at])
      // An empty value is none.
      assert.deepEqual(
        found({ [keys[at - 1] ?? 'x']: '', ...Object.fromEntries(pairs) }, {}),
        values[at],
      )
    }
  }

  test('its session: five keys in order, the resource last, else none', () => {
    const keys = [
      'session.id',
      'gen_ai.conversation.id',
      'traceloop.association.properties.session_id',
      'langfuse.session.id',
    ]
    order((attributes) => one(attributes, { 'session.id': 'resource' }).sessionId, keys)
    assert.equal(one({}, { 'session.id': 'resource' }).sessionId, 'resource')
    assert.equal(one({}, { 'gen_ai.conversation.id': 'resource' }).sessionId, null)
    const rules = { ...noSpanRules, sessionAttribute: 'mine' }
    assert.equal(one({ mine: 7, 'session.id': 'x' }, {}, rules).sessionId, '7')
    assert.equal(one({ 'session.id': 'x' }, { mine: 'y' }, rules).sessionId, 'y')
    assert.equal(one({ 'session.id': 'x' }, {}, rules).sessionId, 'x')
  })

  test('its subject, which no attribute repeats', () => {
    order(
      (attributes) => one(attributes).dataSubjectId,
      ['user.id', 'enduser.id', 'langfuse.user.id'],
    )
    const rules = { ...noSpanRules, subjectAttribute: 'customer' }
    const read = one({ customer: 'c-1', 'user.id': 'u-1', other: 'kept' }, {}, rules)
    assert.equal(read.dataSubjectId, 'c-1')
    assert.deepEqual(read.attributes, { other: 'kept' })
    const resource = one({}, { 'enduser.id': 'e', zone: 1 })
    assert.deepEqual([resource.dataSubjectId, resource.resource], ['e', { zone: 1 }])
  })

  test('its agent, with the version of the same convention', () => {
    const service = { 'service.name': 'shop', 'service.version': '2' }
    assert.deepEqual(one({ 'gen_ai.agent.name': 'helper' }, service).agent, {
      name: 'helper',
      version: null,
    })
    assert.deepEqual(one({ 'gen_ai.agent.name': 'helper', 'gen_ai.agent.version': 'v1' }).agent, {
      name: 'helper',
      version: 'v1',
    })
    assert.deepEqual(one({}, service).agent, { name: 'shop', version: '2' })
    assert.equal(one({}).agent, null)
  })

  test('its model, tokens and tool', () => {
    order(
      (attributes) => one(attributes).model,
      ['gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name', 'ai.model.id'],
    )
    order(
      (attributes) => one(attributes).inputTokens,
      ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'],
      [1, 2, 3],
    )
    order(
      (attributes) => one(attributes).outputTokens,
      [
        'gen_ai.usage.output_tokens',
        'gen_ai.usage.completion_tokens',
        'llm.token_count.completion',
      ],
      [1, 2, 3],
    )
    order((attributes) => one(attributes).toolName, ['gen_ai.tool.name', 'tool.name'])
    for (const wrong of [-1, 1.5, 'many', true])
      assert.equal(one({ 'gen_ai.usage.input_tokens': wrong }).inputTokens, null)
  })

  test('its type, by three conventions in turn', () => {
    const type = (attributes: object) => one(attributes).type
    const operations = {
      chat: 'llm',
      text_completion: 'llm',
      generate_content: 'llm',
      execute_tool: 'tool',
      invoke_agent: 'agent',
      create_agent: 'agent',
      invoke_workflow: 'agent',
      embeddings: 'retrieval',
      retrieval: 'retrieval',
      unknown: 'other',
    }
    for (const [name, expected] of Object.entries(operations))
      assert.equal(type({ 'gen_ai.operation.name': name }), expected)
    const kinds = {
      LLM: 'llm',
      TOOL: 'tool',
      AGENT: 'agent',
      RETRIEVER: 'retrieval',
      RERANKER: 'retrieval',
      EMBEDDING: 'retrieval',
      GUARDRAIL: 'guardrail',
    }
    for (const [kind, expected] of Object.entries(kinds))
      assert.equal(
        type({ 'openinference.span.kind': kind, 'gen_ai.operation.name': 'chat' }),
        expected,
      )
    assert.equal(
      type({ 'openinference.span.kind': 'CHAIN', 'gen_ai.operation.name': 'chat' }),
      'llm',
    )
    assert.equal(
      type({ 'countersign.step.type': 'human', 'openinference.span.kind': 'LLM' }),
      'human',
    )
    assert.equal(type({ 'countersign.step.type': 'robot' }), 'other')
    assert.equal(type({ 'countersign.checkpoint.id': 'c' }), 'human')
    assert.equal(type({ 'countersign.checkpoint.id': 'c', 'gen_ai.operation.name': 'chat' }), 'llm')
  })

  test('its input and output, which no attribute repeats', () => {
    const content = (attributes: object) => {
      const { input, output, attributes: others } = one(attributes)
      assert.deepEqual(others, {})
      return [input, output]
    }
    assert.deepEqual(content({ 'input.value': 'a', 'output.value': 'b' }), ['a', 'b'])
    assert.deepEqual(content({ 'traceloop.entity.input': '{}', 'traceloop.entity.output': '1' }), [
      '{}',
      '1',
    ])
    assert.deepEqual(
      content({ 'gen_ai.tool.call.arguments': { city: 'Rom' }, 'gen_ai.tool.call.result': [1] }),
      [{ city: 'Rom' }, [1]],
    )
    assert.deepEqual(
      content({
        'gen_ai.input.messages': ['hi'],
        'gen_ai.system_instructions': 'be kind',
        'gen_ai.output.messages': ['ho'],
      }),
      [{ system_instructions: 'be kind', messages: ['hi'] }, ['ho']],
    )
    const both = one({ 'gen_ai.input.messages': 'm', 'input.value': 'v' })
    assert.deepEqual([both.input, both.attributes], ['m', { 'input.value': 'v' }])
  })

  test('its categories, checkpoint, and what its own policy said', () => {
    assert.deepEqual(
      one({ 'countersign.data_categories': ' health, money,,health' }).dataCategories,
      ['health', 'money'],
    )
    assert.deepEqual(one({ 'countersign.data_categories': ['health', 'money'] }).dataCategories, [
      'health',
      'money',
    ])
    const waiting = one({
      'countersign.checkpoint.id': 'pay-1',
      'countersign.resume_token': 't'.repeat(4096),
    })
    assert.equal(waiting.checkpointId, 'pay-1')
    assert.equal(waiting.resumeToken?.length, 4096)
    assert.deepEqual(waiting.attributes, { 'countersign.checkpoint.id': 'pay-1' })
    const policy = (values: object) =>
      one(
        Object.fromEntries(
          Object.entries(values).map(([key, value]) => [`countersign.policy.${key}`, value]),
        ),
      ).policyResult
    assert.deepEqual(
      policy({
        rule_id: 'r',
        effect: 'require_review',
        reason_category: 'sensitive_data',
        review_tier: 'urgent',
      }),
      {
        ruleId: 'r',
        effect: 'require_review',
        reasonCategory: 'sensitive_data',
        reviewTier: 'urgent',
      },
    )
    assert.deepEqual(
      policy({ rule_id: 'r', effect: 'deny', reason_category: 'expired', review_tier: 'low' }),
      {
        ruleId: 'r',
        effect: 'deny',
        reasonCategory: null,
        reviewTier: null,
      },
    )
    assert.equal(policy({ rule_id: 'r', effect: 'maybe' }), null)
    assert.equal(policy({ effect: 'deny' }), null)
  })

  test('its scores, status and events', () => {
    const event = (attributes: object) => ({
      name: 'gen_ai.evaluation.result',
      timeUnixNano: '1795177744486138404',
      attributes: keyValues(attributes),
    })
    const { spans } = taken(
      exportOf([
        span({
          status: { code: 2, message: 'it broke' },
          events: [
            event({
              'gen_ai.evaluation.name': 'relevance',
              'gen_ai.evaluation.score.value': 0.5,
              'gen_ai.evaluation.score.label': 'fair',
            }),
            event({ 'gen_ai.evaluation.name': 'unmeasured' }),
          ],
        }),
      ]),
    )
    const [read] = spans
    assert.deepEqual(read?.scores, [{ name: 'relevance', value: 0.5, label: 'fair' }])
    assert.equal(read?.status, 'error')
    assert.equal(read?.attributes['otel.status_description'], 'it broke')
    assert.equal((read?.attributes['otel.events'] as readonly object[] | undefined)?.length, 2)
    for (const code of [0, 1, 3])
      assert.equal(taken(exportOf([span({ status: { code } })])).spans[0]?.status, 'ok')
  })

  test('its place: ids in either case, times rounded down, a root by an empty parent', () => {
    const upper = taken(
      exportOf([span({ traceId: traceId.toUpperCase(), parentSpanId: `00f0${'A'.repeat(12)}` })]),
    ).spans[0]
    assert.equal(upper?.traceId, traceId)
    assert.ok(upper)
    assert.equal(stepIdOf(upper), `${traceId}-${spanId}`)
    assert.equal(parentStepIdOf(upper), `${traceId}-00f0${'a'.repeat(12)}`)
    assert.equal(upper.startedAt, 1795177744486)
    assert.equal(upper.endedAt, 1795177744488)
    for (const parentSpanId of [undefined, null, '', '0000000000000000'])
      assert.equal(taken(exportOf([span({ parentSpanId })])).spans[0]?.parentSpanId, null)
  })

  test('drops what the ingest rules drop, before anything is read of it', () => {
    const rules = { ...noSpanRules, drops: (key: string) => key.startsWith('user.') }
    const read = one({ 'user.id': 'u', 'user.name': 'Ada', other: 1 }, {}, rules)
    assert.deepEqual([read.dataSubjectId, read.attributes], [null, { other: 1 }])
    assert.deepEqual(one({}, { 'user.name': 'Ada', zone: 1 }, rules).resource, { zone: 1 })
    const events = [{ name: 'e', attributes: keyValues({ 'user.name': 'Ada' }) }]
    assert.deepEqual(taken(exportOf([span({ events })]), rules).spans[0]?.attributes, {
      'otel.events': [{ name: 'e', time: null, attributes: {} }],
    })
  })
})

describe('numbers of an export', () => {
  const valueFrom = (json: string) =>
    taken(
      JSON.stringify(exportOf([span({ attributes: { a: 'X' } })])).replace(
        '{"stringValue":"X"}',
        json,
      ),
    ).spans[0]?.attributes.a

  test('64-bit integers come as numbers or texts, and none is rounded', () => {
    assert.equal(valueFrom('{"intValue":12}'), 12)
    assert.equal(valueFrom('{"intValue":"12"}'), 12)
    assert.equal(valueFrom('{"intValue":"-9007199254740991"}'), -9007199254740991)
    assert.equal(valueFrom('{"intValue":9007199254740993}'), '9007199254740993')
    assert.equal(valueFrom('{"intValue":"9007199254740993"}'), '9007199254740993')
  })

  test('doubles come as numbers, or as texts where JSON has no number', () => {
    assert.equal(valueFrom('{"doubleValue":0.1}'), 0.1)
    assert.equal(valueFrom('{"doubleValue":0.10000000000000001}'), 0.1)
    assert.equal(valueFrom('{"doubleValue":1e22}'), 1e22)
    assert.equal(valueFrom('{"doubleValue":"2.5"}'), 2.5)
    assert.equal(valueFrom('{"doubleValue":"NaN"}'), 'NaN')
    assert.equal(valueFrom('{"doubleValue":"-Infinity"}'), '-Infinity')
  })

  test('nanoseconds as numbers beyond 2^53 are read to the last digit', () => {
    const body = (start: string, end: string) =>
      JSON.stringify(exportOf([span({ startTimeUnixNano: 'A', endTimeUnixNano: 'B' })]))
        .replace('"A"', start)
        .replace('"B"', end)
    const [read] = taken(body('1795177744486999999', '1795177744487000000')).spans
    // As doubles both would be 1795177744487000000.
    assert.deepEqual([read?.startedAt, read?.endedAt], [1795177744486, 1795177744487])
    assert.deepEqual(taken(body('1795177744487000001', '1795177744487000000')).rejected, {
      bad_times: 1,
    })
  })

  test('other kinds of values', () => {
    assert.equal(valueFrom('{}'), null)
    assert.equal(valueFrom('{"stringValue":null,"boolValue":true}'), true)
    assert.equal(valueFrom('{"bytesValue":"AAEC"}'), 'AAEC')
    assert.deepEqual(valueFrom('{"arrayValue":{"values":[{"intValue":1},{},{"arrayValue":{}}]}}'), [
      1,
      null,
      [],
    ])
    assert.deepEqual(
      valueFrom('{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":false}}]}}'),
      { k: false },
    )
    assert.equal(valueFrom('{"newKind":1,"stringValue":"x"}'), 'x')
  })
})
