import type { Observer } from '@countersign/core/ports'
import type { ReceiverRefusalCode } from './receiving/answer.ts'

/** What an observer of a receiver hears: the facts of each event by its name. No fact holds a secret or a body. */
export interface ReceiverEvents {
  /** A message was stored for the first time. */
  readonly 'receiver.stored': { readonly id: string; readonly type: string | null }
  /** A message came again and was acknowledged. */
  readonly 'receiver.duplicate': {
    readonly id: string
    readonly type: string | null
    readonly sameBody: boolean
  }
  /** A message came again with another body; the first stays. */
  readonly 'receiver.body_differs': { readonly id: string; readonly type: string | null }
  /** Authentic bytes that are no event were kept and acknowledged. */
  readonly 'receiver.unreadable': { readonly id: string; readonly detail: string }
  /** A request was refused; `code` is one of `refusals`. */
  readonly 'receiver.refused': { readonly code: ReceiverRefusalCode; readonly detail: string }
  /** The inbox took longer than the deadline, so the sender was answered 503 and tries again. */
  readonly 'receiver.store_slow': { readonly id: string; readonly ackDeadlineMs: number }
  /** The inbox failed to store, so the sender was answered 503 and tries again. */
  readonly 'receiver.store_failed': { readonly id: string; readonly detail: string }
  /** An event of an application that this receiver does not serve was acknowledged and not stored. */
  readonly 'receiver.foreign_application': { readonly id: string; readonly type: string }
  /** `onProblem` threw. */
  readonly 'receiver.on_problem_failed': { readonly code: string; readonly detail: string }
  /** A handler ended well, on this attempt (from 1). */
  readonly 'handler.done': {
    readonly id: string
    readonly type: string | null
    readonly attempt: number
  }
  /** A handler threw; the next try is at `retryAt`, ms since the epoch. */
  readonly 'handler.failed': {
    readonly id: string
    readonly type: string | null
    readonly attempt: number
    readonly retryAt: number
    readonly detail: string
  }
  /** A handler ended after its hold, when another process had taken the entry. `detail` is null where it ended well. */
  readonly 'handler.stale_completion': {
    readonly id: string
    readonly type: string | null
    readonly attempt: number
    readonly detail: string | null
  }
  /** The inbox failed while entries were taken, held or settled. */
  readonly 'inbox.failed': { readonly id: string | null; readonly detail: string }
}

/** Hears what a receiver does, for logs and metrics. */
export type ReceiverObserver = Observer<ReceiverEvents>
