import { rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { unsignedTimeStamp } from '@countersign/core/testing'
import { differencesOf } from './issuer-facts.ts'
import type { Move } from './issuer-moves.ts'
import { lastHeadOf, packFor, type World, worldOf } from './issuer-world.ts'
import { fileOf } from './packs.ts'
import type { Said } from './second-process.ts'
import { saidByBoth } from './second-verifier.ts'
import type { subjects } from './subjects.ts'
import type { Json } from './tamperings.ts'

type Whole = Awaited<ReturnType<typeof subjects>>[number]

/** Files that a reader holds of the genuine pack, and what they are. */
export interface Hold {
  /** Names of the lists, empty for nothing. */
  readonly lists: readonly string[]
  readonly files: readonly string[]
}

/**
 * Places that no leaf, root or chain binds, so that an issuer tells them otherwise in a pack that is witnessed; SECURITY.md
 * of the reference server lists them.
 */
export const unbound: readonly RegExp[] = [
  /^cases\[\]\.(?:schemaVersion|stepId|eventSequence|reviewTier|dueAt|expiresAt|overdueAt|updatedAt|caseUrl)$/,
  /^cases\[\]\.(?:cancellationReason|policyResults|requestedBy|followUps)$/,
  /^cases\[\]\.(?:callback|continuation|reviewer)(?:\.\w+)?$/,
  /^cases\[\]\.assignment(?:\.assignedAt)?$/,
  // Of the first and the last step what the record does not have.
  /^cases\[\]\.history(?:\[\](?:\.\w+)?)?$/,
  /^cases\[\]\.integrity\.(?:merkle\.treeSize|anchor(?:\.(?:status|nonce|timeStamp|entryHash))?)$/,
  // Their order.
  /^(?:cases|sessions|events|batches|ledger)$/,
  /^events\[\]\.(?:type|sessionId)$/,
  /^batches\[\]\.(?:origin|sealedAt|treeSize)$/,
  /^ledger\[\]\.(?:status|timeStamp|entryHash)$/,
  /^sessions\[\]\.(?!sealed_revision|leaf_hash|batch_id|leaf_index|application_id|session_id)/,
]

/** A copy in which what is null is absent: both are told alike. */
function without(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, each: unknown) => each ?? undefined))
}

/** Lists that name whose leaf each is: what is told of a decision can be compared with it. */
const namesLeaves = ['batches', 'cases']
const isWitnessed = ({ verdict, witness }: Said) =>
  verdict === 'verified' && witness === 'witnessed'

/** What commits to all that lies under the batches, so far as a pack is witnessed whole by it. */
const commitments = ['ledger', 'batches', 'cases', 'roots', 'stamp', 'certificate']

/** Whether what is held binds a fact, by its name, in a pack with a move of this place. */
function binds({ lists }: Hold, place: string, fact: string, genuine: World): boolean {
  const [kind, position] = fact.split(' ')
  // What ends earlier is older, but for who holds what names the things that it leaves out.
  if (place === 'end')
    return ['ledger', 'batches', kind === 'case' ? 'cases' : 'batches'].some((each) =>
      lists.includes(each),
    )
  // A root says nothing of its entry.
  if (kind === 'entry' && lists.includes('roots')) return false
  const commits = commitments.some((each) => lists.includes(each))
  if (kind !== 'log') return commits
  // What comes behind all that is held is new.
  const held = lists.includes('log') ? genuine.log.length : commits ? lastHeadOf(genuine) : 0
  return Number(position) <= held
}

/** Why what two verifiers say of a move is wrong, computed from what the reader holds; null where it is not. */
function faultOf(move: Move, hold: Hold, genuine: World, said: Said): string | null {
  const facts = differencesOf(genuine, move.world)
  if (hold.lists.length === 0)
    return said.witness === 'not_witnessed' ? null : 'witnessed by nothing'
  if (/told as moved just now, its leaf as it is/.test(move.name) && said.verdict === 'failed')
    return 'a genuine move has failed'
  if (facts.some((fact) => binds(hold, move.place, fact, genuine)))
    if (isWitnessed(said)) return `witnessed, though it tells ${facts.join()} otherwise`
  const isOtherwise = facts.some((fact) => fact.startsWith('case ')) && /otherwise/.test(move.name)
  const isNamed = hold.lists.some((each) => namesLeaves.includes(each))
  if (isOtherwise && isNamed && said.verdict !== 'failed')
    return 'a decision that is held is told otherwise, and that has not failed'
  const [, at] = /cases\[(\d+)\]/.exec(move.name) ?? []
  const isOpen = at !== undefined && genuine.cases[Number(at)]?.state === 'open'
  const isListed = isOpen || unbound.some((place) => place.test(move.place))
  if (facts.length === 0 && isWitnessed(said) && !isListed)
    return 'witnessed, and of no place that is listed as bound by nothing'
  return null
}

/** What is wrong with what two verifiers say of these moves on a pack, for each of what a reader holds. */
export async function faultsOf(
  subject: Whole,
  moves: Iterable<Move>,
  holds: readonly Hold[],
): Promise<{ readonly faults: readonly string[]; readonly count: number }> {
  const genuine = worldOf(subject)
  const written: { readonly move: Move; readonly file: string }[] = []
  for (const move of moves)
    if (!isDeepStrictEqual(without(move.world), without(genuine)))
      written.push({ move, file: fileOf(await packFor(move.world, subject)) })
  const keys = fileOf(JSON.stringify(subject.jwks), 'keys.json')
  const files = written.map(({ file }) => file)
  const runs = holds.map((hold) => ({ files, keys, known: hold.files }))
  const faults: string[] = []
  for (const [run, said] of (await saidByBoth(runs)).entries())
    for (const [at, { first, second }] of said.entries()) {
      const [hold, move] = [holds[run], written[at]?.move]
      if (!hold || !move) continue
      const fault = isDeepStrictEqual(first, second)
        ? faultOf(move, hold, genuine, first)
        : `${JSON.stringify(first)} and ${JSON.stringify(second)}`
      if (fault !== null) faults.push(`${move.name}, held ${hold.lists.join()}: ${fault}`)
    }
  for (const file of files) rmSync(file)
  return { faults, count: files.length * holds.length }
}

/** What readers may hold of a genuine auditor's pack: nothing, all of its lists or one, or less than a list. */
export function holdsOf(subject: Whole, paths: Readonly<Record<string, string>>): readonly Hold[] {
  const single = ['ledger', 'batches', 'cases', 'log'].map((name) => ({
    lists: [name],
    files: [fileOf(subject.files.get(paths[name] ?? '') ?? '', `${name}.jsonl`)],
  }))
  const all = {
    lists: single.flatMap(({ lists }) => lists),
    files: single.flatMap(({ files }) => files),
  }
  const less = Object.entries(lessThanLists(worldOf(subject))).map(([name, content]) => ({
    lists: [name],
    files: [fileOf(content, `${name}.known`)],
  }))
  return [{ lists: [], files: [] }, all, ...single, ...less]
}

/** The roots of all batches, the time stamp of the last entry, and the certificate of a session. */
function lessThanLists({ batches, ledger, sessions }: World) {
  const last = ledger.at(-1) ?? {}
  const [session = {}] = sessions
  const cells = Object.entries(session).map(([name, cell]) => [
    name,
    JSON.parse(`${cell}` || 'null'),
  ])
  const { application_id, session_id, sealed_revision, leaf_hash, batch_id } =
    Object.fromEntries(cells)
  const { merkleRoot, anchorSequence } =
    batches.find(({ batchId }) => batchId === batch_id) ?? ({} as Json)
  const proof = {
    ...{ applicationId: application_id, sessionId: session_id, revision: sealed_revision },
    ...{ leafHash: leaf_hash, batchId: batch_id, merkleRoot },
    anchor: ledger.find(({ sequence }) => sequence === anchorSequence),
  }
  const stampedAt = Date.parse(String(last.anchoredAt)) + 1_000
  return {
    roots: batches.map((batch) => batch.merkleRoot).join('\n'),
    stamp: unsignedTimeStamp(Buffer.from(String(last.entryHash), 'hex'), stampedAt),
    certificate: JSON.stringify({ certificateType: 'session-anchor', proof }),
  }
}
