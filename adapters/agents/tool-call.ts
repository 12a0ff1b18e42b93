import { canonicalize, digestOf } from '@countersign/core/canonical'

/** A tool call that may need a person. */
export interface ToolCall {
  /** Conversation, thread or run: the case's session, and `session.id` of the spans. */
  readonly sessionId: string
  /** The framework's id of the call, the same after a restart. */
  readonly callId: string
  readonly name: string
  /** Plain JSON, or the call is refused; exactly what would run. */
  readonly input: unknown
}

/** A call as a reviewer changed it. */
export interface EditedCall extends ToolCall {
  readonly edit: Edit
}

/** What a changed call shows beside its action. */
export interface Edit {
  /** Of the calls that took each other's place, which this is; the model's is the first. */
  readonly nth: number
  /** The arguments before. */
  readonly before: unknown
  readonly supersedes: {
    readonly reviewCaseId: string
    readonly presentationDigest: string | null
  }
}

/** A call as the model made it, or as a reviewer changed it. */
export type AnyCall = ToolCall & { readonly edit?: Edit }

/** What tells one call from others, and ends the wait for its review. */
export interface CallIds extends Pick<ToolCall, 'sessionId' | 'callId'> {
  /** Ends the wait; the case stays open, and the same call finds it again. */
  readonly signal?: AbortSignal | undefined
}

const longestId = 200
/** Nesting of arguments, as the canonical form takes it. */
const mostLevels = 64
const idForm = /^[ -~]+$/

/**
 * The checkpoint of a call that has an id of its own: never of its arguments alone, or a second call would be the
 * first. Calls of another namespace have others.
 */
export function checkpointOf(
  {
    name,
    callId,
    edit,
  }: Pick<ToolCall, 'name' | 'callId'> & { readonly edit?: { readonly nth: number } },
  namespace?: string,
): string {
  return idOf(name, callId, ...(edit ? [`edit-${edit.nth}`] : []), ...partOf(namespace))
}

/** The nth checkpoint of calls that have no ids of their own, and show the same. */
export function contentCheckpoint(
  { name }: Pick<ToolCall, 'name'>,
  presentation: unknown,
  nth: number,
  namespace?: string,
): string {
  return idOf(name, digestOf(presentation), String(nth), ...partOf(namespace))
}

/** Repeats of a content that are looked for where a checkpoint does not say which of them it is. */
const mostUntold = 1_000

/** Which of the calls that show the same a checkpoint is of; null where it is of none, or of another namespace. */
export function repeatAt(
  { name }: Pick<ToolCall, 'name'>,
  {
    checkpointId,
    presentation,
    namespace,
  }: {
    readonly checkpointId: string
    readonly presentation: unknown
    readonly namespace: string | undefined
  },
): number | null {
  const digest = digestOf(presentation)
  const isAt = (nth: number) =>
    idOf(name, digest, String(nth), ...partOf(namespace)) === checkpointId
  const told = Number(checkpointId.split(':')[2])
  if (Number.isSafeInteger(told) && isAt(told)) return told
  for (let nth = 1; nth <= mostUntold; nth++) if (isAt(nth)) return nth
  return null
}

const partOf = (namespace: string | undefined) =>
  namespace === undefined ? [] : [`in-${namespace}`]

/**
 * Parts as an id, of which each list has its own; a digest stands for what is too long, or no plain text. No plain id
 * is that of a digest, whatever its parts are: in them `%` stands before `25` or `3A` alone.
 */
function idOf(name: string, ...rest: readonly string[]): string {
  // Escaped, no part has a colon: no call's id is that of another's change.
  const parts = [name, ...rest].map((part) => part.replaceAll('%', '%25').replaceAll(':', '%3A'))
  const id = parts.join(':')
  if (id.length <= longestId && idForm.test(id)) return id
  return `${name.replaceAll(/[^ -~]/g, '?').slice(0, 100)}:%sha256-${digestOf([name, ...rest])}`
}

/**
 * A copy of plain JSON: a change of the value leaves it as it is. Members without a value are none. Throws for what is
 * no JSON by itself, such as a Map, a Date, or an object that says what it is by `toJSON`: what is shown of those is
 * not what runs.
 */
export function jsonOf(value: unknown): unknown {
  const copy = copyOf(value)
  // Throws for what is left: functions, big integers, NaN, half surrogate pairs.
  canonicalize(copy)
  return copy
}

/** As `jsonOf`, where what is left that is no JSON is found later. */
export function copyOf(value: unknown): unknown {
  return copyWithin(mostLevels, value ?? null)
}

function copyWithin(levels: number, value: unknown): unknown {
  // What is shown of -0 is 0.
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value
  if (levels === 0) throw new TypeError('expected JSON of fewer levels')
  if (Array.isArray(value)) return Array.from(value, (item) => copyWithin(levels - 1, item))
  const prototype: unknown = Object.getPrototypeOf(value)
  // Plain objects of another realm are plain.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new TypeError('expected a plain object')
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, copyWithin(levels - 1, member)]))
}

/** The members of a call, each read once: a spread leaves out what a class has by getters. */
export function membersOf({ sessionId, callId, name, input, edit }: AnyCall): AnyCall {
  return { sessionId, callId, name, input, ...(edit && { edit }) }
}

/** The call with a copy of its input. Throws for what is no JSON. */
export function copyOfCall(call: AnyCall): AnyCall {
  const { input, ...rest } = membersOf(call)
  return { ...rest, input: jsonOf(input) }
}

/**
 * The function that acts. Throws for a generator function: called, it does nothing, and an approval would be spent for
 * that.
 */
export function actionFunction<F>(act: F): F {
  if (/Generator/.test(Object.prototype.toString.call(act)))
    throw new TypeError('expected a function that acts when it is called, got a generator function')
  return act
}

/**
 * What an action came to. Throws for a generator, which does nothing until somebody takes what it yields, and no
 * framework takes it of a promise.
 */
export function resultOf<O>(done: O): O {
  if (/Generator\]$/.test(Object.prototype.toString.call(done)))
    throw new TypeError('expected the result of an action, got a generator: take what it yields')
  return done
}

/** Whether the input of a call is still that of which a copy was kept. */
export function isSameCall(
  kept: Pick<ToolCall, 'input'>,
  { input }: Pick<ToolCall, 'input'>,
): boolean {
  try {
    return isSameJson(kept.input, jsonOf(input))
  } catch {
    return false
  }
}

/** Whether two values are the same JSON, in whatever order their members are. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return canonicalize(one) === canonicalize(other)
}
