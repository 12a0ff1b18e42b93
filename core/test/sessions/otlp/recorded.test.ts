import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { noSpanRules, readExport } from '@countersign/core/internal'
import { atOnce } from '../../../base/json/in-slices.ts'
import type { NormalSpan } from '../../../content/span.ts'
import { taken } from './exports.ts'

// `recorded/README.md` says what ran. Both files of a recording are of the same spans, each as its exporter wrote it.
const recorded = (name: string) =>
  readFileSync(new URL(`../../../../test/sessions/otlp/recorded/${name}`, import.meta.url))

const inJson = (name: string) => taken(recorded(`${name}.json`))
const inProtobuf = (name: string) => {
  const read = atOnce(readExport(recorded(`${name}.pb`), noSpanRules, 'protobuf'))
  assert.ok(read.ok, JSON.stringify(read))
  return read.value
}

/** What a person looks for in a step. */
const seen = ({ name, type, model, toolName, inputTokens, outputTokens }: NormalSpan) => [
  ...[type, name, model, toolName, inputTokens, outputTokens],
]
const question = 'Is order o-77 paid? 😀'
const call = '{"order":"o-77"}'

/** Each recording's steps, then the input and output of its first step. */
const expected: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'openinference-openai': [
    ['llm', 'OpenAI Chat Completions', 'gpt-4o-2024-08-06', null, 31, 9],
    ['llm', 'OpenAI Chat Completions', 'gpt-4o-2024-08-06', null, 31, 9],
    ['retrieval', 'OpenAI Embeddings', 'text-embedding-3-small', null, null, null],
  ],
  'openinference-langchain': [
    ['other', 'ChatPromptTemplate', null, null, null, null],
    ['llm', 'FakeListChatModel', null, null, null, null],
    ['tool', 'orders.find', null, 'orders.find', null, null],
    ['other', 'RunnableLambda', null, null, null, null],
    ['other', 'RunnableSequence', null, null, null, null],
  ],
  'traceloop-openai': [
    ['llm', 'chat gpt-4o', 'gpt-4o-2024-08-06', null, 31, 9],
    ['llm', 'chat gpt-4o', 'gpt-4o-2024-08-06', null, 31, 9],
  ],
  'traceloop-langchain': [
    ['agent', 'workflow prompt', null, null, null, null],
    ['llm', 'chat FakeListChatModel', null, null, null, null],
    ['tool', 'execute_tool DynamicStructuredTool', null, 'DynamicStructuredTool', null, null],
    ['agent', 'workflow RunnableLambda', null, null, null, null],
    ['agent', 'workflow RunnableSequence', null, null, null, null],
  ],
  'otel-openai': [
    ['llm', 'chat gpt-4o', 'gpt-4o-2024-08-06', null, 31, 9],
    ['llm', 'chat gpt-4o', 'gpt-4o-2024-08-06', null, 31, 9],
    ['retrieval', 'embeddings text-embedding-3-small', 'text-embedding-3-small', null, null, null],
  ],
  'ai-sdk': [
    ['llm', 'ai.generateText.doGenerate', 'gpt-4o-2024-08-06', null, 31, 9],
    ['tool', 'ai.toolCall', null, 'orders.find', null, null],
    ['llm', 'ai.generateText.doGenerate', 'gpt-4o-2024-08-06', null, 31, 9],
    ['agent', 'ai.generateText', 'gpt-4o', null, null, null],
    ['llm', 'ai.generateObject.doGenerate', 'gpt-4o', null, 31, 9],
    ['agent', 'ai.generateObject', 'gpt-4o', null, null, null],
    ['llm', 'ai.streamText.doStream', 'gpt-4o', null, 31, 9],
    ['agent', 'ai.streamText', 'gpt-4o', null, null, null],
    ['retrieval', 'ai.embed.doEmbed', 'text-embedding-3-small', null, 4, null],
    ['retrieval', 'ai.embed', 'text-embedding-3-small', null, null, null],
  ],
}

describe('what instrumentations of today send', () => {
  for (const [name, steps] of Object.entries(expected)) {
    test(`${name}: steps by type, name, model, tool and tokens`, () => {
      const { spans, rejected } = inJson(name)
      assert.deepEqual(rejected, {})
      assert.deepEqual(spans.map(seen), steps)
    })

    test(`${name}: the same in protobuf`, () => {
      assert.deepEqual(inProtobuf(name), inJson(name))
    })
  }

  const contents = (name: string, at: number) => {
    const span = inJson(name).spans[at]
    return [span?.input, span?.output]
  }

  test('OpenInference: messages, with the model’s calls of tools', () => {
    assert.deepEqual(contents('openinference-openai', 0), [
      [
        { role: 'system', content: 'You help customers.' },
        { role: 'user', content: question },
      ],
      [
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', function: { name: 'orders.find', arguments: call } }],
        },
      ],
    ])
    assert.deepEqual(contents('openinference-openai', 2)[0], 'order o-77')
    assert.deepEqual(contents('openinference-langchain', 1), [
      [
        { role: 'system', content: 'You help customers.' },
        { role: 'user', content: 'Is order o-77 paid?' },
      ],
      [{ role: 'assistant', content: 'The order is paid.' }],
    ])
    assert.deepEqual(contents('openinference-langchain', 2), [
      'o-77',
      '{"order":"o-77","paid":true}',
    ])
  })

  test('OpenLLMetry: messages as texts of JSON, and a function’s arguments and result', () => {
    const [input, output] = contents('traceloop-openai', 1)
    assert.deepEqual(JSON.parse(String(input))[1], {
      role: 'user',
      parts: [{ type: 'text', content: question }],
    })
    assert.deepEqual(JSON.parse(String(output))[0].parts, [
      { type: 'text', content: 'The order is paid.' },
    ])
    const [args, result] = contents('traceloop-langchain', 2)
    assert.match(String(args), /o-77/)
    assert.match(String(result), /paid/)
  })

  test('the AI SDK: prompts, texts, calls of tools, objects, embedded values', () => {
    const [asked, calls] = contents('ai-sdk', 0)
    assert.match(String(asked), /You help customers\./)
    assert.deepEqual(
      JSON.parse(String((calls as { readonly toolCalls: string }).toolCalls))[0].toolName,
      'orders.find',
    )
    assert.deepEqual(contents('ai-sdk', 1), [call, '{"paid":true}'])
    assert.equal(contents('ai-sdk', 2)[1], 'The order is paid.')
    assert.deepEqual(contents('ai-sdk', 3), [
      JSON.stringify({ system: 'You help customers.', prompt: question }),
      'The order is paid.',
    ])
    assert.equal(contents('ai-sdk', 4)[1], '{"paid":true}')
    assert.equal(contents('ai-sdk', 7)[1], 'It is paid.')
    assert.deepEqual(contents('ai-sdk', 8)[0], ['"order o-77"'])
    assert.equal(contents('ai-sdk', 9)[0], '"order o-77"')
  })
})
