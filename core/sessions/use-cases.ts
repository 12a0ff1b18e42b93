import type { ReadExport, RejectionReason } from '../content/span.ts'
import type { BatchView } from '../content/view.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import type { Result } from '../kernel/ledger/refusal.ts'
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
}
