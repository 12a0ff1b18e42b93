import type { ActiveCheck } from './applications/check-active.ts'
import type { WholeCustomerKeys } from './applications/customer-keys.ts'
import type { TenantKeyWork } from './content/vault/operations.ts'
import type { EvidenceExports, PackageExports } from './evidence/exports.ts'
import type {
  CursorQuery,
  Listing,
  ListQuery,
  Pieces,
  ScannedListing,
} from './kernel/ledger/listing.ts'
import type { Page, PageQuery } from './kernel/ledger/page.ts'
import type { PartOf, Rows } from './kernel/ledger/read-part.ts'
import type { MasterKey } from './kernel/sealing/master-key.ts'
import type { AccessUseCases } from './organizations/access/use-cases.ts'
import type { OperationGroups } from './rooms.ts'
import type { IngestStreams } from './sessions/use-cases.ts'
import type { WebhookUseCases } from './webhooks/written.ts'

export type {
  AccessUseCases,
  CursorQuery,
  EvidenceExports,
  IngestStreams,
  Listing,
  ListQuery,
  PackageExports,
  Page,
  PageQuery,
  PartOf,
  Pieces,
  Rows,
  ScannedListing,
  TenantKeyWork,
  WebhookUseCases,
}

/**
 * The service as an embedder uses it. Authorization lives behind these calls. A call with an actor may refuse with
 * `forbidden`, `sandbox_read_only`, `authentication_required` (the member or key was revoked since), for an
 * application `application_gone`, and each command with `busy`; each call documents its other codes. Times go
 * in as ms since the epoch and come out as ISO 8601 UTC. A call rejects with a `StoreError` when the store fails.
 */
export interface Service extends OperationGroups {
  readonly access: AccessUseCases
  readonly applications: OperationGroups['applications'] & ActiveCheck
  readonly customerKeys: OperationGroups['customerKeys'] & WholeCustomerKeys
  readonly webhooks: WebhookUseCases
  readonly ingest: OperationGroups['ingest'] & IngestStreams
  readonly evidence: EvidenceExports
  readonly evidencePackages: OperationGroups['evidencePackages'] & PackageExports
  /** For the operator alone. */
  readonly tenantKeys: OperationGroups['tenantKeys'] & TenantKeyWork
  /** For the host alone, at its start. */
  readonly masterKey: MasterKey
  /** Starts the dispatcher and the runner of due work. */
  start(): void
  /** Takes nothing new, lets what is in flight end (at most `withinMs`), and gives back what is leased. */
  drain(withinMs: number): Promise<void>
  /**
   * Drains (12 s unless given), then ends what the ports hold, by their own `close`. Ports of `nodePorts` close their
   * connections, threads and the store, after which the process can end. For other ports that is their owner's task.
   */
  close(options?: { readonly withinMs?: number }): Promise<void>
}
