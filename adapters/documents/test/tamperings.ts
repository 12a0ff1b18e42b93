import { type EvidenceDocument, signDocument } from '@countersign/core/evidence'
import type { SeededRandom } from '@countersign/core/testing'
import { containerForgeries, partsOf } from './forged-containers.ts'
import { openZip } from './open-zip.ts'
import { fileOf, issuer, packOf, type Sealer, zipOf } from './packs.ts'
import { attacks } from './tampering.ts'

/** A genuine pack that is tampered with. */
export interface Subject {
  readonly name: string
  readonly pack: Uint8Array
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The keys that its issuer has published. */
  readonly jwks: object
  /** Its issuer. */
  readonly sealer: Sealer
  /** Whether it is of samples, whose documents are such that the issuer can change each of them in every way. */
  readonly isSample: boolean
  /** Certificates of the authority that stamped its ledger (PEM); absent where none has. */
  readonly rootFile?: string
}

/** Changes a pack; null where it has nothing of the kind. */
export type Tampering = (
  subject: Subject,
  random: SeededRandom,
) => Promise<Uint8Array | null> | Uint8Array | null

export type Json = Record<string, unknown>

function pick<T>(random: SeededRandom, all: readonly T[]): T {
  return all[random.below(all.length)] as T
}

const seal = ['manifest.json', 'manifest.sig', 'public-key.json']

/** A member that holds JSON, or lines of it, changed as a text and zipped anew; the seal stays. */
function ofText(
  change: (text: string, random: SeededRandom) => string | null,
  which = /\.jsonl?$/,
): Tampering {
  return async ({ files }, random) => {
    const paths = [...files.keys()].filter((path) => which.test(path))
    if (paths.length === 0) return null
    const path = pick(random, paths)
    const text = change(Buffer.from(files.get(path) ?? []).toString(), random)
    return text === null ? null : zipOf(new Map(files).set(path, Buffer.from(text)))
  }
}

/** One of the places that a pattern finds, replaced. */
function replaced(pattern: RegExp, by: (found: string, random: SeededRandom) => string) {
  return (text: string, random: SeededRandom): string | null => {
    const all = [...text.matchAll(pattern)]
    if (all.length === 0) return null
    const { 0: found, index } = pick(random, all)
    return text.slice(0, index) + by(found, random) + text.slice(index + found.length)
  }
}

/** What the issuer itself writes anew in a document that it sealed, before it signs and packs again. */
function byIssuer(change: (document: Json, random: SeededRandom) => boolean): Tampering {
  return async ({ files, isSample }, random) => {
    if (!isSample) return null
    const all = [...files].filter(([path]) => !seal.includes(path) && path !== 'README.txt')
    const [path, bytes] = pick(
      random,
      all.filter(([name]) => name.endsWith('evidence.json')),
    )
    const document = JSON.parse(Buffer.from(bytes).toString()) as Json
    if (!change(document, random)) return null
    const signed = signDocument(document as unknown as EvidenceDocument, issuer)
    return packOf(new Map(all).set(path, Buffer.from(JSON.stringify(signed))))
  }
}

const listAt = (of: Json, member: string) => of[member] as Json[]

/** Sets a member of one of a document's steps, cases or scores to another value. */
function setIn(list: string, members: readonly string[], value: (was: unknown) => unknown) {
  return byIssuer((document, random) => {
    const items = listAt(document, list)
    if (items.length === 0) return false
    const item = pick(random, items)
    const member = pick(random, members)
    item[member] = value(item[member])
    return true
  })
}

const later = (was: unknown) => new Date(Date.parse(String(was)) + 1).toISOString()
const longer = (was: unknown) => `${String(was)}!`

/** Another time stamp in the place of one: of another entry, cut, or with another signature, which is last in it. */
function otherStamp(was: string, others: readonly string[], random: SeededRandom): string {
  const bytes = Buffer.from(was, 'base64')
  const at = bytes.length - 1 - random.below(8)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
  return pick(random, [
    ...others.filter((each) => each !== was),
    bytes.subarray(0, at).toString('base64'),
    bytes.toString('base64'),
  ])
}

const stampIn = /(?<="timeStamp":")[^"]+/g

/** What is done to packs: by anybody to their bytes and members, and by the issuer to what it has sealed. */
export const tamperings: Readonly<Record<string, Tampering>> = {
  'a byte of the archive': ({ pack }, random) => {
    const changed = Uint8Array.from(pack)
    const at = random.below(changed.length)
    changed[at] = (changed[at] ?? 0) ^ (1 + random.below(255))
    return changed
  },
  'bytes put in or cut out of the archive': ({ pack }, random) => {
    const at = random.below(pack.length)
    const end = random.chance(0.5) ? at : Math.min(pack.length, at + 1 + random.below(40))
    const put = end > at ? new Uint8Array() : random.bytes(1 + random.below(40))
    return Buffer.concat([pack.subarray(0, at), put, pack.subarray(end)])
  },
  'another container of the same members': async ({ pack }, random) => {
    const zip = await openZip(fileOf(pack))
    await zip.close()
    const parts = partsOf(Buffer.from(pack), zip.entries)
    return pick(random, Object.values(containerForgeries))({ parts, time: zip.time, random })
  },
  'members of the pack': ({ files }, random) =>
    pick(random, Object.values(attacks))(new Map(files), random),
  'a digit': ofText(replaced(/\d/g, (digit) => String((Number(digit) + 1) % 10))),
  'a number in another spelling': ofText(
    replaced(/(?<=[:[,])-?\d+(?=[,}\]])/g, (number, random) =>
      pick(random, [`${number}.0`, `${number}e0`, `${number}0e-1`]),
    ),
  ),
  'a text in another spelling': ofText(
    replaced(/(?<=")[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
  'a member twice': ofText(
    replaced(/"[A-Za-z]+":(?:"[^"\\]*"|\d+)(?=[,}])/g, (found) => `${found},${found}`),
  ),
  'a member less': ofText(replaced(/"[A-Za-z]+":(?:"[^"\\]*"|\d+|null),/g, () => '')),
  'a time': ofText(replaced(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, later)),
  'a time stamp': ofText((text, random) =>
    replaced(stampIn, (was) => otherStamp(was, [], random))(text, random),
  ),
  'a hash': ofText(
    replaced(/[0-9a-f]{64}/g, (hash, random) => `${hash.slice(1)}${random.below(10)}`),
  ),
  'two signatures swapped': ofText((text) => {
    const [one, other] = [...text.matchAll(/"(?:sig|signature)":"([^"]*)"/g)].map(([, sig]) => sig)
    if (one === undefined || other === undefined || one === other) return null
    return text.replace(one, '\u0000').replace(other, one).replace('\u0000', other)
  }, /evidence\.json$|anchors\.jsonl$/),
  'lines in another order, doubled or left out': ofText((text, random) => {
    const lines = text.trimEnd().split('\n')
    if (lines.length < 2) return null
    const at = random.below(lines.length)
    const [line = ''] = lines.splice(at, 1)
    const put = pick<readonly string[]>(random, [[], [line, line]])
    lines.splice(random.below(lines.length + 1), 0, ...put)
    return `${lines.join('\n')}\n`
  }, /\.jsonl$/),
  'a byte order mark': ofText((text) => `\ufeff${text}`),
  'a seal from another pack': ({ files }) =>
    zipOf(new Map(files).set('manifest.sig', Buffer.from(`${'A'.repeat(86)}==`))),
  'by the issuer: a step': setIn(
    'steps',
    ['stepId', 'name', 'type', 'status', 'model', 'toolName', 'parentStepId'],
    longer,
  ),
  'by the issuer: a time': setIn('steps', ['startedAt', 'endedAt'], later),
  'by the issuer: tokens': setIn(
    'steps',
    ['inputTokens', 'outputTokens'],
    (was) => Number(was) + 1,
  ),
  'by the issuer: a score': setIn('scores', ['value'], (was) => Number(was) / 2),
  'by the issuer: a policy result': byIssuer((document, random) => {
    const results = listAt(document, 'policyResults')
    // What the service's rules find of a submission is in no leaf.
    const { leafSource } = document.integrity as Json
    if (results.length === 0 || leafSource === 'submitted') return false
    const result = pick(random, results)
    const member = pick(random, ['ruleId', 'ruleName', 'effect'])
    result[member] = longer(result[member])
    return true
  }),
  'by the issuer: a decision': setIn('reviewCases', ['decision'], (was) =>
    was === 'approved' ? 'rejected' : 'approved',
  ),
  'by the issuer: who decided, and what': setIn(
    'reviewCases',
    [
      'decidedBy',
      'reviewerComment',
      'presentation',
      'reasonCategory',
      'state',
      'presentationDigest',
    ],
    longer,
  ),
  'by the issuer: when it was decided': setIn('reviewCases', ['createdAt', 'closedAt'], later),
  'by the issuer: the session': byIssuer((document, random) => {
    const session = document.session as Json
    const member = pick(random, ['status', 'startedAt', 'endedAt', 'sessionId', 'origin'])
    session[member] = member.endsWith('At') ? later(session[member]) : longer(session[member])
    return true
  }),
  'by the issuer: sums': byIssuer((document, random) => {
    const session = document.session as Json
    const member = pick(random, [
      'stepCount',
      'errorCount',
      'inputTokens',
      'durationMs',
      'revision',
    ])
    session[member] = Number(session[member]) + 1
    return true
  }),
  'by the issuer: content': byIssuer((document, random) => {
    const step = pick(random, listAt(document, 'steps'))
    const payload = step.payload as Json | null
    if (payload === null) return false
    payload[pick(random, ['input', 'output', 'attributes'])] = pick<unknown>(random, ['x', 1, null])
    return true
  }),
  'by the issuer: the order, or a step twice or less': byIssuer((document, random) => {
    const steps = listAt(document, 'steps')
    const at = random.below(steps.length)
    const [step] = steps.splice(at, 1)
    const put = pick(random, [0, 1, 2])
    if (step) for (let n = 0; n < put; n++) steps.push(step)
    return put !== 1 || at !== steps.length - 1
  }),
  'by the issuer: a time stamp': async (subject, random) => {
    const { files, isSample, rootFile } = subject
    if (!isSample || rootFile === undefined) return null
    const members = new Map([...files].filter(([path]) => !seal.includes(path)))
    const paths = [...members.keys()].filter((path) => /\.tsr$|evidence\.json$/.test(path))
    const texts = [...files.values()].map((bytes) => Buffer.from(bytes).toString())
    const all = texts.flatMap((text) => text.match(stampIn) ?? [])
    const path = pick(random, paths)
    const bytes = Buffer.from(members.get(path) ?? [])
    if (path.endsWith('.tsr')) {
      const other = Buffer.from(otherStamp(bytes.toString('base64'), all, random), 'base64')
      return packOf(members.set(path, other))
    }
    const stamps = bytes.toString().match(stampIn)
    if (!stamps) return null
    const other = otherStamp(pick(random, stamps), all, random)
    const document = JSON.parse(replaced(stampIn, () => other)(bytes.toString(), random) ?? '')
    const signed = JSON.stringify(signDocument(document as EvidenceDocument, issuer))
    return packOf(members.set(path, Buffer.from(signed)))
  },
  'by the issuer: the seal': byIssuer((document, random) => {
    const integrity = document.integrity as Json
    // A redaction may have been, of a submission; a record has nothing to redact.
    if (integrity.leafSource === 'submitted') return false
    const merkle = integrity.merkle as Json
    pick(random, [
      () => Object.assign(integrity, { leafInput: null, leafInputStatus: 'redacted' }),
      () => Object.assign(integrity, { leafInput: null, leafInputStatus: 'not_sealed' }),
      () => Object.assign(integrity, { leafSource: 'submitted' }),
      () => Object.assign(integrity, { hashAlgorithm: 'sha256' }),
      () => Object.assign(merkle, { leafIndex: Number(merkle.leafIndex) + 1 }),
      () => Object.assign(merkle, { inclusionPath: [] }),
      () => Object.assign(merkle, { merkleRoot: 'ab'.repeat(32) }),
    ])()
    return true
  }),
}
