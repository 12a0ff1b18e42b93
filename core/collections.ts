import { applicationKeys, customerKeys } from './access/key-records.ts'
import { invitations } from './access/membership/records.ts'
import { passwordResets } from './access/passwords/records.ts'
import { endedSessions, failedTries, members, rosters, tenants } from './access/records.ts'
import { activityMinutes, occurrences } from './activity/records.ts'
import { applicationHealths } from './applications/health.ts'
import { applications } from './applications/records.ts'
import { notificationChannels } from './channels/records.ts'
import {
  erasureRequests,
  holdBoards,
  legalHolds,
  owedOutcomes,
  removedSubjects,
} from './erasure/records.ts'
import { evidenceKeyRings } from './evidence/keys/records.ts'
import { evidencePackages, expiredPackages } from './evidence/packages/records.ts'
import { keyRequests } from './key-requests/records.ts'
import { issuerKeyRings } from './keys/records.ts'
import { auditLog } from './ledger/audit.ts'
import { receipts } from './ledger/receipts.ts'
import { purges } from './lifecycle/records.ts'
import { owedMails } from './mail/records.ts'
import { attempts, deliveries, messages } from './outbox/records.ts'
import type { Collection, Log } from './ports/store.ts'
import { erasedSubjects, subjectKeys, tenantKeys } from './privacy/records.ts'
import { outcomeKeys } from './review/outcome-keys.ts'
import { reviewCases } from './review/records.ts'
import { sealingRecords } from './sealing/records.ts'
import { awaitedSessions } from './sessions/awaited-records.ts'
import { erasureMarks } from './sessions/erasure-marks.ts'
import { bundles } from './sessions/payload-records.ts'
import { sessions, steps } from './sessions/records.ts'
import { anchors, batches, seals } from './sessions/seal-records.ts'
import { sessionAliases, traces } from './sessions/trace-records.ts'
import { alertRules } from './signals/alerts/records.ts'
import { sessionFlags } from './signals/flags/records.ts'
import {
  ingestRuleSets,
  policyDemands,
  policyRuleSets,
  policyRuleVersions,
  redactionPolicySets,
} from './signals/records.ts'
import { applicationScores } from './signals/scores/records.ts'
import { sessionAnnotations, sessionReviews } from './signals/sessions/records.ts'
import { routings, webhooks } from './webhooks/records.ts'
import { workItems } from './work/records.ts'

/** Every room's collections, for the store that is to hold them. */
export const collections: readonly Collection<never>[] = [
  tenants,
  members,
  endedSessions,
  rosters,
  invitations,
  passwordResets,
  failedTries,
  owedMails,
  applications,
  applicationHealths,
  applicationKeys,
  customerKeys,
  issuerKeyRings,
  receipts,
  reviewCases,
  outcomeKeys,
  webhooks,
  routings,
  messages,
  deliveries,
  attempts,
  workItems,
  sealingRecords,
  tenantKeys,
  subjectKeys,
  erasedSubjects,
  sessions,
  steps,
  traces,
  sessionAliases,
  awaitedSessions,
  bundles,
  batches,
  seals,
  anchors,
  evidenceKeyRings,
  evidencePackages,
  expiredPackages,
  policyRuleSets,
  policyRuleVersions,
  policyDemands,
  redactionPolicySets,
  ingestRuleSets,
  sessionFlags,
  applicationScores,
  sessionAnnotations,
  sessionReviews,
  alertRules,
  notificationChannels,
  activityMinutes,
  occurrences,
  legalHolds,
  holdBoards,
  removedSubjects,
  erasureRequests,
  erasureMarks,
  owedOutcomes,
  purges,
  keyRequests,
]

/** Every append-only log of the service. */
export const logs: readonly Log[] = [auditLog]
