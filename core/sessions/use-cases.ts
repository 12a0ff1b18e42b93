import type { ReadExport, RejectionReason } from '../content/span.ts'
import type { BatchView } from '../content/view.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import type { Result } from '../kernel/ledger/refusal.ts'
import type { ExportEncoding } from './otlp/export-document.ts'
import type { ExportAnswer } from './otlp/partial-success.ts'
import type { Submission } from './submission/submitted.ts'

/** What became of an export. */
export interface ExportOutcome {
  /** Spans that are stored now, those that were before included. */
  readonly accepted: number
  readonly rejected: Readonly<Partial<Record<RejectionReason, number>>>
}

/** Sessions as they come. Each may refuse as `Service` says besides. */
export interface IngestStreams {
  /**
   * Takes an export of a customer key, the inflated body of OTLP/HTTP in this encoding (default `json`), and answers as
   * OTLP does. The body is read in slices. Refuses as `acceptSpans` does, and any other body with `invalid_request`.
   */
  acceptExport(
    actor: Actor,
    body: Uint8Array,
    encoding?: ExportEncoding,
  ): Promise<Result<ExportAnswer>>
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
   * Takes a submission as its inflated JSON text, which is read in slices. Refuses as `submit` does, and any other text
   * with `invalid_request`.
   */
  acceptSubmission(actor: Actor, body: Uint8Array): Promise<Result<BatchView>>
}
