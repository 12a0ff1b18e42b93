import { existingApplication, takingData } from '../applications/load.ts'
import { object, showAll } from '../kernel/members.ts'
import { command, reading } from '../kernel/operation.ts'
import {
  ingestDefinition,
  ingestRuleSets,
  neverSaved,
  ofApplication,
  savedIn,
  shownIngestRules,
} from './records.ts'

const gives = object(shownIngestRules, 'IngestRules')
const none = { sessionAttribute: null, subjectAttribute: null, dropAttributes: [], ...neverSaved }

/** The ingest rules in force. */
export const readIngestRules = reading({
  name: 'ingestRules.read',
  doc: 'Read the ingest rules of an application',
  right: 'readPolicies',
  takes: ofApplication,
  gives,
  refuses: ['not_found'],
  async run({ ask, by: { tenantId } }, { applicationId }) {
    const { set } = await ask({
      application: existingApplication(tenantId, applicationId),
      set: ingestRuleSets.get(tenantId, applicationId),
    })
    return showAll(shownIngestRules, set?.row ?? none)
  },
})

/** Replaces the ingest rules. */
export const setIngestRules = command({
  name: 'ingestRules.set',
  doc: 'Replace the ingest rules: which attributes name session and subject, and which are dropped',
  right: 'managePolicies',
  takes: { ...ofApplication, ...ingestDefinition },
  gives,
  refuses: ['not_found', 'application_gone'],
  async run(unit, { applicationId, ...rules }) {
    const { tenantId } = unit.by
    const { was } = await unit.ask({
      application: takingData(tenantId, applicationId),
      was: ingestRuleSets.get(tenantId, applicationId),
    })
    const set = { tenantId, applicationId, ...rules, ...savedIn(unit) }
    unit.put(ingestRuleSets, set, was)
    unit.audit('ingest_rules.set', applicationId, { dropped: set.dropAttributes.length })
    return showAll(shownIngestRules, set)
  },
})

/** Ingest rules (interface, Portal host). */
export const ingestRuleOperations = [readIngestRules, setIngestRules] as const
