import type { Json } from '../../content/span.ts'
import type { Attributes } from './any-value.ts'
import { listUnder } from './unflatten.ts'

// Where the conventions put what a step was given and what came of it. Of several places the first with a value counts:
// a tool's, then messages, then what a framework wrote of any function's arguments and result.

/** A content, and the attributes that it was made of. */
export interface Found {
  readonly value: Json
  readonly keys: readonly string[]
}

/** Looks for a content at one place. */
type Place = (attributes: Attributes) => Found | null

const systemInstructionsKey = 'gen_ai.system_instructions'
const inputMessagesKey = 'gen_ai.input.messages'

const inputPlaces: readonly Place[] = [
  at('gen_ai.tool.call.arguments'),
  at('ai.toolCall.args'),
  instructed,
  under('gen_ai.prompt'),
  at('gen_ai.prompt'),
  under('llm.input_messages'),
  under('llm.prompts'),
  at('ai.prompt.messages'),
  at('ai.prompt'),
  at('ai.value'),
  at('ai.values'),
  at('input.value'),
  at('traceloop.entity.input'),
]

const outputPlaces: readonly Place[] = [
  at('gen_ai.tool.call.result'),
  at('ai.toolCall.result'),
  at('gen_ai.output.messages'),
  under('gen_ai.completion'),
  at('gen_ai.completion'),
  under('llm.output_messages'),
  under('llm.completions'),
  under('llm.choices'),
  answered,
  at('output.value'),
  at('traceloop.entity.output'),
  under('retrieval.documents'),
  under('reranker.output_documents'),
]

/** What a step was given; null where its attributes have none. */
export function inputOf(attributes: Attributes): Found | null {
  return first(attributes, inputPlaces) ?? at(systemInstructionsKey, alone)(attributes)
}

/** What came of a step; null where its attributes have none. */
export function outputOf(attributes: Attributes): Found | null {
  return first(attributes, outputPlaces)
}

function first(attributes: Attributes, places: readonly Place[]): Found | null {
  for (const place of places) {
    const found = place(attributes)
    if (found !== null) return found
  }
  return null
}

/** One attribute, in the form that `shape` gives it. */
function at(key: string, shape: (value: Json) => Json = (value) => value): Place {
  return (attributes) => {
    const value = attributes[key] ?? null
    return isEmpty(value) ? null : { value: shape(value), keys: [key] }
  }
}

/** A list of attributes `<prefix>.<number>.…`. */
function under(prefix: string): Place {
  return (attributes) => listUnder(attributes, prefix)
}

/** The messages, together with the system's instructions. */
function instructed(attributes: Attributes): Found | null {
  const messages = attributes[inputMessagesKey] ?? null
  const instructions = attributes[systemInstructionsKey] ?? null
  if (isEmpty(messages)) return null
  if (isEmpty(instructions)) return { value: messages, keys: [inputMessagesKey] }
  return {
    value: { system_instructions: instructions, messages },
    keys: [inputMessagesKey, systemInstructionsKey],
  }
}

function alone(instructions: Json): Json {
  return { system_instructions: instructions, messages: null }
}

const answerKeys = [
  ['text', 'ai.response.text'],
  ['reasoning', 'ai.response.reasoning'],
  ['toolCalls', 'ai.response.toolCalls'],
  ['object', 'ai.response.object'],
  ['files', 'ai.response.files'],
] as const

/** An answer of a model as the AI SDK tells it: what it holds by name, or the only thing that it holds. */
function answered(attributes: Attributes): Found | null {
  const held = answerKeys.filter(([, key]) => !isEmpty(attributes[key] ?? null))
  const [only] = held
  if (!only) return null
  const keys = held.map(([, key]) => key)
  const isPlain = held.length === 1 && (only[0] === 'text' || only[0] === 'object')
  if (isPlain) return { value: attributes[only[1]] ?? null, keys }
  return {
    value: Object.fromEntries(held.map(([name, key]) => [name, attributes[key] ?? null])),
    keys,
  }
}

function isEmpty(value: Json): boolean {
  return value === null || value === ''
}
