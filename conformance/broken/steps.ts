import { comparePositions } from '@countersign/core/events'
import {
  type HeaderSource,
  type LegacyKey,
  type VerifyKey,
  verify,
  verifyLegacy,
} from '@countersign/core/signing'
import { commit, type Disk, type Head } from './disk.ts'

export interface Inbound {
  readonly method: string
  /** Of the URL, such as `?debug=1`; empty without one. */
  readonly search: string
  readonly headers: HeaderSource
  /** The same with repeated headers joined, as frameworks show them. */
  readonly joined: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Of HTTP, such as 1.1. */
  readonly version: string
  /** What came after a chunked body; names and values in turn. */
  readonly trailers: readonly string[]
  /** The same for every request of a connection. */
  readonly connection: object
}

export type Message = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly type: string
}

export type Proof =
  | { readonly ok: true; readonly family: 'standard' | 'legacy'; readonly id: string | null }
  | { readonly ok: false }

export interface Answer {
  readonly status: number
  readonly body?: object
  /** A body that is no JSON, with its content type. */
  readonly page?: { readonly type: string; readonly text: string }
}

/** Keys that a receiver verifies with. */
export interface ReceiverKeys {
  /** `whsec_…` and `whpk_…`. */
  readonly verifyKeys: readonly string[]
  readonly legacySecret: string
}

/** What a receiver is given, and what it forgets at a restart. */
export interface Surroundings {
  readonly keys: readonly VerifyKey[]
  readonly legacyKeys: readonly LegacyKey[]
  /** The keys as they were given. */
  readonly texts: ReceiverKeys
  readonly disk: Disk
  /** Requests under way, this one counted. */
  readonly inFlight: () => number
  readonly memory: Set<unknown>
  /** Ms that each effect takes. */
  readonly delayMs: () => number
  readonly alive: () => boolean
  readonly now: () => number
}

/**
 * A receiver as a row of steps; those of `soundSteps` are right, and each broken receiver replaces as few as it can.
 */
export interface Steps {
  readonly maxHeaderSize: number
  readonly maxBodyBytes: number
  /** Whether a header may go on in a line of its own. */
  readonly takesFolded: boolean
  /** Whether it serves requests with an `Expect` that it does not know, which HTTP has it refuse with 417. */
  readonly takesExpectations: boolean
  /** Whether bodies of several requests are read at once. */
  readonly readsTogether: boolean
  /** Ends a request before its signature is looked at. */
  before(inbound: Inbound, around: Surroundings): Answer | null | Promise<Answer | null>
  authenticate(inbound: Inbound, around: Surroundings): Proof
  refused(): Answer
  parse(body: Uint8Array): Message | null
  /** Authentic, but no event. */
  unreadable(proof: Proof): Answer
  /** Refuses an authentic message for what it says. */
  admit(message: Message, proof: Proof, around: Surroundings): Answer | null
  /** The id under which an admitted message is kept. */
  idOf(message: Message, inbound: Inbound): string
  /** Keeps it; false when its id was there. */
  store(id: string, body: Uint8Array, around: Surroundings): Promise<boolean>
  storeFailed(): Answer
  acknowledge: 'stored' | 'before storing' | 'when handled'
  answer(message: Message, isNew: boolean, around: Surroundings): Answer | Promise<Answer>
  /** Where the heads of cases are kept. */
  heads(around: Surroundings): HeadStore
  /** Of what was stored and not handled when the process died, in the order of storing, what is taken up again. */
  resume(ids: readonly string[]): readonly string[]
  /** Acts, and marks that it did, which is what a later start goes by. */
  carryOut(work: Work, around: Surroundings): Promise<void> | void
  /** Whether a place is newer than the head of its case. */
  newer(place: Head, head: Head | undefined): boolean
  /** How often to act on what is not newer than its head. */
  readonly actOnHistory: boolean
  readonly actOnCopies: boolean
  /** Whether a message means something to act on. */
  acts(message: Message, around: Surroundings): boolean
  /** Where a message belongs to; null for what has no case. */
  placeOf(message: Message): Head | null
}

/** What is left to do for an event once it is stored. */
export interface Work {
  act(): void
  /** Sets it handled, so that no start takes it up again. */
  mark(): void
}

/** The heads of cases; a Map is one. */
export interface HeadStore {
  get(reviewCaseId: string): Head | undefined
  set(reviewCaseId: string, head: Head): unknown
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export const soundSteps: Steps = {
  maxHeaderSize: 16_384,
  maxBodyBytes: 1_048_576,
  takesFolded: false,
  takesExpectations: false,
  readsTogether: true,
  before: ({ method }) => (method === 'POST' ? null : { status: 405 }),

  authenticate({ headers, body, joined }, { keys, legacyKeys, now }) {
    if (joined['webhook-signature'] === undefined && joined['x-service-signature'] !== undefined)
      return {
        ok: verifyLegacy({ headers, body, keys: legacyKeys }).ok,
        family: 'legacy',
        id: null,
      }
    const result = verify({ headers, body, keys, now: now() })
    return result.ok ? { ok: true, family: 'standard', id: result.id } : { ok: false }
  },

  refused: () => ({ status: 401 }),

  parse(body) {
    try {
      const value: unknown = JSON.parse(utf8.decode(body))
      return isMessage(value) ? value : null
    } catch {
      return null
    }
  },

  unreadable: () => ({ status: 400 }),

  admit({ id, type }, proof) {
    if (!proof.ok) return { status: 401 }
    if (proof.family === 'legacy' && /^(review|subscription)\./.test(type)) return { status: 401 }
    return proof.id !== null && proof.id !== id ? { status: 400 } : null
  },

  idOf: ({ id }) => id,

  store: (id, body, around) =>
    commit(around, () => {
      const { events } = around.disk
      if (events.has(id)) return false
      events.set(id, body)
      return true
    }),

  storeFailed: () => ({ status: 503 }),
  acknowledge: 'stored',

  answer({ type, challenge }) {
    if (type === 'subscription.verification_requested') return { status: 200, body: { challenge } }
    return { status: 204 }
  },

  heads: ({ disk }) => disk.heads,
  resume: (ids) => ids,
  carryOut({ act, mark }) {
    act()
    mark()
  },
  newer: (place, head) => head === undefined || comparePositions(place, head) > 0,
  actOnHistory: false,
  actOnCopies: false,
  acts: () => true,

  placeOf({ reviewCaseId, caseVersion, eventSequence }) {
    if (typeof reviewCaseId !== 'string' || reviewCaseId === '') return null
    if (!Number.isSafeInteger(caseVersion) || !Number.isSafeInteger(eventSequence)) return null
    return {
      reviewCaseId,
      caseVersion: caseVersion as number,
      eventSequence: eventSequence as number,
    }
  },
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { id, type } = value as { id?: unknown; type?: unknown }
  return typeof id === 'string' && id !== '' && typeof type === 'string' && type !== ''
}
