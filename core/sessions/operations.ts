import type { Clock } from '../base/ports/clock.ts'
import { anchors, batches } from '../content/seal-records.ts'
import { anchorShape, batchShape, usageShape } from '../content/view.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { longest, usualRatePerMinute } from '../kernel/ledger/limits.ts'
import { rowsBy } from '../kernel/list.ts'
import { list, operationsWith } from '../kernel/operation.ts'
import { line } from '../kernel/shape.ts'
import { listSessions } from './list-sessions.ts'
import { anchorView, batchView } from './present.ts'
import { readQuota } from './quota.ts'
import { listSteps, proveSession, readSession, readStep } from './read-sessions.ts'
import { proveCase } from './seal/prove-case.ts'

const { reading } = operationsWith<{ readonly clock: Clock }>()

/** The batch of a submission, or of seals, of the key's application. */
export const readBatch = reading({
  name: 'ingest.readBatch',
  doc: 'Read the answer to a submission again',
  by: 'customerKey',
  right: 'readIngest',
  takes: { batchId: line(longest.id) },
  gives: batchShape,
  refuses: ['not_found'],
  async run(lookup, { batchId }) {
    const { tenantId, applicationId } = lookup.by
    const { batch } = await lookup.ask({ batch: batches.get(tenantId, applicationId, batchId) })
    return batch ? batchView(batch.row) : lookup.refuse('not_found', 'no such batch')
  },
})

/** What a customer key and its organization have used. */
export const readUsage = reading({
  name: 'ingest.usage',
  doc: 'Read what the key has used of its limits',
  by: 'customerKey',
  right: 'readIngest',
  takes: {},
  gives: usageShape,
  refuses: [],
  async run({ by, read, tools }) {
    const quota = await readQuota(read, by.tenantId, tools.clock.now())
    return {
      applicationId: by.applicationId,
      keyId: by.keyId,
      type: by.type,
      ratePerMinute: by.ratePerMinute ?? usualRatePerMinute,
      sessionsUsed: quota.used,
      sessionsPerMonth: quota.limit,
      periodEnd: isoTime(quota.periodEnd),
    }
  },
})

/** The tenant's anchor ledger, the latest entry first. */
export const listAnchors = list({
  name: 'anchors.list',
  doc: 'List the entries of the anchor ledger, the latest first',
  right: 'readSessions',
  filter: {},
  items: 'anchors',
  item: anchorShape,
  refuses: [],
  source: ({ by }) =>
    rowsBy(anchors, {
      by: 'key',
      where: { tenantId: by.tenantId },
      cursor: 'sequence',
      newest: true,
      show: (row) => anchorView({ nonce: null, commitment: row.commitment }, row),
    }),
})

/** What members read of sessions. */
export const sessionOperations = [
  listSessions,
  readSession,
  listSteps,
  readStep,
  proveSession,
] as const
/** What is read of the seals of review cases. */
export const caseSealOperations = [proveCase] as const
/** Of the anchor ledger. */
export const anchorOperations = [listAnchors] as const
/** What backends ask for with a customer key. */
export const ingestOperations = [readBatch, readUsage] as const
