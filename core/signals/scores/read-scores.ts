import { isoTimeOrNull } from '../../ledger/iso-time.ts'
import { ok } from '../../ledger/refusal.ts'
import type { Scorer } from '../../ports/scorer.ts'
import type { SignalDeps } from '../deps.ts'
import { readOfApplication } from '../execute-on-application.ts'
import type { SignalUseCases } from '../use-cases.ts'
import { applicationScores } from './records.ts'

export function readScores(deps: SignalDeps, scorer: Scorer): SignalUseCases['readScores'] {
  return async (actor, applicationId) => {
    const found = await readOfApplication(deps, actor, applicationId, applicationScores)
    if (!found.ok) return found
    const row = found.value?.row
    return ok({
      scorer: row?.scorer ?? scorer.name,
      governance: row?.governance ?? null,
      components: row?.components ?? {},
      qualityMean: row?.qualityMean ?? null,
      sessions: row?.sessions ?? 0,
      computedAt: isoTimeOrNull(row?.computedAt ?? null),
    })
  }
}
