import type { ReadExport, RejectionReason } from '../content/span.ts'
import type {
  AnchorView,
  BatchView,
  ProofView,
  SessionFilter,
  SessionOf,
  SessionView,
  StepView,
  UsageView,
} from '../content/view.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import type { Listing, ListQuery, ScannedListing } from '../kernel/ledger/listing.ts'
import type { PartOf } from '../kernel/ledger/read-part.ts'
import type { Result } from '../kernel/ledger/refusal.ts'
import type { ExportAnswer } from './otlp/partial-success.ts'
import type { Submission } from './submission/submitted.ts'

/** What became of an export. */
export interface ExportOutcome {
  /** Spans that are stored now, those that were before included. */
  readonly accepted: number
  readonly rejected: Readonly<Partial<Record<RejectionReason, number>>>
}

/** Sessions as they come and are read. Each may refuse as `Service` says besides. */
export interface IngestUseCases {
  /**
   * Takes an export as OTLP/HTTP sends it in JSON, inflated, by a customer key; answers what the exporter is told. The
   * body is read in slices. Refuses what `acceptSpans` refuses, and with `invalid_request` what is no such export.
   */
  acceptExport(actor: Actor, body: Uint8Array): Promise<Result<ExportAnswer>>
  /**
   * Takes the spans of an export, by a customer key; a repeat changes nothing. Refuses with `quota_exceeded` where
   * nothing could be taken. What was taken before a refusal is stored; the export may be sent again.
   */
  acceptSpans(actor: Actor, read: ReadExport): Promise<Result<ExportOutcome>>
  /**
   * Takes a batch of whole sessions, by a customer key, all or none; a repeat answers with the batch as it was. Refuses
   * with `invalid_request`, `merkle_root_mismatch` (`facts` has `expected` and `computed`), `session_conflict`,
   * `idempotency_conflict` and `quota_exceeded`.
   */
  submit(actor: Actor, submission: Submission): Promise<Result<BatchView>>
  /**
   * Takes a submission as its JSON text, inflated, which is read in slices. Refuses what `submit` refuses, and with
   * `invalid_request` what is no such text.
   */
  acceptSubmission(actor: Actor, body: Uint8Array): Promise<Result<BatchView>>
  /** The batch of a submission, or of seals, of the key's application. Refuses with `not_found`. */
  readBatch(actor: Actor, batchId: string): Promise<Result<BatchView>>
  /** What the key and its organization have used. */
  readUsage(actor: Actor): Promise<Result<UsageView>>
  /** The tenant's sessions, by start, the latest first; rows are read as they are asked for. Refuses with `invalid_request`. */
  listSessions(
    actor: Actor,
    filter: SessionFilter,
    query: ListQuery,
  ): Promise<Result<ScannedListing<SessionView>>>
  /** One session, with its metadata. Refuses with `not_found`, `ambiguous_session`. */
  readSession(actor: Actor, sessionId: string, of?: SessionOf): Promise<Result<SessionView>>
  /** A session's steps in order, without content. Refuses with `not_found`, `ambiguous_session`, `invalid_request`. */
  listSteps(
    actor: Actor,
    sessionId: string,
    query: ListQuery,
    of?: SessionOf,
  ): Promise<Result<Listing<StepView>>>
  /** One step with its content. Refuses with `not_found`, `ambiguous_session`. */
  readStep(
    actor: Actor,
    sessionId: string,
    stepId: string,
    of?: SessionOf,
  ): Promise<Result<StepView>>
  /** Where the session stands in a sealed batch. Refuses with `not_found`, `ambiguous_session`, `not_sealed`. */
  readProof(actor: Actor, sessionId: string, of?: SessionOf): Promise<Result<ProofView>>
  /** The tenant's anchor ledger, the latest entry first. Refuses with `invalid_request`. */
  listAnchors<Query extends ListQuery>(
    actor: Actor,
    query: Query,
  ): Promise<Result<PartOf<Query, AnchorView>>>
}
