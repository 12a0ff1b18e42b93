import type { CallerSignal } from '../base/ports/secrets.ts'
import type { NamedSession } from '../content/view.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import { evidenceLimits, longest } from '../kernel/ledger/limits.ts'
import type { Result } from '../kernel/ledger/refusal.ts'
import { listOf } from '../kernel/members.ts'
import { flag, type InsOf, line } from '../kernel/shape.ts'
import { optional } from '../kernel/wrap.ts'
import type { EvidenceDocument, SessionCertificate } from './model.ts'

/** A file to be downloaded. */
export interface ExportedFile {
  /** Valid as a file name on every operating system. */
  readonly fileName: string
  readonly bytes: Uint8Array
}

/** A file that is streamed while it is made or read; a reader that stops early ends the making. */
export interface StreamedFile {
  readonly packageId: string
  /** Valid as a file name on every operating system. */
  readonly fileName: string
  readonly mediaType: string
  readonly pieces: AsyncGenerator<Uint8Array, void, undefined>
}

/** Names a session; one that has an alias answers to it too. */
export interface SessionInput extends NamedSession {}

/** How a CSV begins. */
export const csvForm = {
  /** Whether with a byte order mark; without one unless given. */
  bom: optional(flag),
}

/** 1 to 20 applications; doubles count once. */
export const exportedApplications = {
  applicationIds: listOf(line(longest.id), {
    least: 1,
    most: 5 * evidenceLimits.applicationsPerExport,
  }),
}
/** 1 to 20 applications; doubles count once. */
export interface ApplicationIds extends InsOf<typeof exportedApplications> {}

/** A data subject, named by the id that the application gave or by its pseudonym. */
export const exportedSubject = { dataSubjectId: line(longest.id) }
/** A data subject, named by the id that the application gave or by its pseudonym. */
export interface SubjectInput extends InsOf<typeof exportedSubject> {}

/**
 * Evidence of what happened, signed by the tenant's evidence key. Each export of a session may refuse with `not_found`,
 * `ambiguous_session` and `evidence_too_large`, and each PDF with `unavailable` where the host prints nothing and with
 * `busy` while too many documents wait to be printed. Once `caller` has left nothing is printed.
 */
export interface EvidenceExports {
  /** All that is known of a session, running ones included, with content in clear text; erased content is marked so. */
  read(actor: Actor, input: SessionInput): Promise<Result<EvidenceDocument>>
  /** The structure of session and steps as CSV, without content. */
  csv(actor: Actor, input: SessionInput & InsOf<typeof csvForm>): Promise<Result<ExportedFile>>
  /** The evidence document as PDF. */
  pack(actor: Actor, input: SessionInput, caller?: CallerSignal): Promise<Result<ExportedFile>>
  /** The proof of a session's last seal, to be kept. Refuses with `plan_required`, `not_sealed`. */
  certificate(actor: Actor, input: SessionInput): Promise<Result<SessionCertificate>>
  /** The certificate as PDF. Refuses as `certificate`. */
  certificatePdf(
    actor: Actor,
    input: SessionInput,
    caller?: CallerSignal,
  ): Promise<Result<ExportedFile>>
  /** The signed certificate of a completed erasure as PDF. Refuses with `not_found`, also before it is completed. */
  erasureCertificatePdf(
    actor: Actor,
    input: { readonly erasureRequestId: string },
    caller?: CallerSignal,
  ): Promise<Result<ExportedFile>>
}

/**
 * Exports as archives, and downloads of the copies that are kept of them. An export is in the audit log before its
 * first piece; its stream fails once the member is suspended or loses the right. When the stream was read to its end,
 * a copy is kept and `evidence_package.ready` is emitted; a reader that stops early leaves no copy. Each export may
 * refuse with `invalid_request`, and with `unavailable` where the host makes no archives.
 */
export interface PackageExports {
  /**
   * The latest sessions of applications; those that are not accessible are left out and counted. Kept for 7 days. Refuses
   * with `plan_required`.
   */
  exportBulk(actor: Actor, input: ApplicationIds): Promise<Result<StreamedFile>>
  /**
   * What an auditor checks applications by: their policy rules in all versions, sessions, review cases with their history,
   * Merkle batches, and the organization's anchors, audit log, members, retention, holds and keys. Kept for 7 days.
   * Refuses with `plan_required`.
   */
  exportAuditor(actor: Actor, input: ApplicationIds): Promise<Result<StreamedFile>>
  /**
   * Which data is held of a data subject and why, their content, and what was done with it; data of other people is
   * left out. Kept for 24 hours, for admins alone. Refuses with `not_found` for a subject of whom nothing is known.
   */
  exportSubject(actor: Actor, input: SubjectInput): Promise<Result<StreamedFile>>
  /**
   * The report of a subject's archive alone, as PDF; nothing is kept of it but an entry of the audit log. Refuses as
   * `exportSubject`, as a PDF of a session, and with `evidence_too_large` for a session of more rows than one report takes.
   */
  subjectReport(
    actor: Actor,
    input: SubjectInput,
    caller?: CallerSignal,
  ): Promise<Result<ExportedFile>>
  /** A package's copy. Refuses with `not_found` and `package_expired`. */
  download(actor: Actor, input: { readonly packageId: string }): Promise<Result<StreamedFile>>
}
