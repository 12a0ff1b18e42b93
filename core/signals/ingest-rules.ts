import { memberIdOf } from '../access/actor.ts'
import { isoTimeOrNull } from '../ledger/iso-time.ts'
import { commit } from '../ledger/ledger.ts'
import { put } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import { checkIngestRules } from './check-input.ts'
import type { SignalDeps } from './deps.ts'
import { executeOnApplication, readOfApplication } from './execute-on-application.ts'
import { type IngestRuleSet, ingestRuleSets } from './records.ts'
import type { SignalUseCases } from './use-cases.ts'
import type { IngestRulesView } from './view.ts'

export function readIngestRules(deps: SignalDeps): SignalUseCases['readIngestRules'] {
  return async (actor, applicationId) => {
    const found = await readOfApplication(deps, actor, applicationId, ingestRuleSets)
    return found.ok ? ok(rulesView(found.value?.row ?? null)) : found
  }
}

export function setIngestRules(deps: SignalDeps): SignalUseCases['setIngestRules'] {
  return (actor, applicationId, input) => {
    const errors = checkIngestRules(input)
    const asked = { actor, applicationId, collection: ingestRuleSets, errors }
    return executeOnApplication(deps, asked, ({ unit, tenantId, was, by, audited }) => {
      const set: IngestRuleSet = {
        tenantId,
        applicationId,
        sessionAttribute: input.sessionAttribute ?? null,
        subjectAttribute: input.subjectAttribute ?? null,
        dropAttributes: input.dropAttributes ?? [],
        updatedAt: unit.now,
        updatedBy: by,
      }
      const appends = [audited('ingest_rules.set', { dropped: set.dropAttributes.length })]
      return commit({ puts: [put(ingestRuleSets, set, was)], appends }, rulesView(set))
    })
  }
}

function rulesView(set: IngestRuleSet | null): IngestRulesView {
  return {
    sessionAttribute: set?.sessionAttribute ?? null,
    subjectAttribute: set?.subjectAttribute ?? null,
    dropAttributes: set?.dropAttributes ?? [],
    updatedAt: isoTimeOrNull(set?.updatedAt ?? null),
    updatedBy: set ? memberIdOf(set.updatedBy) : null,
  }
}
