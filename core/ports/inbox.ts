/** Which of a receiver's endpoints an entry came to; each takes only its own. */
export type InboxTopic = 'event' | 'outcome'

/** Where an entry stands in its case, by caseVersion, then eventSequence. */
export interface CasePosition {
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly eventSequence: number
}

/** A signed message as a receiver keeps it. */
export interface InboxEntry {
  /** Unique in the inbox, whatever the topic. */
  readonly id: string
  readonly topic: InboxTopic
  /** Null when the signed bytes could not be read as a message. */
  readonly type: string | null
  /** Entries of one case are handed out one at a time; null for what belongs to no case. */
  readonly position: CasePosition | null
  /** The bytes that were signed. */
  readonly body: Uint8Array
  /** Ms since the epoch, of the receiver's clock; also the entry's first turn. */
  readonly receivedAt: number
}

export type Stored =
  | { readonly kind: 'stored' }
  /** The id was there before; `sameBody` false means that another body came under it, and the first was kept. */
  | { readonly kind: 'duplicate'; readonly sameBody: boolean }

/** A case's head and the head that it replaced; both outlive a restart, so a retried entry hears the same. */
export interface CaseHead {
  readonly head: CasePosition
  readonly previous: CasePosition | null
}

/** An entry handed out: its handler's turn. */
export interface InboxTurn {
  readonly entry: InboxEntry
  /** 1 for the first; counted when handed out, so that a crash counts too. */
  readonly attempt: number
  /** The head of its case, this entry counted; null for what belongs to no case. */
  readonly caseHead: CaseHead | null
}

/** A receiver's durable store: keeps each message once, and hands out what is unhandled. */
export interface Inbox {
  /** Durable when it resolves, whatever it answers. Atomic: of many calls with one id exactly one is told `stored`. */
  store(entry: InboxEntry): Promise<Stored>
  /**
   * Unhandled entries of the topic whose turn has come, in the order of their turns, each held until `holdUntil`:
   * held entries, and others of a held entry's case, are handed to nobody before the hold ends. An entry above the
   * head of its case becomes the head, in the same transaction: a handler that dies half-way may have had its effect.
   */
  take(query: {
    readonly topic: InboxTopic
    readonly now: number
    readonly holdUntil: number
    readonly limit: number
  }): Promise<readonly InboxTurn[]>
  /** Moves the end of the holds of entries whose handler still runs. */
  hold(ids: readonly string[], until: number): Promise<void>
  /** The handler is done with it: never handed out again. */
  handled(id: string, at: number): Promise<void>
  /** The handler failed: the hold ends, the entry's next turn is at `retryAt`. */
  failed(id: string, retryAt: number, reason: string): Promise<void>
  /** The highest position of the case that was handed out. */
  head(reviewCaseId: string): Promise<CasePosition | null>
  /** Which of these ids are stored, in their order. */
  has(ids: readonly string[]): Promise<readonly boolean[]>
  close(): Promise<void>
}
