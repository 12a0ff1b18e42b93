import { applicationHealths } from './applications/health.ts'
import { applications } from './applications/records.ts'
import type { Collection, Log } from './base/ports/store.ts'
import { activityMinutes, occurrences } from './content/activity/records.ts'
import { awaitedSessions } from './content/awaited-records.ts'
import { erasureMarks } from './content/erasure-marks.ts'
import { bundles } from './content/payload-records.ts'
import { sessions, steps } from './content/records.ts'
import { anchors, batches, seals } from './content/seal-records.ts'
import { sessionAliases, traces } from './content/trace-records.ts'
import { erasedSubjects, subjectKeys, tenantKeys } from './content/vault/records.ts'
import { evidenceKeyRings } from './evidence/keys/records.ts'
import { evidencePackages, expiredPackages } from './evidence/packages/records.ts'
import { auditLog } from './kernel/ledger/audit.ts'
import { receipts } from './kernel/ledger/receipts.ts'
import { owedMails } from './kernel/mail/records.ts'
import { sealingRecords } from './kernel/sealing/records.ts'
import { workItems } from './kernel/work/records.ts'
import { issuerKeyRings } from './keys/records.ts'
import { keyRequests } from './keys/requests/records.ts'
import {
  endedSessions,
  failedTries,
  members,
  rosters,
  tenants,
} from './organizations/access/records.ts'
import { applicationKeys, customerKeys } from './organizations/api-keys/key-records.ts'
import { invitations } from './organizations/members/records.ts'
import { passwordResets } from './organizations/passwords/records.ts'
import { attempts, deliveries, messages } from './outbox/records.ts'
import { alertRules } from './policies/alerts/records.ts'
import { sessionFlags } from './policies/flags/records.ts'
import {
  ingestRuleSets,
  policyDemands,
  policyRuleSets,
  policyRuleVersions,
  redactionPolicySets,
} from './policies/records.ts'
import { applicationScores } from './policies/scores/records.ts'
import { sessionAnnotations, sessionReviews } from './policies/sessions/records.ts'
import {
  erasureRequests,
  holdBoards,
  legalHolds,
  owedOutcomes,
  removedSubjects,
} from './removal/erasure/records.ts'
import { purges } from './removal/lifecycle/records.ts'
import { outcomeKeys } from './review/outcome-keys.ts'
import { reviewCases } from './review/records.ts'
import { notificationChannels } from './webhooks/channels/records.ts'
import { routings, webhooks } from './webhooks/records.ts'

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
