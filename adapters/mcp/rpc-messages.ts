import type { ToolCall } from '@countersign/agents'
import { capabilitiesKey, refusalOf } from './case-answers.ts'
import { isTooDeep, tooDeepText } from './json-levels.ts'

/** A message of JSON-RPC, as far as a gateway looks at it. */
export interface RpcMessage {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly [member: string]: unknown
}

/** Whether this is an object of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether this is a request or a notification, rather than an answer. */
export const isRequest = (message: unknown) => isObject(message) && message.method !== undefined

const members = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']

/**
 * A message with the members that JSON-RPC has: some servers would read `Method` as the method. Null for other JSON,
 * and where the method is no text, which a server might read as one.
 */
export function messageOf(value: unknown): RpcMessage | null {
  if (!isObject(value)) return null
  const known = Object.entries(value).filter(([name]) => members.includes(name))
  const message: RpcMessage = Object.fromEntries(known)
  const { method } = message
  if (method !== undefined) return typeof method === 'string' ? message : null
  return Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error') ? message : null
}

/** Parameters that some servers would read as the name or the arguments of a call, and others would not. */
export function misspeltIn({ params }: RpcMessage): readonly string[] {
  return Object.keys(isObject(params) ? params : {}).filter((each) =>
    ['name', 'arguments'].some((name) => each !== name && isSpelt(each, name)),
  )
}

/** Whether a server might read this name as the other, by its case or the space around it. */
export function isSpelt(name: string, other: string): boolean {
  // Upper case first: that of the long s is S, for which some take it.
  return name.trim().toUpperCase().toLowerCase() === other
}

/** What is sent of a call that was approved: the tool and the arguments that were shown. */
export function callOf({ id, params }: RpcMessage, { name, input }: ToolCall): RpcMessage {
  const given = isObject(params) ? params : {}
  const passed = unshown.filter((each) => Object.hasOwn(given, each))
  const rest = Object.fromEntries(passed.map((each) => [each, given[each]]))
  const shown = { name, arguments: input, ...rest }
  return { jsonrpc: '2.0', id, method: 'tools/call', params: shown }
}

/**
 * Parameters of a call that change nothing of what its tool does; `task` of 2025-11-25 says how long its result is
 * kept.
 */
const unshown = ['_meta', 'task']

/**
 * Parameters that a case does not show and a tool may act on, such as answers to what it asked before
 * (`inputResponses`, `requestState`).
 */
export function unseenIn({ params }: RpcMessage): readonly string[] {
  const known = ['name', 'arguments', ...unshown]
  return Object.keys(isObject(params) ? params : {}).filter((each) => !known.includes(each))
}

/** Ids of cases' tasks; the server may have tasks of its own. */
const taskForm = /^rc_[0-9a-z]{26}\./

/** Whether a message names a task in the form of cases' ids. */
export function isOfTask({ params }: RpcMessage): boolean {
  const { taskId } = isObject(params) ? params : {}
  return typeof taskId === 'string' && taskForm.test(taskId)
}

/** What a request of 2026-07-28 says of its client. */
export function metaOf({ params }: RpcMessage): Readonly<Record<string, unknown>> {
  const { _meta: meta } = isObject(params) ? params : {}
  return isObject(meta) ? meta : {}
}

/** The same client, to whom a result is owed now: no task, and no progress. */
export function withoutTasks(meta: Readonly<Record<string, unknown>>) {
  const { progressToken: _, [capabilitiesKey]: declared, ...rest } = meta
  if (!isObject(declared)) return Object.keys(rest).length > 0 ? { _meta: rest } : {}
  const { extensions: __, ...others } = declared
  return { _meta: { ...rest, [capabilitiesKey]: others } }
}

/** An answer with a result. */
export const resultOf = (id: unknown, result: object): RpcMessage => ({
  jsonrpc: '2.0',
  id,
  result,
})

/** The answer of a tool that was not called. */
export const textOf = (id: unknown, text: string): RpcMessage => resultOf(id, refusalOf(text))

/** An answer to a request that is no good. */
export const errorOf = (id: unknown, message: string): RpcMessage => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code: -32_602, message },
})

/** A copy of a message as it is written. Throws for one of too many levels, and for what is no JSON. */
export function writtenCopy(message: unknown): unknown {
  if (isTooDeep(message)) throw new RangeError(tooDeepText)
  return JSON.parse(JSON.stringify(message))
}

/** What goes in the place of a message that is not handed on: an error with its id; null where nobody waits for one. */
export function errorInPlaceOf(message: unknown, text: string): RpcMessage | null {
  const { id, method } = isObject(message) ? message : {}
  const isPlain = typeof id === 'string' || typeof id === 'number'
  if (id === undefined || (method === undefined && !isPlain)) return null
  return errorOf(isPlain ? id : null, text)
}
