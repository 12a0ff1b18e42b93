import { invitationStatuses, memberStatuses, permissions, roles } from '@countersign/core/access'
import * as z from 'zod'
import { cursor, paging, time } from './answer-parts.ts'
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
