import { ApiError, type CaseAnswer } from '@countersign/client'
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../client/api.ts'
import { NotSent } from '../client/connection.ts'
import { loadScript, NotLoaded } from '../client/load.ts'
import { useWrite, type Writing } from '../client/use-write.ts'
import {
  type Act,
  decisions,
  isSameVersion,
  type LostWrite,
  outcomeOfLost,
  unreadBy,
} from './deciding.ts'
import type { WatchedCase } from './use-case.ts'

/** What is sent with an act. */
export interface ActInput {
  readonly digest: string | null
  readonly comment: string
  readonly question: string
  readonly response: unknown
  readonly colleague: string
}

interface Done {
  readonly act: Act
  readonly after: CaseAnswer
}

/** What is said of an act while the case is as it left it; null: it is another, or nothing was done. */
export function doneIn(done: Done | null, now: CaseAnswer): Act | null {
  return done && isSameVersion(done.after, now) ? done.act : null
}

/** The acts of a reviewer on a case, sent one at a time, and what became of the last. */
export interface Acts {
  readonly writing: Writing
  /** A write whose answer was lost; it is not known yet whether it was done. */
  readonly isUnknown: ReadonlySignal<boolean>
  /** What became of a write whose answer was lost. */
  readonly lost: ReadonlySignal<'done' | 'not_done' | 'overtaken' | null>
  /** The act that the service carried out last, and the case after it. */
  readonly done: ReadonlySignal<Done | null>
  /** Whether it was carried out, for sure. */
  send(act: Act, shown: CaseAnswer, input: ActInput): Promise<boolean>
  /** Reads again after a lost answer. */
  lookUp(): Promise<void>
}

/** `viewedMs`: for how long the case was in view. */
export function useActs(watched: WatchedCase, memberId: string, viewedMs: () => number): Acts {
  const writing = useWrite()
  const isUnknown = useSignal(false)
  const lost = useSignal<ReturnType<typeof outcomeOfLost> | null>(null)
  const done = useSignal<Done | null>(null)
  const pending = useSignal<LostWrite | null>(null)
  // Before it is needed; where it does not come, it is asked for again then.
  useEffect(() => void signing().catch(() => {}), [])

  async function lookUp(): Promise<void> {
    const sent = pending.peek()
    if (!sent) return
    const { act, before } = sent
    try {
      const after = await api.reviewCases.read({ reviewCaseId: before.reviewCaseId })
      lost.value = outcomeOfLost(sent, after)
      pending.value = null
      isUnknown.value = false
      if (lost.value === 'done') {
        watched.take(after)
        done.value = { act, after }
      } else watched.note(after)
    } catch {
      // It stays unknown; the page asks again, and the reader can.
    }
  }

  return {
    writing,
    isUnknown,
    lost,
    done,
    lookUp,
    send: async (act, shown, input) => {
      lost.value = null
      done.value = null
      const answer = await writing.run(async () => {
        let isSent = false
        try {
          const signature = await signatureFor(act, shown, input).catch(asUnsent)
          isSent = true
          return await call(act, shown, input, { signature, viewedMs: viewedMs() })
        } catch (error) {
          if (error instanceof ApiError && error.case) watched.note(error.case)
          const isRefused = error instanceof ApiError && error.unwritten
          if (isSent && !isRefused) {
            const { question, colleague } = input
            pending.value = { act, before: shown, memberId, question, colleague }
            isUnknown.value = true
          }
          throw error
        }
      })
      if (!answer) {
        await lookUp()
        return lost.peek() === 'done'
      }
      watched.take(answer)
      done.value = { act, after: answer }
      return true
    },
  }
}

const signing = () => loadScript(() => import('../authenticators/sign-decision.ts'))
type Signature = Awaited<ReturnType<Awaited<ReturnType<typeof signing>>['signDecision']>>

/** The member's own signature of an act that decides; null where it decides nothing, or they do not sign. */
async function signatureFor(
  act: Act,
  shown: CaseAnswer,
  input: ActInput,
): Promise<Signature | null> {
  if (act === 'claim' || act === 'hand_over' || act === 'ask') return null
  const { signDecision, signs } = await signing()
  return (await signs()) ? signDecision(shown, choiceOf(act, input)) : null
}

/** What signs did not come, or what is signed: then nothing was sent. */
function asUnsent(error: unknown): never {
  const isUnanswered = error instanceof ApiError && unreadBy(error) === 'offline'
  throw isUnanswered || error instanceof NotLoaded ? new NotSent() : error
}

function choiceOf(act: 'approve' | 'reject' | 'respond', input: ActInput) {
  return {
    // Without one nothing can be sent: `blockOf` says so before.
    presentationDigest: input.digest ?? '',
    decision: decisions[act],
    comment: input.comment.trim() === '' ? null : input.comment,
    ...(act === 'respond' && { response: input.response }),
  }
}

function call(
  act: Act,
  shown: CaseAnswer,
  input: ActInput,
  { signature, viewedMs }: { readonly signature: Signature | null; readonly viewedMs: number },
): Promise<CaseAnswer> {
  const { reviewCaseId, caseVersion } = shown
  const seen = { reviewCaseId, caseVersion }
  switch (act) {
    case 'claim':
      return api.reviewCases.claim(seen)
    case 'hand_over':
      return api.reviewCases.reassign({ ...seen, reviewerId: input.colleague })
    case 'ask':
      return api.reviewCases.requestFollowUp({ ...seen, question: input.question })
    default:
      return api.reviewCases.decide({
        ...seen,
        ...choiceOf(act, input),
        ...(signature && { signature }),
        viewedMs,
      })
  }
}
