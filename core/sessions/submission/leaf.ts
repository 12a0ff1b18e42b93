import { CanonicalizationError, canonicalize, maxDepth } from '../../base/canonical/canonicalize.ts'
import type { Slices } from '../../base/json/in-slices.ts'
import { lengthOf } from '../accept/incoming.ts'
import type { IncomingSession } from './incoming-session.ts'
import type { SubmittedSession } from './submitted.ts'

/** A submitted session with its leaf. */
export interface Leaf {
  readonly session: IncomingSession
  /** Its canonical JSON in UTF-8, as submitted. */
  readonly text: Uint8Array
  /** Hex. */
  readonly leafHash: string
}

const utf8 = new TextEncoder()
/** Ahead of what a leaf hashes (RFC 9162 2.1.1). */
const leafTag = Uint8Array.of(0)

/**
 * What a session's leaf hashes: `0x00` and the UTF-8 bytes of its canonical JSON (RFC 8785), which is written step by
 * step with pauses between. Throws a `CanonicalizationError`, its pointer within the session.
 */
export function* leafEntry(
  { steps, ...beside }: SubmittedSession,
  slices: Slices,
): Generator<undefined, Uint8Array> {
  if (slices.spend(lengthOf(beside))) yield
  // Canonical members are in the order of their UTF-16 code units, as JavaScript compares texts.
  const membersOf = (isMeant: (name: string) => boolean) =>
    canonicalize(
      Object.fromEntries(Object.entries(beside).filter(([name]) => isMeant(name))),
    ).slice(1, -1)
  const before = membersOf((name) => name < 'steps')
  const after = membersOf((name) => name > 'steps')
  const pieces = [leafTag, utf8.encode(`{${before === '' ? '' : `${before},`}"steps":[`)]
  for (const [at, step] of steps.entries()) {
    if (slices.spend(lengthOf(step))) yield
    pieces.push(utf8.encode(`${at === 0 ? '' : ','}${canonicalStep(step, at)}`))
  }
  pieces.push(utf8.encode(`]${after === '' ? '' : `,${after}`}}`))
  return joined(pieces)
}

function canonicalStep(step: unknown, at: number): string {
  try {
    return canonicalize(step, maxDepth - 2)
  } catch (error) {
    if (!(error instanceof CanonicalizationError)) throw error
    throw new CanonicalizationError(`/steps/${at}${error.pointer}`, error.message)
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
