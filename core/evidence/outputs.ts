import type { CallerSignal } from '../base/ports/secrets.ts'
import type { StepView } from '../content/view.ts'
import type { ErasureCertificate } from '../removal/erasure/records.ts'
import type {
  AccessReport,
  EvidenceCase,
  EvidenceDocument,
  EvidenceIntegrity,
  SessionCertificate,
} from './model.ts'

/** The printed beginning of a field of content. */
export interface PrintedField {
  readonly name: 'input' | 'output' | 'attributes' | 'presentation'
  readonly text: string
  /** The text itself; else its JSON. */
  readonly isText: boolean
  /** Characters that were cut off. */
  readonly missing: number
}

/** A step with the printed part of its content; null where nothing is printed. */
export type PrintedStep = Omit<StepView, 'payload'> & {
  readonly content: readonly PrintedField[] | null
}

/** A review case with the printed part of what its reviewer was shown; null after an erasure. */
export type PrintedCase = Omit<EvidenceCase, 'presentation'> & {
  readonly presentation: PrintedField | null
}

/**
 * What the printed form of a session's evidence shows: neither its signature nor the time of its export, so that a
 * session at rest prints the same, and neither the sealed record nor more of the content than is printed.
 */
export type PrintedEvidence = Omit<
  EvidenceDocument,
  'evidenceVersion' | 'generatedAt' | 'steps' | 'reviewCases' | 'integrity' | 'signatures'
> & {
  readonly steps: readonly PrintedStep[]
  readonly reviewCases: readonly PrintedCase[]
  readonly integrity: Omit<EvidenceIntegrity, 'leafInput' | 'leafInputStatus'>
}

/** A document that has a printed form. */
export type Printable =
  | { readonly kind: 'evidence'; readonly document: EvidenceDocument }
  | { readonly kind: 'printed-evidence'; readonly document: PrintedEvidence }
  | { readonly kind: 'session-certificate'; readonly document: SessionCertificate }
  | { readonly kind: 'erasure-certificate'; readonly document: ErasureCertificate }
  | { readonly kind: 'access-report'; readonly document: AccessReport }

/** Prints documents; the same document gives the same bytes. */
export interface DocumentRenderer {
  /**
   * The document as PDF, for a caller who waits for it. It is made when its turn comes, so that one alone is in memory.
   * Null when too many wait already, and for a caller who has left when the turn comes; who left takes no place in the
   * queue. Rejects after `close`, where the printing itself fails, and as the making of the document does.
   */
  pdf(make: () => Promise<Printable>, caller: CallerSignal): Promise<Uint8Array | null>
  /** For an archive, which has one document printed at a time: it waits behind any number. Rejects likewise. */
  pdf(printable: Printable): Promise<Uint8Array>
  close(): Promise<void>
}

/** Makes archives. */
export interface Archives {
  /** `createdAt`: time of its members, ms; the same members then give the same bytes. */
  create(options: { readonly createdAt: number }): Archive
}

/** A member's content, whole or in pieces. */
export type ArchiveContent = Uint8Array | AsyncIterable<Uint8Array>

/** An archive that is read while it is written, so that it is never whole in memory. */
export interface Archive {
  /** To be read once, from the start. Leaving it early aborts the archive; an abort ends it with an error. */
  readonly bytes: AsyncIterable<Uint8Array>
  /**
   * Adds a file, by a path with slashes. Resolves with its size and its hex SHA-256 when all of it is taken; pieces
   * are asked for no faster than `bytes` is read. Rejects when the archive is aborted, and throws a TypeError for a path that a
   * system could read otherwise (absolute, `..`, reserved, twice the same).
   */
  add(path: string, content: ArchiveContent): Promise<AddedFile>
  /** Size and hex SHA-256 of all bytes so far, headers included, once all files that were added are written. */
  written(): Promise<AddedFile>
  /**
   * Adds a file as it is, uncompressed; all before it must be written. Throws for a path as `add` does, and the reason of
   * an abort.
   */
  addStored(path: string, content: Uint8Array): void
  /** Writes the directory. Resolves when `bytes` ends. */
  finish(): Promise<void>
  /** Ends `bytes` and every `add` with an error. */
  abort(reason: Error): void
}

/** A file of an archive. */
export interface AddedFile {
  readonly bytes: number
  readonly sha256: string
}
