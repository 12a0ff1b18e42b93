import { eventsOf, lastHeadOf, pathsOf, sealedAnew, type World, worldOf } from './issuer-world.ts'
import type { Json, Subject } from './tamperings.ts'
import { fieldsTold, listTold, type Path } from './told-otherwise.ts'

/** What an issuer, who has all keys, tells otherwise in a pack. */
export interface Move {
  /** What is done, to which member: `replace cases[0].decision, sealed anew`. */
  readonly name: string
  /** The kind of place: without numbers. */
  readonly place: string
  readonly world: World
}

const lists = ['cases', 'events', 'batches', 'ledger', 'log', 'sessions'] as const

/** Each place of a member told otherwise, or left out but for a cell of the index. */
function* fieldMoves(world: World, path: Path): Generator<Move> {
  for (const { name, place, told } of fieldsTold(world, path))
    if (path[0] !== 'sessions' || !name.startsWith('leave out')) yield { name, place, world: told }
}

function* listMoves(world: World, path: Path): Generator<Move> {
  for (const { name, place, told } of listTold(world, path)) yield { name, place, world: told }
}

const none = { leafInput: null, leafHash: null, merkle: null, anchor: null }
const unsealed = { integrity: { ...none, leafInputStatus: 'not_sealed' } }
const open = {
  ...{ state: 'open', decision: null, decidedBy: null, closedAt: null, reviewer: null },
  ...{ commentDigest: null, reviewerComment: null, decisionSignature: null },
  nonces: { comment: null, response: null },
  ...unsealed,
}

/** What may become of the leaf in the batches: as it is, or as that of something else. */
const labels: Readonly<Record<string, (leaf: Json) => Json>> = {
  'as it is': (leaf) => leaf,
  'as that of another case': (leaf) => ({ ...leaf, reviewCaseId: 'rc_ghost' }),
  'as that of another session': (leaf) => ({ ...leaf, sessionId: 'ses_ghost' }),
  'as an earlier revision': ({ sessionId, leafHash }) => ({ sessionId, revision: 1, leafHash }),
  'as an impossible revision': ({ sessionId, leafHash }) => ({ sessionId, revision: 0, leafHash }),
}

/** A decision told as something else, whatever its leaf is told to be. */
function* caseMoves(world: World, createdAt: string): Generator<Move> {
  const at = world.cases.findIndex(({ state }) => state === 'decided')
  const review = world.cases[at]
  if (!review) return
  // Some hours later, so that nothing but what is told just now waits for its seal.
  const laterAt = Date.parse(createdAt) + 3 * 3_600_000
  const justNow = new Date(laterAt - 30_000).toISOString()
  const later = { createdAt: new Date(laterAt).toISOString() }
  const steps = review.history as readonly Json[]
  const moved = {
    ...{ eventSequence: 9, caseVersion: review.caseVersion, step: 'session_moved' },
    ...{ at: justNow, actor: 'system' },
  }
  const ended = (closedAt: unknown) =>
    steps.map((step) => (step.step === 'decided' ? { ...step, at: closedAt } : step))
  const decision = 'rejected'
  const told: Readonly<Record<string, Json>> = {
    open: { ...open, history: steps.filter(({ step }) => step !== 'decided') },
    'not sealed': unsealed,
    'not sealed, hours later': unsealed,
    'ended otherwise, not sealed': { decision, ...unsealed },
    'ended just now': { closedAt: justNow, history: ended(justNow), ...unsealed },
    'ended just now and otherwise': {
      ...{ decision, closedAt: justNow, history: ended(justNow), ...unsealed },
    },
    'moved just now': { sessionId: 'ses_moved', history: [...steps, moved], ...unsealed },
    'moved just now, ended otherwise': {
      ...{ decision, sessionId: 'ses_moved', history: [...steps, moved], ...unsealed },
    },
    'said to have moved just now': { history: [...steps, moved], ...unsealed },
    'said to have moved just now, ended otherwise': {
      ...{ decision, history: [...steps, moved], ...unsealed },
    },
    expired: {
      ...{ state: 'expired', decision: null, decidedBy: null, decisionSignature: null },
      ...{
        history: steps.map((step) =>
          step.step === 'decided' ? { ...step, step: 'expired' } : step,
        ),
      },
    },
  }
  for (const [how, change] of Object.entries(told))
    for (const [label, relabel] of Object.entries(labels)) {
      const copy = structuredClone(world)
      copy.cases[at] = { ...review, ...change }
      if (/just now|hours later/.test(how)) copy.head = later
      for (const batch of copy.batches)
        batch.leaves = batch.leaves.map((leaf) =>
          leaf.reviewCaseId === review.reviewCaseId ? relabel(leaf) : leaf,
        )
      copy.events = eventsOf(copy)
      yield { name: `a decision told as ${how}, its leaf ${label}`, place: 'case', world: copy }
    }
  yield* sealedLater({ ...world, head: later }, review, { decision, moved, steps })
}

/** A decision told otherwise under a new leaf, in a batch behind all others. */
function* sealedLater(
  world: World,
  review: Json,
  { decision, moved, steps }: { decision: string; moved: Json; steps: readonly Json[] },
): Generator<Move> {
  const place = { batchId: 'bat_later', leafIndex: 0 }
  const last = world.ledger.at(-1)
  const before = world.batches.at(-1)
  if (!last || !before) return
  const sequence = Number(last.sequence) + 1
  for (const [how, change] of Object.entries({
    'otherwise under a later leaf': { decision },
    'as moved, under a later leaf': { sessionId: 'ses_moved', history: [...steps, moved] },
    'as moved and otherwise, under a later leaf': {
      ...{ decision, sessionId: 'ses_moved', history: [...steps, moved] },
    },
  }))
    for (const [label, relabel] of Object.entries(labels)) {
      const copy = structuredClone(world)
      const integrity = { ...(review.integrity as Json), merkle: place }
      const other = { ...review, ...change, integrity } as Json
      copy.cases = copy.cases.map((each) =>
        each.reviewCaseId === review.reviewCaseId ? other : each,
      )
      for (const batch of copy.batches)
        batch.leaves = batch.leaves.map((leaf) =>
          leaf.reviewCaseId === review.reviewCaseId ? relabel(leaf) : leaf,
        )
      const { reviewCaseId, sessionId } = other
      const leaf = { leafType: 'review-case', reviewCaseId, sessionId, leafHash: 'ab'.repeat(32) }
      const batch = { ...before, batchId: place.batchId, leaves: [leaf], anchorSequence: sequence }
      copy.batches = [...copy.batches, batch as World['batches'][number]]
      copy.ledger = [...copy.ledger, { ...last, sequence }]
      copy.events = eventsOf(copy)
      yield { name: `a decision told ${how}, its own ${label}`, place: 'case', world: copy }
    }
}

/** Files left out, with a word or without, and packs told to be of another kind or time. */
function* packMoves(world: World, paths: Readonly<Record<string, string>>): Generator<Move> {
  for (const [name, path] of Object.entries(paths))
    for (const omitted of [[], [path]])
      yield {
        name: `leave out ${name}${omitted.length > 0 ? ', and say so' : ''}`,
        place: 'file',
        world: { ...structuredClone(world), absent: [path], omitted },
      }
}

/** A pack that ends before each batch, with the ledger, the log and all that lies under later ones, and says nothing of it. */
function* endMoves(world: World): Generator<Move> {
  for (const at of world.batches.keys()) {
    const copy = structuredClone(world)
    copy.batches = copy.batches.slice(0, at)
    const left = new Set(copy.batches.map(({ batchId }) => batchId))
    const batchOf = ({ integrity }: Json) => ((integrity as Json).merkle as Json | null)?.batchId
    copy.cases = copy.cases.filter((each) => left.has(batchOf(each)))
    copy.sessions = copy.sessions.filter(({ batch_id }) =>
      left.has(`${batch_id}`.replaceAll('"', '')),
    )
    const sequences = copy.batches.map(({ anchorSequence }) => Number(anchorSequence))
    const last = Math.max(0, ...sequences)
    copy.ledger = copy.ledger.filter(({ sequence }) => Number(sequence) <= last)
    copy.log = copy.log.slice(0, lastHeadOf(copy))
    copy.events = eventsOf(copy)
    yield { name: `end before batch ${at}`, place: 'end', world: copy }
  }
}

/**
 * All moves on a genuine auditor's pack, or those of them that are meant, each told alone and, where that differs, sealed
 * anew with all that it entails.
 */
export function* movesOn(
  subject: Subject,
  isMeant: (toldAlone: string) => boolean = () => true,
): Generator<Move> {
  const world = worldOf(subject)
  const manifest = JSON.parse(Buffer.from(subject.files.get('manifest.json') ?? '').toString())
  const { createdAt } = manifest as { readonly createdAt: string }
  const single = [
    ...firstOf(world.cases, ['open', 'decided'], ({ state }) => state).map(
      (at) => ['cases', at] as const,
    ),
    ['events', world.events.findIndex(({ step }) => step === 'decided')] as const,
    ...[...new Set([0, world.batches.length - 1])].map((at) => ['batches', at] as const),
    ['ledger', world.ledger.length - 1] as const,
    ['log', 0] as const,
    ['log', world.log.length - 1] as const,
    ...(world.sessions.length > 0 ? [['sessions', 0] as const] : []),
    ...((world.authenticators.authenticators as unknown[]).length > 0
      ? [['authenticators'] as const]
      : []),
  ]
  function* told(): Generator<Move> {
    for (const path of single) yield* fieldMoves(world, path)
    for (const list of lists) yield* listMoves(world, [list])
    for (const at of world.batches.keys()) yield* listMoves(world, ['batches', at, 'leaves'])
    yield* caseMoves(world, createdAt)
    yield* packMoves(world, pathsOf(subject.files))
    yield* endMoves(world)
  }
  for (const move of told()) {
    if (!isMeant(move.name)) continue
    yield move
    const sealed = attempt(() => sealedAnew(move.world, subject))
    if (!sealed) continue
    const withEvents = { ...sealed, events: eventsOf(sealed) }
    for (const [how, world] of Object.entries({
      'sealed anew': sealed,
      'sealed anew, steps too': withEvents,
    }))
      if (JSON.stringify(world) !== JSON.stringify(move.world))
        yield { ...move, name: `${move.name}, ${how}`, world }
  }
}

/** Places of the first item of each kind that there is. */
function firstOf(
  items: readonly Json[],
  kinds: readonly unknown[],
  kindOf: (item: Json) => unknown,
) {
  return kinds
    .map((kind) => items.findIndex((item) => kindOf(item) === kind))
    .filter((at) => at >= 0)
}

function attempt<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
