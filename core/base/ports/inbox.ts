/** Which of a receiver's endpoints an entry came to; each takes only its own. */
export type InboxTopic = 'event' | 'outcome'

/** The place of an entry in its case, by caseVersion, then eventSequence. */
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

/** What became of a message given to the inbox. */
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

/**
 * Which turn of an entry a call speaks for; the attempt is its fencing token. A process may be stopped for longer than
 * its hold lasts, and when it goes on, the entry may be another handler's. A turn is over once it is settled or the
 * entry is handed out again, not when its hold ends: as long as nobody else has the entry, its handler may finish.
 */
export interface TurnKey {
  readonly id: string
  readonly attempt: number
}

/** `stale`: that turn was over, and nothing was changed; what becomes of the entry is for a newer turn to say. */
export type Settled = 'settled' | 'stale'

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
  /** Moves the end of the holds of turns whose handler still runs; passes over those that are over. */
  hold(turns: readonly TurnKey[], until: number): Promise<void>
  /** The handler is done with it: never handed out again. */
  handled(turn: TurnKey, at: number): Promise<Settled>
  /** The handler failed: the hold ends, the entry's next turn is at `retryAt`. */
  failed(turn: TurnKey, retryAt: number, reason: string): Promise<Settled>
  /** The highest position of the case that was handed out. */
  head(reviewCaseId: string): Promise<CasePosition | null>
  /** Which of these ids are stored, in their order. */
  has(ids: readonly string[]): Promise<readonly boolean[]>
  close(): Promise<void>
}
