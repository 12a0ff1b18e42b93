import { applicationHealths, healthOf } from '../../applications/health.ts'
import { applicationView } from '../../applications/present.ts'
import type { Application } from '../../applications/records.ts'
import type { Where } from '../../base/ports/store.ts'
import { batches } from '../../content/seal-records.ts'
import { memberIdOf } from '../../kernel/callers/actor.ts'
import { isoTimeOrNull } from '../../kernel/ledger/iso-time.ts'
import { type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { policyRuleSets, policyRuleVersions } from '../../policies/records.ts'
import { plainRule } from '../../policies/rules/save-rules.ts'
import { casePiece } from '../../removal/erasure/erase-cases.ts'
import { reviewCases } from '../../review/records.ts'
import type { CaseHost } from '../assemble/document.ts'
import type { PackMember } from '../pack.ts'
import { flat, mapped } from '../packages/items.ts'
import type { LogEnd } from '../packages/order.ts'
import { csvPieces, linePieces, objectPieces } from '../packages/text-pieces.ts'
import { caseLines } from './case-lines.ts'
import { batchLine, caseEvents, ruleVersion } from './lines.ts'
import { sessionColumns } from './session-columns.ts'
import { sessionIndex } from './session-index.ts'

/** Batches of one read; each holds up to 500 leaves. */
const batchPiece = 20

const utf8 = new TextEncoder()

/** What an auditor is given of one application. */
export async function* applicationMembers(
  reader: Reader,
  application: Application,
  {
    host,
    onSession,
    onHead,
  }: {
    readonly host: CaseHost
    readonly onSession: () => void
    /** Takes the end of the audit log that a batch commits to. */
    readonly onHead: (head: LogEnd) => void
  },
): AsyncGenerator<PackMember, void, undefined> {
  const { tenantId, applicationId } = application
  const folder = `applications/${applicationId}`
  const owned: Where = [
    ['tenantId', '=', tenantId],
    ['applicationId', '=', applicationId],
  ]
  const ofApplication: Where = [['applicationId', '=', applicationId]]
  const cases = () =>
    rowsOf(reader, reviewCases, { where: ofApplication, by: 'byApplication', take: casePiece })
  const [foundRules, foundHealth] = await reader.read([
    get(policyRuleSets, [tenantId, applicationId]),
    healthOf(tenantId, applicationId),
  ])
  const rules = one(policyRuleSets, foundRules)?.row ?? null
  const health = one(applicationHealths, foundHealth)?.row ?? null

  yield {
    path: `${folder}/application.json`,
    mediaType: 'application/json',
    content: utf8.encode(JSON.stringify(applicationView(application, null, health))),
  }
  yield {
    path: `${folder}/policy-rules.json`,
    mediaType: 'application/json',
    content: objectPieces(
      {
        applicationId,
        ruleSetVersion: rules?.ruleSetVersion ?? 0,
        updatedAt: isoTimeOrNull(rules?.updatedAt ?? null),
        updatedBy: rules ? memberIdOf(rules.updatedBy) : null,
        rules: rules?.rules.map(plainRule) ?? [],
      },
      { versions: mapped(rowsOf(reader, policyRuleVersions, { where: owned }), ruleVersion) },
    ),
  }
  yield {
    path: `${folder}/sessions.csv`,
    mediaType: 'text/csv',
    content: csvPieces(sessionColumns, sessionIndex(reader, owned, onSession)),
  }
  yield {
    path: `${folder}/review-cases.jsonl`,
    mediaType: 'application/x-ndjson',
    content: linePieces(caseLines(reader, application, host)),
  }
  yield {
    path: `${folder}/review-events.jsonl`,
    mediaType: 'application/x-ndjson',
    content: linePieces(flat(cases(), caseEvents)),
  }
  yield {
    path: `${folder}/batches.jsonl`,
    mediaType: 'application/x-ndjson',
    content: linePieces(
      mapped(rowsOf(reader, batches, { where: owned, take: batchPiece }), (batch) => {
        for (const leaf of batch.leaves) if ('position' in leaf) onHead(leaf)
        return batchLine(batch)
      }),
    ),
  }
}
