import type { CallerSignal } from '../base/ports/secrets.ts'
import type { SessionOf } from '../content/view.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import type { ListQuery } from '../kernel/ledger/listing.ts'
import type { PartOf } from '../kernel/ledger/read-part.ts'
import type { Result } from '../kernel/ledger/refusal.ts'
import type { EvidenceKeySet } from './keys/evidence-keys.ts'
import type { EvidenceDocument, SessionCertificate } from './model.ts'

/** A file to be downloaded. */
export interface ExportedFile {
  /** Safe in every system. */
  readonly fileName: string
  readonly bytes: Uint8Array
}

/** A file that is made or read while it is taken; leaving early ends the making. */
export interface StreamedFile {
  readonly packageId: string
  /** Safe in every system. */
  readonly fileName: string
  readonly mediaType: string
  readonly pieces: AsyncGenerator<Uint8Array, void, undefined>
}

/** A package whose copy can be downloaded; times are ISO 8601 UTC. */
export interface PackageView {
  readonly packageId: string
  readonly packType: 'bulk' | 'auditor' | 'subject'
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  readonly sessionCount: number
  readonly createdAt: string
  readonly expiresAt: string
  readonly downloadUrl: string
  readonly applicationIds: readonly string[]
  /** A member's id. */
  readonly createdBy: string
}

/**
 * Evidence of what happened, signed by the tenant's evidence key. A session that has an alias answers to it too. Each
 * export of a session may refuse with `not_found`, `ambiguous_session` and `evidence_too_large`.
 */
export interface EvidenceUseCases {
  /** All that is known of a session, content in clear text; what was erased says so. Of running sessions too. */
  document(actor: Actor, sessionId: string, of?: SessionOf): Promise<Result<EvidenceDocument>>
  /** The structure of session and steps as CSV, without content. */
  csv(actor: Actor, sessionId: string, of?: SessionOf): Promise<Result<ExportedFile>>
  /**
   * The evidence document as PDF. Refuses with `unavailable` where the host prints nothing, and with `busy` while too many
   * documents wait to be printed. Once `caller` has left nothing is printed.
   */
  pdf(
    actor: Actor,
    sessionId: string,
    of?: SessionOf,
    caller?: CallerSignal,
  ): Promise<Result<ExportedFile>>
  /** The proof of a session's last seal, to be kept. Refuses with `plan_required`, `not_sealed`. */
  certificate(actor: Actor, sessionId: string, of?: SessionOf): Promise<Result<SessionCertificate>>
  /** The certificate as PDF. Refuses with `plan_required`, `not_sealed`, and as `pdf`. */
  certificatePdf(
    actor: Actor,
    sessionId: string,
    of?: SessionOf,
    caller?: CallerSignal,
  ): Promise<Result<ExportedFile>>
  /**
   * The signed certificate of a completed erasure as PDF. Refuses with `not_found`, also before it is completed, and as
   * `pdf`.
   */
  erasureCertificatePdf(
    actor: Actor,
    erasureRequestId: string,
    caller?: CallerSignal,
  ): Promise<Result<ExportedFile>>
  /**
   * An archive of the latest sessions of 1 to 20 applications; those that are not accessible are left out and counted.
   * The audit log has it before its first piece; its stream fails once the member is suspended or without the right.
   * When the archive was taken whole, a copy is kept for 7 days and `evidence_package.ready` is emitted; who leaves early
   * leaves none. Refuses with `plan_required`, `invalid_request`, and with `unavailable` where the host makes no archives.
   */
  bulkExport(
    actor: Actor,
    input: { readonly applicationIds: readonly string[] },
  ): Promise<Result<StreamedFile>>
  /**
   * An archive by which an auditor checks 1 to 20 applications: their policy rules in all versions, sessions, review
   * cases with their history, Merkle batches, and the organization's anchors, audit log, members, retention, holds and
   * keys. As for `bulkExport`, kept for 7 days.
   */
  auditorPack(
    actor: Actor,
    input: { readonly applicationIds: readonly string[] },
  ): Promise<Result<StreamedFile>>
  /**
   * An archive for a data subject, named by the id that the application gave or by its pseudonym: what is held of them and
   * why, their content, what was done with it. What is of others is left out. Kept for 24 hours, for admins alone.
   * Refuses with `invalid_request`, `not_found` for a subject of whom nothing is known, and with `unavailable` where the
   * host makes no archives.
   */
  subjectPack(
    actor: Actor,
    input: { readonly dataSubjectId: string },
  ): Promise<Result<StreamedFile>>
  /**
   * The report of a subject's archive alone, as PDF; nothing is kept of it but an entry of the audit log. Refuses as
   * `subjectPack` and `pdf`, and with `evidence_too_large` for a session of more rows than one report takes.
   */
  subjectReport(
    actor: Actor,
    input: { readonly dataSubjectId: string },
    caller?: CallerSignal,
  ): Promise<Result<ExportedFile>>
  /** Packages, the newest first; those of data subjects for admins alone. Refuses with `invalid_request`. */
  listPackages<Query extends ListQuery>(
    actor: Actor,
    query: Query,
  ): Promise<Result<PartOf<Query, PackageView>>>
  /** Refuses with `not_found`. */
  readPackage(actor: Actor, packageId: string): Promise<Result<PackageView>>
  /** The package's copy. Refuses with `not_found` and `package_expired`. */
  downloadPackage(actor: Actor, packageId: string): Promise<Result<StreamedFile>>
  /**
   * The tenant's public evidence keys as a JWK set; needs no actor. Refuses with `not_found` for a tenant that has
   * signed nothing.
   */
  keySet(tenantId: string): Promise<Result<EvidenceKeySet>>
}
