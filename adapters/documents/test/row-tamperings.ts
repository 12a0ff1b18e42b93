import {
  anchorHashOf,
  canonicalBytes,
  type EvidenceDocument,
  signAnchor,
  signDocument,
} from '@countersign/core/evidence'
import { leafHash } from '@countersign/core/internal'
import { type SeededRandom, sampleAnchor } from '@countersign/core/testing'
import { bytesToHex } from '@noble/hashes/utils.js'
import { chainOf } from './auditor-packs.ts'
import { packedAgain } from './packs.ts'
import type { Json, Subject, Tampering } from './tamperings.ts'

type Files = Map<string, Uint8Array>
type Change = (files: Files, subject: Subject, random: SeededRandom) => Files | null

/** What the issuer changes in some members of a pack, and not in others that show the same. */
function byIssuer(change: Change): Tampering {
  return async (subject, random) => {
    const changed = change(new Map(subject.files), subject, random)
    return changed && packedAgain(changed, subject.sealer)
  }
}

function pick<T>(random: SeededRandom, all: readonly T[]): T {
  return all[random.below(all.length)] as T
}

function textAt(files: Files, which: RegExp): readonly [path: string, text: string] | null {
  const found = [...files].find(([path]) => which.test(path))
  return found ? [found[0], Buffer.from(found[1]).toString()] : null
}

/** Lines of one member, each changed. */
function ofLines(
  which: RegExp,
  change: (lines: Json[], subject: Subject, random: SeededRandom) => readonly Json[] | null,
): Change {
  return (files, subject, random) => {
    const found = textAt(files, which)
    if (!found) return null
    const lines = found[1].split('\n').filter((line) => line !== '')
    const changed = change(
      lines.map((line) => JSON.parse(line) as Json),
      subject,
      random,
    )
    const text = changed?.map((line) => `${JSON.stringify(line)}\n`).join('')
    return text === undefined || text === found[1] ? null : files.set(found[0], Buffer.from(text))
  }
}

/** One of the sealed cases of an application. */
function ofCase(change: (review: Json, subject: Subject, random: SeededRandom) => Json): Change {
  return ofLines(/review-cases\.jsonl$/, (lines, subject, random) => {
    const sealed = lines.filter(({ state }) => state === 'decided')
    if (sealed.length === 0) return null
    const one = pick(random, sealed)
    return lines.map((line) => (line === one ? change(line, subject, random) : line))
  })
}

/** The seal of a record that is alone under its root, in an entry of the ledger that follows nothing. */
function aloneSealed(leafInput: object, batchId: unknown, sequence: number, { sealer }: Subject) {
  const root = bytesToHex(leafHash(canonicalBytes(leafInput)))
  const merkle = { batchId, leafIndex: 0, treeSize: 1, inclusionPath: [], merkleRoot: root }
  const anchor = sampleAnchor(sealer, { root, nonce: '0a'.repeat(32), sequence })
  return { leafInput, leafInputStatus: 'present', leafHash: root, merkle, anchor }
}

/** The anchor of an entry that was made a millisecond later, and signed so. */
function anotherTime(anchor: Json, { sealer }: Subject): Json {
  const { anchorVersion, ledger, sequence, commitment, previousHash, nonce } = anchor
  const anchoredAt = new Date(Date.parse(String(anchor.anchoredAt)) + 1).toISOString()
  const own = { anchorVersion, ledger, sequence, commitment, previousHash, anchoredAt }
  const entry = signAnchor(own, sealer)
  return { ...entry, entryHash: anchorHashOf(entry), nonce, status: 'recorded', timeStamp: null }
}

/** A row of an index of sessions, with one of its last cells changed. */
const indexed: Change = (files, _, random) => {
  const found = textAt(files, /^applications\/[^/]+\/sessions\.csv$/)
  const rows = found?.[1].split('\r\n') ?? []
  const at = 1 + random.below(Math.max(1, rows.length - 2))
  const cells = rows[at]?.split(',') ?? []
  if (!found || cells.length < 4) return null
  const place = cells.length - 1 - random.below(4)
  cells[place] = (cells[place] ?? '').replace(/\d/, (digit) => String((Number(digit) + 1) % 10))
  const text = rows.with(at, cells.join()).join('\r\n')
  return text === found[1] ? null : files.set(found[0], Buffer.from(text))
}

/** Objects of the lines of all members of this name. */
function linesOf({ files }: Subject, which: RegExp): readonly Json[] {
  return (textAt(new Map(files), which)?.[1] ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)
}

/** Another audit log, chained anew, in the manifest too. */
async function withLog(
  subject: Subject,
  change: (entries: readonly Json[]) => readonly Json[],
): Promise<Uint8Array | null> {
  const { files, sealer } = subject
  if (!files.has('audit-log.jsonl')) return null
  const entries = linesOf(subject, /^audit-log\.jsonl$/).map(
    ({ position: _, previousHash: __, hash: ___, ...entry }) => entry,
  )
  const log = chainOf(change(entries))
  const manifest = textAt(new Map(files), /^manifest\.json$/)?.[1] ?? '{}'
  const { scope } = JSON.parse(manifest) as Json
  const { position = 0, hash = null } = log.at(-1) ?? {}
  const written = log.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  return packedAgain(new Map(files).set('audit-log.jsonl', Buffer.from(written)), sealer, {
    scope: { ...(scope as Json), auditLog: { position, hash } },
  })
}

/** An audit log that ends before a head that batches of the pack commit to. */
function cutLog(subject: Subject, random: SeededRandom, isRewritten: boolean) {
  const leaves = linesOf(subject, /batches\.jsonl$/).flatMap((batch) => batch.leaves as Json[])
  const heads = leaves.flatMap(({ leafType, position }) =>
    leafType === 'audit-log' ? Number(position) : [],
  )
  const head = Math.max(0, ...heads)
  if (head === 0) return null
  if (!isRewritten) return withLog(subject, (entries) => entries.slice(0, random.below(head)))
  const at = random.below(Math.max(1, head - 1))
  return withLog(subject, (entries) =>
    entries
      .slice(0, head - 1)
      .map((entry, place) => (place === at ? { ...entry, actor: 'member:mem_x' } : entry)),
  )
}

/** What an issuer tells in one member of a pack and not in another: each member by itself holds. */
export const rowTamperings: Readonly<Record<string, Tampering>> = {
  'by the issuer: a decision under a seal of its own': byIssuer(
    ofCase((review, subject, random) => {
      const { leafInput, merkle } = review.integrity as Record<string, Json>
      const batchId = random.chance(0.5) ? merkle?.batchId : 'bat_of_its_own'
      const record = { ...leafInput, decision: 'rejected' }
      const integrity = aloneSealed(record, batchId, 1 + random.below(9), subject)
      return { ...review, decision: 'rejected', integrity }
    }),
  ),
  'by the issuer: a sealed case that waits for its seal': byIssuer(
    ofCase((review) => {
      const none = { leafInput: null, leafHash: null, merkle: null, anchor: null }
      return { ...review, integrity: { ...none, leafInputStatus: 'not_sealed' } }
    }),
  ),
  'by the issuer: an entry beside a case': byIssuer(
    ofCase((review, subject) => {
      const integrity = review.integrity as Json
      const anchor = anotherTime(integrity.anchor as Json, subject)
      return { ...review, integrity: { ...integrity, anchor } }
    }),
  ),
  'by the issuer: an entry beside evidence': byIssuer((files, subject, random) => {
    const all = [...files].filter(([path]) => path.endsWith('evidence.json'))
    const changed = all.flatMap(([path, bytes]) => {
      const document = JSON.parse(Buffer.from(bytes).toString()) as Json
      const seals = [document, ...(document.reviewCases as Json[])].map(
        (of) => of.integrity as Json,
      )
      const entries = seals.map(({ anchor }) => (anchor as Json | null)?.sequence)
      // One of two seals in the same entry.
      const seal = seals.find((_, at) => entries[at] && entries.lastIndexOf(entries[at]) > at)
      if (!seal) return []
      seal.anchor = anotherTime(seal.anchor as Json, subject)
      const signed = signDocument(document as unknown as EvidenceDocument, subject.sealer)
      return [[path, Buffer.from(JSON.stringify(signed))] as const]
    })
    return changed.length > 0 ? files.set(...pick(random, changed)) : null
  }),
  'by the issuer: an answer behind a hole': byIssuer(
    ofCase((review) => {
      const told = { question: 'May it be paid?', answer: 'Yes, in writing.' }
      return { ...review, followUps: [...(review.followUps as Json[]), told, null] }
    }),
  ),
  'by the issuer: a list of evidence with a hole': byIssuer((files, subject, random) => {
    const all = [...files].filter(([path]) => path.endsWith('evidence.json'))
    if (all.length === 0) return null
    const [path, bytes] = pick(random, all)
    const document = JSON.parse(Buffer.from(bytes).toString()) as Json
    const integrity = document.integrity as Json
    // A record has the policy results themselves; of a submission they are compared one by one.
    const isSubmitted = (document.session as Json).origin === 'submission'
    const [holder, name] = isSubmitted ? [document, 'policyResults'] : [integrity, 'earlier']
    holder[name] = [...((holder[name] as Json[] | undefined) ?? []), null]
    const signed = signDocument(document as unknown as EvidenceDocument, subject.sealer)
    return files.set(path, Buffer.from(JSON.stringify(signed)))
  }),
  'by the issuer: a first step of no case': byIssuer(
    ofLines(/review-events\.jsonl$/, (lines) => [
      { step: 'decided', actor: 'member:mem_x', detail: 'approved by the board' },
      ...lines,
    ]),
  ),
  'by the issuer: a batch twice': byIssuer(
    ofLines(/batches\.jsonl$/, (lines, _, random) => [...lines, pick(random, lines)]),
  ),
  'by the issuer: a batch less': byIssuer(
    ofLines(/batches\.jsonl$/, (lines, _, random) =>
      lines.toSpliced(random.below(lines.length), 1),
    ),
  ),
  'by the issuer: an audit log that ends before a sealed head': (subject, random) =>
    cutLog(subject, random, false),
  'by the issuer: an audit log written anew up to a sealed head': (subject, random) =>
    cutLog(subject, random, true),
  'by the issuer: a revocation that the keys of reviewers do not tell': (subject) =>
    withLog(subject, (entries) => {
      const detail = { memberId: 'mem_x', use: 'signing', credentialId: 'x' }
      return [...entries, { ...entries.at(-1), action: 'authenticator.revoked', detail }]
    }),
  'by the issuer: the index of sessions': byIssuer(indexed),
  'by the issuer: a session twice in the index': byIssuer((files) => {
    const found = textAt(files, /^applications\/[^/]+\/sessions\.csv$/)
    const [head = '', first, ...others] = found?.[1].split('\r\n') ?? []
    if (!found || !first) return null
    return files.set(found[0], Buffer.from([head, first, first, ...others].join('\r\n')))
  }),
  'by the issuer: a scope without an application': async ({ files, sealer }) => {
    const found = textAt(new Map(files), /^manifest\.json$/)
    const { packType, scope } = JSON.parse(found?.[1] ?? '{}') as Json
    if (packType !== 'auditor') return null
    return packedAgain(files, sealer, { scope: { ...(scope as Json), applicationIds: [] } })
  },
  'by the issuer: a recorded step': byIssuer(
    ofLines(/review-events\.jsonl$/, (lines, _, random) => {
      if (lines.length === 0) return null
      const at = random.below(lines.length)
      const line = lines[at] ?? {}
      return pick(random, [
        lines.with(at, { ...line, actor: 'member:mem_other' }),
        lines.with(at, { ...line, at: new Date(Date.parse(String(line.at)) + 1).toISOString() }),
        lines.with(at, { ...line, reviewCaseId: 'rc_other' }),
        lines.toSpliced(at, 1),
        lines.toSpliced(at, 0, line),
      ])
    }),
  ),
  'by the issuer: the CSV beside evidence': byIssuer((files, _, random) => {
    const all = [...files].filter(([path]) => /sessions\/[^/]+\/session\.csv$/.test(path))
    if (all.length === 0) return null
    const [path, bytes] = pick(random, all)
    const text = Buffer.from(bytes).toString()
    const forged = pick(random, [
      text.replace('"ok"', '"error"'),
      text.replace(/(?<=Z",)\d+/, '7'),
      text.replace(/\r\n[^\n]*\r\n$/, '\r\n'),
      Buffer.from(pick(random, all)[1]).toString(),
    ])
    return forged === text ? null : files.set(path, Buffer.from(forged))
  }),
  'by the issuer: sessions in each other’s folder': byIssuer((files) => {
    const paths = [...files.keys()].filter((path) => path.endsWith('evidence.json'))
    const [one = '', other = ''] = paths.map((path) => path.replace(/evidence\.json$/, ''))
    if (paths.length < 2) return null
    const moved = new Map<string, Uint8Array>()
    for (const [path, bytes] of files)
      if (path.startsWith(one)) moved.set(path.replace(one, other), bytes)
      else if (path.startsWith(other)) moved.set(path.replace(other, one), bytes)
      else moved.set(path, bytes)
    return moved
  }),
  'by the issuer: lists before what they list': byIssuer((files) => {
    const path = [...files.keys()].find((each) => each.endsWith('/batches.jsonl'))
    const bytes = path === undefined ? undefined : files.get(path)
    if (path === undefined || bytes === undefined) return null
    files.delete(path)
    return new Map([[path, bytes], ...files])
  }),
}
