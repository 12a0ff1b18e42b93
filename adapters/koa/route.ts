import { answerCall } from './answer-call.ts'
import { taggedAnswer } from './answer-tag.ts'
import type { Actors } from './authenticate.ts'
import type { Reply } from './media.ts'
import type { Operation, Route } from './operation.ts'
import type { HostResult } from './refusal.ts'

/** Makes a row of the route table; the handler's types follow from the operation's other members. */
export function route<Auth extends keyof Actors, Path extends string, Query, Body, Answer>(
  operation: Operation<Auth, Path, Query, Body, Answer>,
): Route {
  const { handle: _, ...declared } = operation
  const answer = taggedAnswer(operation)
  return { ...declared, answer, serve: (options, ctx) => answerCall(operation, options, ctx) }
}

/** A use case's answer as it is. */
export function reply<T>(result: HostResult<T>): HostResult<Reply<T>> {
  return result.ok ? { ok: true, value: { body: result.value } } : result
}

/** A use case's answer in the form that `shape` gives it. */
export function replyAs<T, U>(result: HostResult<T>, shape: (value: T) => U): HostResult<Reply<U>> {
  return result.ok ? { ok: true, value: { body: shape(result.value) } } : result
}
