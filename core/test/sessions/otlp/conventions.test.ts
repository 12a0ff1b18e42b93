import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { listUnder } from '../../../sessions/otlp/unflatten.ts'
import { exportOf, keyValues, one, span, taken } from './exports.ts'

/** Input, output and what is left among the attributes. */
const contents = (attributes: object) => {
  const { input, output, attributes: left } = one(attributes)
  return { input, output, left }
}

describe('messages in flattened attributes', () => {
  test('OpenLLMetry and earlier GenAI: prompts and completions by number', () => {
    assert.deepEqual(
      contents({
        'llm.request.type': 'chat',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'pay',
        'gen_ai.prompt.1.role': 'assistant',
        'gen_ai.prompt.1.tool_calls.0.name': 'pay',
        'gen_ai.prompt.1.tool_calls.0.arguments': '{}',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'paid',
        'gen_ai.completion.0.finish_reason': 'stop',
      }),
      {
        input: [
          { role: 'user', content: 'pay' },
          { role: 'assistant', tool_calls: [{ name: 'pay', arguments: '{}' }] },
        ],
        output: [{ role: 'assistant', content: 'paid', finish_reason: 'stop' }],
        left: { 'llm.request.type': 'chat' },
      },
    )
    assert.deepEqual(contents({ 'gen_ai.prompt': 'p', 'gen_ai.completion': 'c' }), {
      ...{ input: 'p', output: 'c', left: {} },
    })
  })

  test('OpenInference: without the names that wrap each item', () => {
    assert.deepEqual(
      contents({
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.type': 'text',
        'llm.input_messages.0.message.contents.0.message_content.text': 'pay',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'pay',
      }),
      {
        input: [{ role: 'user', contents: [{ type: 'text', text: 'pay' }] }],
        output: [{ tool_calls: [{ function: { name: 'pay' } }] }],
        left: { 'openinference.span.kind': 'LLM' },
      },
    )
    assert.deepEqual(
      contents({
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'orders',
        'retrieval.documents.0.document.content': 'o-77',
        'retrieval.documents.0.document.score': 0.5,
      }),
      {
        input: 'orders',
        output: [{ content: 'o-77', score: 0.5 }],
        left: { 'openinference.span.kind': 'RETRIEVER' },
      },
    )
    assert.deepEqual(
      contents({ 'llm.prompts.0.prompt.text': 'p', 'llm.choices.0.completion.text': 'c' }),
      { input: [{ text: 'p' }], output: [{ text: 'c' }], left: {} },
    )
  })

  test('come before what a framework wrote of the call, which stays an attribute', () => {
    const read = contents({
      'input.value': '{"messages":[…]}',
      'llm.input_messages.0.message.content': 'pay',
    })
    assert.deepEqual(read.input, [{ content: 'pay' }])
    assert.deepEqual(read.left, { 'input.value': '{"messages":[…]}' })
  })

  test('numbers may have gaps and come in any order', () => {
    const pairs = [11, 2, 900_000].map((at) => [`gen_ai.prompt.${at}.content`, `c${at}`])
    assert.deepEqual(contents(Object.fromEntries(pairs)).input, [
      { content: 'c2' },
      { content: 'c11' },
      { content: 'c900000' },
    ])
  })

  test('keys that contradict each other, or would be no data, stay attributes', () => {
    const cases = [
      { 'gen_ai.prompt.0': 'whole', 'gen_ai.prompt.0.role': 'user' },
      { 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0': 'whole' },
      { 'gen_ai.prompt.0.__proto__.polluted': 'yes' },
      { 'gen_ai.prompt.0.constructor': 'yes' },
      { 'gen_ai.prompt.0..role': 'user' },
      { [`gen_ai.prompt.0${'.a'.repeat(90)}`]: 'deep' },
      { 'gen_ai.prompt.name': 'greeting', 'gen_ai.prompt.12345678.role': 'user' },
    ]
    for (const attributes of cases)
      assert.deepEqual(contents(attributes), { input: null, output: null, left: attributes })
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
  })

  test('lose no value, whatever the keys', () => {
    const name = fc.constantFrom('0', '1', '7', 'role', 'message', 'content', '__proto__', '')
    const keys = fc.array(
      fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `p.${names.join('.')}`),
      { maxLength: 8 },
    )
    const leaves = (value: unknown): readonly unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
    fc.assert(
      fc.property(keys, (given) => {
        const attributes = Object.fromEntries([...new Set(given)].map((key, at) => [key, at]))
        const found = listUnder(attributes, 'p')
        if (found === null) return
        const taken = found.keys.map((key) => attributes[key])
        assert.deepEqual(new Set(leaves(found.value)), new Set(taken))
        assert.equal(leaves(found.value).length, taken.length)
      }),
    )
  })
})

describe('messages in events of a span', () => {
  const withEvents = (attributes: object, ...events: readonly (readonly [string, object])[]) => {
    const { spans } = taken(
      exportOf([
        span({
          attributes,
          events: events.map(([name, given]) => ({ name, attributes: keyValues(given) })),
        }),
      ]),
    )
    const [{ input, output, attributes: left } = assert.fail('it was rejected')] = spans
    return { input, output, events: left['otel.events'] }
  }
  const told = (name: string, attributes: object = {}) => ({ name, time: null, attributes })

  test('one a message', () => {
    const read = withEvents(
      {},
      ['gen_ai.system.message', { content: 'be kind', 'gen_ai.system': 'openai' }],
      ['gen_ai.user.message', { 'gen_ai.event.content': '{"content":"pay"}' }],
      ['retried', { times: 1 }],
      ['gen_ai.choice', { index: 0, message: '{"content":"paid"}', finish_reason: 'stop' }],
    )
    assert.deepEqual(read, {
      input: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: '{"content":"pay"}' },
      ],
      output: [
        { role: 'assistant', index: 0, message: '{"content":"paid"}', finish_reason: 'stop' },
      ],
      events: [
        told('gen_ai.system.message', { 'gen_ai.system': 'openai' }),
        told('gen_ai.user.message'),
        told('retried', { times: 1 }),
        told('gen_ai.choice'),
      ],
    })
  })

  test('one for all', () => {
    assert.deepEqual(
      withEvents(
        {},
        ['gen_ai.content.prompt', { 'gen_ai.prompt': 'p', more: 1 }],
        ['gen_ai.content.completion', { 'gen_ai.completion': 'c' }],
      ),
      {
        input: 'p',
        output: 'c',
        events: [told('gen_ai.content.prompt', { more: 1 }), told('gen_ai.content.completion')],
      },
    )
    assert.deepEqual(
      withEvents({}, [
        'gen_ai.client.inference.operation.details',
        {
          'gen_ai.input.messages': 'm',
          'gen_ai.system_instructions': 's',
          'gen_ai.output.messages': 'o',
        },
      ]),
      {
        input: { system_instructions: 's', messages: 'm' },
        output: 'o',
        events: [told('gen_ai.client.inference.operation.details')],
      },
    )
  })

  test('count only where the attributes have none', () => {
    assert.deepEqual(
      withEvents(
        { 'gen_ai.input.messages': 'm' },
        ['gen_ai.user.message', { content: 'pay' }],
        ['gen_ai.choice', { message: 'paid' }],
      ),
      {
        input: 'm',
        output: [{ role: 'assistant', message: 'paid' }],
        events: [told('gen_ai.user.message', { content: 'pay' }), told('gen_ai.choice')],
      },
    )
  })
})

describe('types and names by more conventions', () => {
  const seen = (attributes: object, resource: object = {}) => {
    const { type, toolName, agent } = one(attributes, resource)
    return [type, toolName, agent?.name ?? null]
  }

  test('OpenLLMetry’s entities', () => {
    const entity = (kind: string) =>
      seen(
        { 'traceloop.span.kind': kind, 'traceloop.entity.name': 'pay' },
        { 'service.name': 'shop' },
      )
    assert.deepEqual(entity('tool'), ['tool', 'pay', 'shop'])
    assert.deepEqual(entity('agent'), ['agent', null, 'pay'])
    assert.deepEqual(entity('workflow'), ['agent', null, 'shop'])
    assert.deepEqual(entity('task'), ['other', null, 'shop'])
    const types = { chat: 'llm', completion: 'llm', embedding: 'retrieval', rerank: 'retrieval' }
    for (const [request, type] of Object.entries(types))
      assert.equal(one({ 'llm.request.type': request }).type, type)
  })

  test('OpenInference’s agent and the AI SDK’s operations', () => {
    assert.deepEqual(one({ 'agent.name': 'teller' }, { 'service.name': 'shop' }).agent, {
      name: 'teller',
      version: null,
    })
    const types = {
      'ai.generateText': 'agent',
      'ai.generateText.doGenerate': 'llm',
      'ai.streamObject.doStream': 'llm',
      'ai.toolCall': 'tool',
      'ai.embedMany.doEmbed': 'retrieval',
      'ai.rerank': 'retrieval',
      'ai.unknown': 'other',
    }
    for (const [operation, type] of Object.entries(types))
      assert.equal(one({ 'ai.operationId': operation }).type, type)
    assert.equal(one({ 'ai.operationId': 'ai.embed', 'ai.usage.tokens': 4 }).inputTokens, null)
  })

  test('several things of one answer are told by name', () => {
    assert.deepEqual(
      one({ 'ai.response.text': 'Paying.', 'ai.response.toolCalls': '[{}]' }).output,
      { text: 'Paying.', toolCalls: '[{}]' },
    )
    assert.deepEqual(one({ 'ai.response.text': '', 'ai.response.toolCalls': '[{}]' }).output, {
      toolCalls: '[{}]',
    })
  })
})
