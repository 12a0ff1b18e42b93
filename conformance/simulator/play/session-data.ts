import type { Submission, SubmittedSession } from '@countersign/core'
import type { SeededRandom } from '@countersign/core/testing'
import { canonicalText } from '../../canonical.ts'
import { leafOf, rootOf } from '../../merkle.ts'
import { epoch } from '../world.ts'
import { canary, type SentStep } from './stage.ts'

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const number = (key: string, value: number) => ({ key, value: { intValue: String(value) } })
const nanoseconds = (ms: number) => `${ms}000000`

/** Three people, and every fourth session of nobody. */
export function subjectOf(session: number): string | null {
  return session % 4 === 3 ? null : `person-${session % 3}`
}

/** What policies of the simulation look at. */
export const tools = ['look', 'pay', 'drop'] as const

/** An export of some spans of one session; `at` is ms of the run. */
export function exportOf(
  session: number,
  given: {
    readonly at: number
    readonly draw: number
    readonly named: boolean
    readonly root: boolean
  },
  random: SeededRandom,
): { readonly body: Uint8Array; readonly sent: readonly SentStep[] } {
  const traceId = hex(session + 1, 32)
  const rootId = hex(0xf000 + session, 16)
  const count = 1 + random.below(3)
  const subject = subjectOf(session)
  const ids = Array.from({ length: count }, (_, index) => hex(given.draw * 8 + index + 1, 16))
  const spans = [...ids, ...(given.root ? [rootId] : [])].map((spanId, index) => {
    const start = epoch + given.at + index
    const tool = tools[random.below(10)] ?? tools[0]
    return {
      traceId,
      spanId,
      ...(spanId === rootId ? {} : { parentSpanId: rootId }),
      name: 'step',
      startTimeUnixNano: nanoseconds(start),
      endTimeUnixNano: nanoseconds(start + random.below(50)),
      ...(random.chance(0.1) ? { status: { code: 2 } } : {}),
      attributes: [
        ...(given.named ? [text('session.id', `run-${session}`)] : []),
        ...(subject === null ? [] : [text('user.id', subject)]),
        text('gen_ai.tool.name', tool),
        text('input.value', `${canary} ${spanId}`),
        number('gen_ai.usage.input_tokens', random.below(100)),
      ],
    }
  })
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  return {
    body: new TextEncoder().encode(body),
    sent: spans.map(({ spanId }) => ({
      scope: '',
      stepId: `${traceId}-${spanId}`,
      input: `${canary} ${spanId}`,
    })),
  }
}

/** A batch of one or two whole sessions, fixed by its number; `name` is the one of the first. */
export function batchOf(
  batchId: string,
  given: { readonly session: number; readonly name: string; readonly other: boolean },
): { readonly submission: Submission; readonly sent: readonly SentStep[] } {
  const { session, name, other } = given
  const start = epoch - 3_600_000 + session
  const iso = (ms: number) => new Date(ms).toISOString()
  const sessions = [name, `${name}-b`]
    .slice(0, 1 + (session % 2))
    .map((sessionId): SubmittedSession => {
      const subject = subjectOf(session)
      const tool = tools[session % 3]
      return {
        sessionId,
        startedAt: iso(start),
        endedAt: iso(start + 2_000),
        status: 'completed',
        ...(subject === null ? {} : { dataSubjectId: subject }),
        steps: [
          {
            stepId: 's1',
            type: 'tool',
            name: other ? 'another' : 'step',
            startedAt: iso(start),
            endedAt: iso(start + 1_000),
            status: 'ok',
            ...(tool === undefined ? {} : { toolName: tool }),
            input: `${canary} ${sessionId}`,
          },
        ],
      }
    })
  const merkleRoot = rootOf(sessions.map((one) => leafOf(canonicalText(one))))
  return {
    submission: { batchId, merkleRoot, sessions },
    sent: sessions.map(({ sessionId }) => ({
      scope: sessionId,
      stepId: 's1',
      input: `${canary} ${sessionId}`,
    })),
  }
}
