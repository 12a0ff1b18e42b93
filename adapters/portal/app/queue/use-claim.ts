import { ApiError, type QueuedCaseAnswer } from '@countersign/client'
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { sentences } from '../errors.ts'
import { noteRefusal, session } from '../session.ts'
import type { QueueFilter } from './filters.ts'
import type { DrawnRow } from './news.ts'
import { readQueue } from './read-queue.ts'
import { focusedRow } from './row-keys.ts'

/** Claims from the queue, one at a time, and what is to be said of the last. */
export interface Claims {
  readonly running: ReadonlySignal<boolean>
  readonly said: ReadonlySignal<string>
  /** Claims the case of the row that has the focus. */
  focused(rows: readonly DrawnRow[]): Promise<void>
  /** Claims the first case that is due and that nobody has, trying on where somebody else was first. */
  next(): Promise<string | null>
}

/** Refusals after which another case can be tried. */
const triesOn: readonly string[] = [
  'already_assigned',
  'requester_cannot_review',
  'version_conflict',
  'case_expired',
  'invalid_transition',
  'not_found',
  'application_gone',
]

export function useClaim(filter: QueueFilter, onClaimed: (row: QueuedCaseAnswer) => void): Claims {
  const running = useSignal(false)
  const said = useSignal('')

  async function once<T>(run: () => Promise<T>): Promise<T | null> {
    if (running.peek()) return null
    running.value = true
    said.value = ''
    try {
      return await run()
    } catch (error) {
      noteRefusal(error)
      said.value = error instanceof ApiError ? sentences[error.code] : String(error)
      return null
    } finally {
      running.value = false
    }
  }

  async function claim(row: QueuedCaseAnswer): Promise<void> {
    const { reviewCaseId, caseVersion } = row
    const answer = await api.reviewCases.claim({ reviewCaseId, caseVersion })
    const member = session.value?.member
    onClaimed({
      ...row,
      caseVersion: answer.caseVersion,
      eventSequence: answer.eventSequence,
      assignee: member ? { memberId: member.memberId, name: member.name } : null,
    })
  }

  return {
    running,
    said,
    focused: async (rows) => {
      const id = focusedRow()
      const found = rows.find(({ row }) => row.reviewCaseId === id)?.row
      if (!found) said.value = 'Go to a row first: J and K.'
      else if (found.assignee !== null)
        said.value =
          found.assignee.memberId === session.value?.member.memberId
            ? 'You have this case already. Enter opens it.'
            : 'Somebody else has this case.'
      else if ((await once(() => claim(found).then(() => true))) === true)
        said.value = 'You have the case now. Enter opens it.'
    },
    next: () =>
      once(async () => {
        const { tier, applicationId } = filter
        const free = {
          view: 'unassigned',
          ...(tier && { tier }),
          ...(applicationId && { applicationId }),
        } as const
        const { rows } = await readQueue(free, 1, new AbortController().signal)
        for (const row of rows) {
          try {
            await claim(row)
            return row.reviewCaseId
          } catch (error) {
            if (!(error instanceof ApiError && triesOn.includes(error.code))) throw error
          }
        }
        said.value = 'There is no case that nobody has.'
        return null
      }),
  }
}
