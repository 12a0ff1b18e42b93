import {
  applicationOf,
  type EvidenceKeys,
  type Finding,
  isAtHome,
  type KnownEvidence,
  kindOfDocument,
  type ReviewerKeys,
  type SharedRows,
  type StampSink,
  subjectDocuments,
} from '@countersign/core/evidence'
import { isObject } from './json.ts'
import { createStampFiles, isStampFile } from './stamp-files.ts'
import { readText, textOf, verifyText } from './text.ts'

/** Lists in JSON that only the manifest speaks for, and that may be of any size. */
const listsAlone =
  /(?:^|\/)(?:sessions|processing-log|policy-rules|erasures-and-holds|retention-and-holds)\.json$/

const sessionCsv = /^applications\/[^/]+\/sessions\/[^/]+\/session\.csv$/

/** Whether a member is read whole: signed documents, the ledger, time stamps, and what is compared with them. */
export function isKept(name: string): boolean {
  const isDocument = subjectDocuments.has(name) || !listsAlone.test(name)
  return (
    (name.endsWith('.json') && isDocument) ||
    name === 'anchors.jsonl' ||
    isStampFile(name) ||
    sessionCsv.test(name)
  )
}

/** What members that are read whole are checked with. */
export interface MembersGiven {
  readonly keys: EvidenceKeys
  readonly known: KnownEvidence | null
  readonly stamps: StampSink | null
  readonly reviewers: ReviewerKeys | null
  /** Whose pack it is, as its manifest says. */
  readonly tenantId: unknown
  readonly rows: SharedRows
}

/** Members of a pack that are read whole. */
export interface Members {
  /** Parsed members of a subject's pack, by path. */
  readonly documents: ReadonlyMap<string, unknown>
  /** The text of the ledger; null without one. */
  anchors(): string | null
  /** Checks a member; null for one that is too large to be looked into. */
  check(name: string, content: Uint8Array | null): readonly Finding[]
}

const wrong = (detail: string): Finding => {
  return { result: 'failed', check: 'form', about: 'document', detail }
}

/** Checks the members of one pack, in its order. */
export function createMembers({ keys, rows, tenantId, ...witnesses }: MembersGiven): Members {
  const stampFiles = createStampFiles()
  const documents = new Map<string, unknown>()
  let anchors: string | null = null

  function take(name: string, document: unknown): readonly Finding[] {
    if (name === 'anchors.jsonl') {
      const entries: readonly unknown[] = Array.isArray(document) ? document : [document]
      for (const entry of entries) if (isObject(entry)) rows.entry(entry)
      if (entries.length > 0 && kindOfDocument(entries) !== 'anchor-ledger')
        return [wrong('Expected entries of the ledger, and nothing else.')]
    }
    if (subjectDocuments.has(name)) documents.set(name, document)
    if (kindOfDocument(document) !== 'evidence' || !isObject(document))
      return /(?:^|\/)evidence\.json$/.test(name) ? [wrong('It is no evidence document.')] : []
    rows.evidence(name, document)
    if (applicationOf(name) === null || isAtHome(document, name, tenantId)) return []
    return [wrong('It is of another organization, application or session than its folder.')]
  }

  return {
    documents,
    anchors: () => anchors,
    check(name, content) {
      if (content === null) {
        if (subjectDocuments.has(name)) documents.set(name, undefined)
        const detail = 'It is too large to be looked into.'
        return [{ result: 'unchecked', check: 'form', about: 'document', detail }]
      }
      if (isStampFile(name)) return [stampFiles.check(name, content)]
      const text = textOf(content)
      if (sessionCsv.test(name)) {
        rows.sessionCsv(name, text)
        return []
      }
      if (text !== null) stampFiles.see(name, text)
      const read = readText(text, name.endsWith('.jsonl'))
      if (name === 'anchors.jsonl') anchors = read.document === null ? '' : text
      const found = verifyText(read, keys, { isCovered: true, ...witnesses })
      return [...found, ...take(name, read.document)]
    },
  }
}
