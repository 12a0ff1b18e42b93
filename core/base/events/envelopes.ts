/**
 * The members of each envelope, in the order in which they are sent (interface, Events). The types, the checks and the
 * documentation of an event derive from here and from the catalogue.
 */
export const envelopes = {
  review: {
    id: 'text',
    type: 'text',
    schemaVersion: [1],
    time: 'time',
    tenantId: 'text',
    applicationId: 'text',
    sessionId: 'text',
    reviewCaseId: 'text',
    caseVersion: 'count',
    eventSequence: 'count',
    decision: [
      'approved',
      'rejected',
      'follow_up_required',
      'response_submitted',
      'cancelled',
      'expired',
      null,
    ],
    reviewTier: ['standard', 'high', 'urgent'],
    dueAt: 'time',
    expiresAt: 'time',
    reasonCategory: 'reason',
    'presentationDigest?': 'text',
    caseUrl: 'text',
  },
  subscription: {
    id: 'text',
    type: 'text',
    schemaVersion: [1],
    time: 'time',
    tenantId: 'text',
    subscriptionId: 'text',
    // Each of these is null but in the one event for which the catalogue gives it another shape.
    challenge: [null],
    reason: [null],
    previousSecretValidUntil: [null],
    missedFrom: [null],
    missedUntil: [null],
  },
  legacy: {
    id: 'text',
    type: 'text',
    timestamp: 'time',
    tenantId: 'text',
    'applicationId?': 'text',
    data: 'object',
  },
  platform: {
    id: 'text',
    type: 'text',
    timestamp: 'time',
    apiVersion: ['2026-01-01'],
    customerId: 'text',
    'application?': { id: 'text', name: 'text' },
    data: 'object',
  },
} as const

/** Name of an envelope. */
export type Envelope = keyof typeof envelopes
