import { inSlices } from '../../base/json/in-slices.ts'
import { authorizeCustomerKey } from '../../kernel/callers/authorize.ts'
import { ok } from '../../kernel/ledger/refusal.ts'
import { signalReads, signalsFrom } from '../../policies/signals.ts'
import type { IngestDeps } from '../deps.ts'
import { exportAnswer } from '../otlp/partial-success.ts'
import { readExport } from '../otlp/read-export.ts'
import type { IngestStreams } from '../use-cases.ts'

/** Takes the body of an export: reads it in slices, by the application's ingest rules, then takes its spans. */
export function createAcceptExport(
  { ledger, sealer, pause }: Pick<IngestDeps, 'ledger' | 'sealer' | 'pause'>,
  acceptSpans: IngestStreams['acceptSpans'],
): IngestStreams['acceptExport'] {
  return async (actor, body, encoding) => {
    const allowed = authorizeCustomerKey(actor, 'sendSessions')
    if (!allowed.ok) return allowed
    const { tenantId, applicationId } = allowed.value
    const found = await ledger.read(tenantId, signalReads(tenantId, applicationId))
    const { spanRules } = signalsFrom(allowed.value, found, sealer)
    const read = await inSlices(readExport(body, spanRules, encoding), pause)
    if (!read.ok) return read
    const taken = await acceptSpans(actor, read.value)
    return taken.ok ? ok(exportAnswer(taken.value.rejected)) : taken
  }
}
