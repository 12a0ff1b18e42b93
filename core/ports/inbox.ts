/** An event as a receiver keeps it. */
export interface InboxEntry {
  readonly id: string
  readonly type: string
  /** The bytes that were signed. */
  readonly body: Uint8Array
  /** Ms since the epoch, of the receiver's clock. */
  readonly receivedAt: number
}

export interface CaseHead {
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly eventSequence: number
}

export type Stored =
  | { readonly kind: 'stored' }
  /** The id was there before; `sameBody` false means that another body came under it, and the first was kept. */
  | { readonly kind: 'duplicate'; readonly sameBody: boolean }

/** A receiver's durable store: keeps each event once, knows each case's head, and hands out what is unhandled. */
export interface Inbox {
  /** Durable when it resolves. Atomic: of many concurrent calls with one id exactly one is told `stored`. */
  store(entry: InboxEntry): Promise<Stored>
  /** The heads of these cases before any change that the caller is about to note. */
  head(reviewCaseId: string): Promise<CaseHead | null>
  /** Raises the head to the highest of both (caseVersion, then eventSequence); tells the head as it was before. */
  raise(head: CaseHead): Promise<CaseHead | null>
  /** Entries not yet handled whose turn has come, oldest first, each held back until `holdUntil` for others. */
  take(query: {
    readonly now: number
    readonly holdUntil: number
    readonly limit: number
  }): Promise<readonly { readonly entry: InboxEntry; readonly attempts: number }[]>
  /** The customer's handler is done with it. */
  handled(id: string, at: number): Promise<void>
  /** The handler failed; the entry's next turn is at `retryAt`. */
  failed(id: string, retryAt: number, reason: string): Promise<void>
  /** Which of these ids are stored. */
  has(ids: readonly string[]): Promise<readonly boolean[]>
  close(): Promise<void>
}
