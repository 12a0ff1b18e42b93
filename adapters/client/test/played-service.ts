import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { createClient } from '../index.ts'
import {
  ingestUrl,
  key,
  refusal,
  type Scripted,
  type Seen,
  type Swap,
  scripted,
} from './support.ts'

/** What the tests ask. */
export const asked = {
  sessionId: 's',
  checkpointId: 'c',
  reasonCategory: 'high_risk_action',
  presentation: { action: 'pay' },
} as const

/** The outcome callback of its case. */
export const calledBack = {
  decision: 'rejected',
  reviewCaseId: 'rc_c',
  caseVersion: 3,
  sessionId: 's',
  checkpointId: 'c',
  presentationDigest: null,
  response: { limit: 5 },
} as const

/** A service with cases, as far as waiting needs it; `fault` may answer in its place, before or after it acted. */
export function playedService(
  fault: (
    seen: Seen,
    nth: number,
  ) => { readonly answer: Scripted; readonly acts: boolean } | null = () => null,
  swap: Swap = () => ({}),
) {
  const cases = new Map<string, Record<string, unknown>>()
  const keys = new Map<string, string>()

  function act({ method, path, body, headers }: Seen): Scripted {
    if (method === 'POST' && path === '/v1/review-cases') {
      // Deadlines are those of the first opening.
      const { idempotencyKey, dueAt: _, expiresAt: __, ...rest } = body
      const told = JSON.stringify(rest)
      const before = keys.get(String(idempotencyKey))
      if (before !== undefined && before !== told) return refusal('idempotency_conflict', 409)
      keys.set(String(idempotencyKey), told)
      const id = `rc_${body.checkpointId}`
      if (!cases.has(id))
        cases.set(id, {
          ...rest,
          reviewCaseId: id,
          caseVersion: 1,
          eventSequence: 1,
          state: 'open',
          decision: null,
          checkpoint: { checkpointId: body.checkpointId },
          presentationDigest: null,
          response: null,
          followUps: [],
        })
      return { status: 200, body: cases.get(id) }
    }
    const [, , , id = '', command] = path.split('/')
    const found = cases.get(id)
    if (!found) return refusal('not_found', 404)
    const tag = `"${found.caseVersion}.${found.eventSequence}"`
    if (command && found.state === 'expired') return refusal('case_expired', 409)
    if (command === 'cancel' && found.state !== 'open') return refusal('invalid_transition', 409)
    if (command === 'cancel') change(id, { state: 'cancelled', decision: 'cancelled' })
    if (command === 'follow-up-response') {
      if (headers['if-match'] !== tag) return refusal('precondition_failed', 412, { case: found })
      const questions = found.followUps as readonly object[]
      if (found.decision !== 'follow_up_required') return refusal('invalid_transition', 409)
      const answered = { ...questions.at(-1), answer: body.answer }
      const followUps = [...questions.slice(0, -1), answered]
      const presentation = { ...(found.presentation as object), followUps }
      change(id, { followUps, presentation, decision: null })
    }
    if (method === 'GET' && headers['if-none-match'] === tag) return { status: 304 }
    return { status: 200, body: cases.get(id) }
  }

  function change(id: string, more: object): void {
    const was = cases.get(id) ?? {}
    const [version, sequence] = [Number(was.caseVersion) + 1, Number(was.eventSequence) + 1]
    cases.set(id, { ...was, ...more, caseVersion: version, eventSequence: sequence })
  }

  const world = scripted((seen, nth) => {
    const broken = fault(seen, nth)
    if (!broken) return act(seen)
    if (broken.acts) act(seen)
    return broken.answer
  })
  const surroundings = { ...world.surroundings, ...swap(world.surroundings) }
  const client = createClient({ ingestUrl, apiKey: key, surroundings })
  const decide = (id: string, decision: string, response: unknown = null) =>
    change(id, { state: 'decided', decision, response, presentationDigest: 'd'.repeat(64) })
  /** A reviewer's question, beside those before it. */
  const question = (id: string, text: string) =>
    change(id, {
      followUps: [
        ...((cases.get(id)?.followUps as readonly object[] | undefined) ?? []),
        { question: text, answer: null },
      ],
      decision: 'follow_up_required',
    })
  return { ...world, client, cases, change, decide, question }
}

/** The value of what is done; fails for an error. */
export function resultOf<T>(done: { value: T } | { error: unknown }): T {
  assert.ok('value' in done, inspect(done))
  return done.value
}
