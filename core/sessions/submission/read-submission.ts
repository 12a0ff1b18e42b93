import { type CutLimits, cutJson } from '../../base/json/cut-json.ts'
import { createSlices, type Slices } from '../../base/json/in-slices.ts'
import { keptBytes, type Piece, readPiece } from '../../base/json/piece.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'
import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import { refuseAt } from '../refuse-at.ts'
import type { Submission } from './submitted.ts'

/** Limits of one step, of a session without its steps, and of a batch without its sessions. */
const mostOfPiece = { bytes: 8_388_608, values: 50_000 } as const
const inSessions: CutLimits = { exactNumbers: true, pieces: ingestLimits.sessionsPerBatch }
const inSteps: CutLimits = { exactNumbers: true, pieces: ingestLimits.stepsPerSubmission }

type Given = Readonly<Record<string, unknown>>

/**
 * Reads a submission, step by step with pauses between. Refuses with `invalid_request` a body that is no JSON
 * object, values that parsing would change, and lists and steps beyond their limits; `checkSubmission` checks the rest.
 */
export function* readSubmission(body: Uint8Array): Generator<undefined, Result<Submission>> {
  const cut = yield* cutJson(body, ['sessions'], inSessions)
  if ('fault' in cut) return refuseAt('', cut.fault)
  const slices = createSlices()
  const envelope = yield* pieceAt(body, cut.rest, '', slices)
  if (!envelope.ok) return envelope
  if (!isObject(envelope.value)) return refuseAt('', 'expected an object')
  if (cut.over > 0) return refuseAt('/sessions', `expected at most ${inSessions.pieces} items`)
  const sessions: unknown[] = []
  for (const [at, piece] of cut.pieces.entries()) {
    const session = yield* readSession(body, piece, `/sessions/${at}`, slices)
    if (!session.ok) return session
    sessions.push(session.value)
  }
  const read = Array.isArray(envelope.value.sessions)
    ? { ...envelope.value, sessions }
    : envelope.value
  return ok(read as unknown as Submission)
}

function* readSession(
  body: Uint8Array,
  piece: Piece,
  pointer: string,
  slices: Slices,
): Generator<undefined, Result<unknown>> {
  // A fault of the piece is found again, at its step.
  const bytes = body.subarray(piece.start, piece.end)
  const cut = yield* cutJson(bytes, ['steps'], inSteps)
  if ('fault' in cut) return refuseAt(pointer, cut.fault)
  const session = yield* pieceAt(bytes, cut.rest, pointer, slices)
  if (!session.ok || !isObject(session.value) || !Array.isArray(session.value.steps)) return session
  if (cut.over > 0) return refuseAt(`${pointer}/steps`, `expected at most ${inSteps.pieces} items`)
  const steps: unknown[] = []
  for (const [at, each] of cut.pieces.entries()) {
    const step = yield* pieceAt(bytes, each, `${pointer}/steps/${at}`, slices)
    if (!step.ok) return step
    steps.push(step.value)
  }
  return ok({ ...session.value, steps })
}

function* pieceAt(
  bytes: Uint8Array,
  piece: Piece,
  pointer: string,
  slices: Slices,
): Generator<undefined, Result<unknown>> {
  const size = keptBytes(piece)
  if (slices.spend(size)) yield
  if (size > mostOfPiece.bytes || piece.values > mostOfPiece.values)
    return refuseAt(
      pointer,
      `expected at most ${mostOfPiece.bytes} bytes and ${mostOfPiece.values} values here`,
    )
  const read = yield* readPiece(bytes, piece)
  return 'fault' in read ? refuseAt(pointer, read.fault) : ok(read.value)
}

function isObject(given: unknown): given is Given {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}
