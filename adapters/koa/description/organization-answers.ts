import {
  invitationStatuses,
  memberStatuses,
  permissions,
  planNames,
  roles,
} from '@countersign/core/access'
import * as z from 'zod'
import { count, cursor, hash, paging, position, time } from './answer-parts.ts'
import { memberAnswer } from './answers.ts'

const rights = { role: z.enum(roles), permissions: z.array(z.enum(permissions)) }

export const memberRecordAnswer = z.strictObject({
  memberId: z.string(),
  name: z.string().nullable(),
  email: z.string(),
  ...rights,
  status: z.enum(memberStatuses),
  addedAt: time,
  invitation: z.strictObject({ invitationId: z.string(), expiresAt: time }).nullable(),
})

export const membersAnswer = z.union([
  z.strictObject({ members: z.array(memberRecordAnswer), ...paging }),
  z.strictObject({ rows: z.array(memberRecordAnswer), ...cursor }),
])

export const invitationAnswer = z.strictObject({
  invitationId: z.string(),
  memberId: z.string(),
  email: z.string(),
  ...rights,
  status: z.enum(invitationStatuses),
  invitedBy: z.string(),
  createdAt: time,
  expiresAt: time,
  acceptUrl: z.string().nullable(),
})

export const invitationsAnswer = z.union([
  z.strictObject({ invitations: z.array(invitationAnswer), ...paging }),
  z.strictObject({ rows: z.array(invitationAnswer), ...cursor }),
])

export const acceptedAnswer = z.strictObject({ member: memberAnswer, tenantId: z.string() })

export const resetRequestedAnswer = z.strictObject({ requested: z.literal(true) })

export const profileAnswer = z.strictObject({
  organizationName: z.string(),
  contactEmail: z.string(),
  country: z.string().nullable(),
  timezone: z.string().nullable(),
  updatedAt: time,
})

export const entitlementsAnswer = z.strictObject({
  plan: z.enum(planNames),
  retentionDays: count,
  sessionsPerMonth: count.nullable(),
  sessionsUsed: count,
  periodStart: time,
  periodEnd: time,
  features: z.strictObject({
    sessionEvidence: z.boolean(),
    subjectPack: z.boolean(),
    reviewCases: z.boolean(),
    webhooks: z.boolean(),
    alertRules: z.boolean(),
    bulkExport: z.boolean(),
    auditorPack: z.boolean(),
    blockchainCertificate: z.boolean(),
    notificationChannels: z.boolean(),
    customRetention: z.boolean(),
  }),
  notes: z.array(z.string()),
})

export const auditEntryAnswer = z.strictObject({
  position,
  at: time,
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  previousHash: hash,
  hash,
})

const scannedTo = position.nullable()

export const auditLogAnswer = z.union([
  z.strictObject({ entries: z.array(auditEntryAnswer), ...paging, scannedTo }),
  z.strictObject({ rows: z.array(auditEntryAnswer), ...cursor, scannedTo }),
])
