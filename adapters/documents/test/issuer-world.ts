import { createHash } from 'node:crypto'
import { anchorHashOf, canonicalBytes, type PackHead, signAnchor } from '@countersign/core/evidence'
import { leafHash, merkleTree } from '@countersign/core/internal'
import { sampleAnchor } from '@countersign/core/testing'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { chainOf } from './auditor-packs.ts'
import { packedAgain } from './packs.ts'
import type { Json, Subject } from './tamperings.ts'

/** All that the issuer of an auditor's pack of one application tells, to be told otherwise. */
export interface World {
  cases: Json[]
  events: Json[]
  batches: (Json & { leaves: Json[] })[]
  ledger: Json[]
  /** Without positions and hashes. */
  log: Json[]
  /** Rows of the index of sessions, by column. */
  sessions: Json[]
  authenticators: Json
  /** Changes to the manifest. */
  head: Partial<PackHead> & Json
  /** Paths of files that are not there. */
  absent: string[]
  /** Paths of files that the manifest names as left out. */
  omitted: string[]
}

type Files = ReadonlyMap<string, Uint8Array>

const textAt = (files: Files, path: string) => Buffer.from(files.get(path) ?? '').toString()

function folderOf(files: Files): string {
  const path = [...files.keys()].find((each) => each.endsWith('/batches.jsonl')) ?? ''
  return path.replace('batches.jsonl', '')
}

/** Where each list of a world lies in its pack. */
export function pathsOf(files: Files): Readonly<Record<string, string>> {
  const folder = folderOf(files)
  return {
    sessions: `${folder}sessions.csv`,
    cases: `${folder}review-cases.jsonl`,
    events: `${folder}review-events.jsonl`,
    batches: `${folder}batches.jsonl`,
    ledger: 'anchors.jsonl',
    log: 'audit-log.jsonl',
    authenticators: 'authenticators.json',
  }
}

const cellsOf = (row: string) => row.match(/"(?:[^"]|"")*"|[^,]+|(?<=,|^)(?=,|$)/g) ?? []

/** What a genuine auditor's pack tells. */
export function worldOf({ files }: Pick<Subject, 'files'>): World {
  const paths = pathsOf(files)
  const lines = (name: string) =>
    textAt(files, paths[name] ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Json)
  const [columns = '', ...rows] = textAt(files, paths.sessions ?? '')
    .split('\r\n')
    .filter((row) => row !== '')
  const names = cellsOf(columns).map((name) => name.replaceAll('"', ''))
  return {
    cases: lines('cases'),
    events: lines('events'),
    batches: lines('batches') as World['batches'],
    ledger: lines('ledger'),
    log: lines('log').map(({ position: _, previousHash: __, hash: ___, ...text }) => text),
    sessions: rows.map((row) => {
      const cells = cellsOf(row)
      return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
    }),
    authenticators: JSON.parse(textAt(files, 'authenticators.json')) as Json,
    head: {},
    absent: [],
    omitted: [],
  }
}

/** The last entry of the audit log that a batch of a world commits to. */
export function lastHeadOf({ batches }: World): number {
  const leaves = batches.flatMap((batch) => batch.leaves)
  return Math.max(0, ...leaves.map(({ position }) => Number(position ?? 0)))
}

const digestOf = (value: unknown) =>
  createHash('sha256').update(canonicalBytes(value)).digest('hex')

const same = [
  ...['tenantId', 'applicationId', 'sessionId', 'reviewCaseId', 'caseVersion', 'state'],
  ...['decision', 'reasonCategory', 'presentationDigest', 'commentDigest', 'responseDigest'],
  ...['decidedBy', 'closedAt', 'decisionSignature'],
]

/** The record of a case as it is told. */
export function recordOf(review: Json): Json {
  return {
    ...{ leafType: 'review-case', recordVersion: '1.0', openedAt: review.createdAt },
    ...Object.fromEntries(same.map((member) => [member, review[member] ?? null])),
    checkpointId: (review.checkpoint as Json | null)?.checkpointId ?? null,
  }
}

/** A case whose digests, recorded steps and answers are those of what it tells. */
export function fitting(review: Json): Json {
  const { presentation, reviewerComment, response, assignment } = review
  const nonces = (review.nonces ?? {}) as Json
  const salted = (name: string, text: unknown) =>
    (text ?? null) === null ? review[`${name}Digest`] : digestOf([nonces[name], text])
  const isShown = (presentation ?? null) !== null && (review.presentationDigest ?? null) !== null
  const steps = Array.isArray(review.history) ? (review.history as Json[]) : []
  const history = steps.map((step, at) => {
    if (step === null || typeof step !== 'object') return step
    const begun = at === 0 ? { at: review.createdAt } : {}
    const isEnd = step.step === review.state
    const actor = review.state === 'decided' ? { actor: `member:${review.decidedBy}` } : {}
    const ended = { at: review.closedAt, caseVersion: review.caseVersion, ...actor }
    return { ...step, ...begun, ...(isEnd ? ended : {}) }
  })
  const isDecided = review.state === 'decided'
  return {
    ...review,
    history: Array.isArray(review.history) ? history : review.history,
    ...(isShown ? { presentationDigest: digestOf(presentation) } : {}),
    commentDigest: salted('comment', reviewerComment) ?? null,
    responseDigest: salted('response', response) ?? null,
    ...(isDecided && assignment !== null && typeof assignment === 'object'
      ? { assignment: { ...assignment, reviewerId: review.decidedBy } }
      : {}),
  }
}

const integrityOf = (review: Json) => (review.integrity ?? {}) as Json & { merkle?: Json | null }

/** The world in which all that the issuer tells is sealed, chained and signed anew. */
export function sealedAnew(world: World, { sealer }: Pick<Subject, 'sealer'>): World {
  const log = chainOf(world.log)
  const told = world.cases.map(fitting)
  const sealed = told.map((review) => {
    const { leafInputStatus, merkle } = integrityOf(review)
    if (leafInputStatus !== 'present' || !merkle) return null
    const leafInput = recordOf(review)
    return { merkle, leafInput, hash: bytesToHex(leafHash(canonicalBytes(leafInput))) }
  })
  const entries = world.ledger.map((entry) => ({ ...entry }))
  const trees = world.batches.map((batch) => {
    const leaves = batch.leaves.map((leaf, leafIndex) => {
      const at = sealed.findIndex(
        (each) => each?.merkle.batchId === batch.batchId && each?.merkle.leafIndex === leafIndex,
      )
      const review = told[at]
      if (review && leaf.leafType === 'review-case') {
        const { reviewCaseId, sessionId } = review
        return { ...leaf, reviewCaseId, sessionId, leafHash: sealed[at]?.hash }
      }
      if (leaf.leafType === 'audit-log') {
        const { position } = leaf
        const hash = log[Number(position) - 1]?.hash ?? leaf.hash
        const record = { leafType: 'audit-log', recordVersion: '1.0', position, hash }
        const whole = { ...record, tenantId: batch.tenantId }
        return { ...leaf, hash, leafHash: bytesToHex(leafHash(canonicalBytes(whole))) }
      }
      return leaf
    })
    const tree = merkleTree(leaves.map((leaf) => hexToBytes(String(leaf.leafHash))))
    const root = bytesToHex(tree.root)
    const { commitment } = sampleAnchor(sealer, { root, nonce: String(batch.nonce) })
    const entry = entries.find(({ sequence }) => sequence === batch.anchorSequence)
    if (entry) entry.commitment = commitment
    const own = { leaves, merkleRoot: root, treeSize: tree.size, commitment }
    return { tree, batch: { ...batch, ...own } as World['batches'][number] }
  })
  const ledger: Json[] = []
  for (const {
    entryHash: _,
    nonce,
    status,
    timeStamp,
    signature: __,
    keyId: ___,
    ...own
  } of entries) {
    const before = ledger.at(-1)?.entryHash ?? own.previousHash
    const entry = signAnchor({ ...own, previousHash: before } as never, sealer) as object
    ledger.push({ ...entry, entryHash: anchorHashOf(entry as Json), nonce, status, timeStamp })
  }
  const cases = told.map((review, at) => {
    const own = sealed[at]
    const found = trees.find(({ batch }) => batch.batchId === own?.merkle.batchId)
    if (!own || !found) return review
    const { batch, tree } = found
    const leafIndex = Number(own.merkle.leafIndex)
    const shown = ledger.find(({ sequence }) => sequence === batch.anchorSequence)
    const merkle = {
      ...{ batchId: batch.batchId, leafIndex, treeSize: tree.size },
      inclusionPath: tree.pathOf(leafIndex).map(bytesToHex),
      merkleRoot: batch.merkleRoot,
    }
    const anchor = shown ? { ...shown, nonce: batch.nonce } : null
    const seal = { leafInput: own.leafInput, leafHash: own.hash, merkle, anchor }
    return { ...review, integrity: { ...integrityOf(review), ...seal } }
  })
  const authenticators = withEntries(world.authenticators, log)
  return { ...world, cases, ledger, authenticators, batches: trees.map(({ batch }) => batch) }
}

/** Keys with the lines of this log that tell of them. */
function withEntries(document: Json, log: readonly Json[]): Json {
  const all = document.authenticators
  if (!Array.isArray(all)) return document
  const authenticators = (all as Json[]).map((key) =>
    Array.isArray(key?.entries)
      ? {
          ...key,
          entries: (key.entries as Json[]).map(
            (entry) => log[Number(entry?.position) - 1] ?? entry,
          ),
        }
      : key,
  )
  return { ...document, authenticators }
}

/** Lines of the cases' recorded steps, as an issuer writes them beside the cases. */
export function eventsOf(world: World): Json[] {
  const types = new Map(world.events.map(({ step, type }) => [step, type]))
  return world.cases.flatMap((review) =>
    (Array.isArray(review.history) ? (review.history as Json[]) : []).flatMap((step) =>
      step === null || typeof step !== 'object'
        ? []
        : [
            {
              ...{ reviewCaseId: review.reviewCaseId, sessionId: review.sessionId },
              ...step,
              type: types.get(step.step) ?? null,
            },
          ],
    ),
  )
}

const linesOf = (items: readonly unknown[]) =>
  Buffer.from(items.map((each) => `${JSON.stringify(each)}\n`).join(''))

/** The files of a pack that tells this. */
export function filesFor(world: World, genuine: Files): Map<string, Uint8Array> {
  const paths = pathsOf(genuine)
  const columns = textAt(genuine, paths.sessions ?? '').split('\r\n')[0] ?? ''
  const rows = world.sessions.map((row) => Object.values(row).join(','))
  const files = new Map(genuine)
    .set(paths.sessions ?? '', Buffer.from([columns, ...rows, ''].join('\r\n')))
    .set(paths.cases ?? '', linesOf(world.cases))
    .set(paths.events ?? '', linesOf(world.events))
    .set(paths.batches ?? '', linesOf(world.batches))
    .set(paths.ledger ?? '', linesOf(world.ledger))
    .set(paths.log ?? '', linesOf(chainOf(world.log)))
    .set(paths.authenticators ?? '', Buffer.from(JSON.stringify(world.authenticators)))
  for (const path of world.absent) files.delete(path)
  return files
}

/** A pack that tells this, sealed by its issuer. */
export function packFor(
  world: World,
  { files, sealer }: Pick<Subject, 'files' | 'sealer'>,
): Promise<Uint8Array> {
  const { scope } = JSON.parse(textAt(files, 'manifest.json')) as { readonly scope: Json }
  const { position = 0, hash = null } = chainOf(world.log).at(-1) ?? {}
  const head = { scope: { ...scope, auditLog: { position, hash } }, ...world.head }
  return packedAgain(filesFor(world, files), sealer, head as Partial<PackHead>, world.omitted)
}
