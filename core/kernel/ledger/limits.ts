/**
 * The longest that each field may be, in characters (`charactersOf`) but for the password. The core's checks and the schemas of the
 * HTTP APIs take their bounds from here.
 */
export const longest = {
  /** Ids that callers give or name. */
  id: 200,
  /** Of a person, an organization or an application. */
  name: 200,
  /** Of an application key. */
  label: 100,
  /** What mail can carry (RFC 5321 4.5.3.1.3, less the brackets). */
  email: 254,
  /** Bytes, so that one login can't cost more than another. */
  password: 1024,
  resumeToken: 4096,
  question: 10_000,
  answer: 100_000,
  comment: 10_000,
  detail: 10_000,
  description: 500,
  /** Of a legal hold. */
  matter: 200,
  /** Why a key, or a change of one, is asked for. */
  keyRequestReason: 1_000,
  /** Why a hold was released or an erasure rejected. */
  privacyReason: 1_000,
  /** Why staff did what it did. */
  staffReason: 1_000,
  secret: 200,
  /** Of an authenticator's credential, in base64url: 1023 bytes (WebAuthn Level 3, 4). */
  credentialId: 1364,
  /** Each part of what an authenticator answers, in base64url. */
  credentialData: 16_384,
  url: 2048,
  /** The name of an event type, known or not. */
  eventType: 100,
  /** A glob, or the name of an attribute, in rules. */
  pattern: 200,
  /** A text that a condition compares with. */
  conditionValue: 1_000,
  note: 10_000,
  guidelines: 10_000,
  /** Of an annotation. */
  text: 10_000,
} as const

/** The most that a list in a request, a page of an answer, or an organization may hold. */
export const most = {
  policyResults: 100,
  eventTypes: 100,
  pageSize: 100,
  policyRules: 200,
  /** Of one rule. */
  conditions: 20,
  /** Values of a condition's list. */
  conditionValues: 100,
  /** Globs or names of one list in a rule. */
  patterns: 100,
  redactionPolicies: 50,
  /** Of one organization: `alert_rule_limit`. */
  alertRules: 100,
  /** Chat channels of one organization: `channel_limit`. */
  channels: 50,
  /** Authenticators of one member that are not revoked: `authenticator_limit`. */
  authenticators: 10,
  /** Authenticators that one member ever enrolled: `authenticator_limit`. */
  authenticatorsEver: 100,
  /** Models of authenticators that may sign decisions of an organization. */
  signingModels: 50,
  /** Domains that the provider of an organization vouches for. */
  emailDomains: 20,
} as const

/** Codes with which a command refuses one more of something, and what each means. */
export const limitMeanings = {
  application_limit: 'the organization has as many applications as it may, deleted ones among them',
  webhook_limit: 'the organization has as many webhooks as it may; remove one first',
  application_key_limit: 'the application has as many active keys as it may; revoke one first',
  too_many_keys: 'the application has 10 active customer keys; revoke one first',
  alert_rule_limit: 'the organization has as many alert rules as it may; remove one first',
  channel_limit: 'the organization has as many chat channels as it may; remove one first',
  authenticator_limit: 'the member has as many authenticators as they may; revoke one first',
  follow_up_limit: 'the case has as many questions as it may; decide or cancel it',
  invitation_limit:
    'the organization has as many pending invitations as it may: withdraw one first; or the address was mailed as often within an hour as it may',
} as const

/** Of scores and their thresholds; the lowest is 0. */
export const highestScore = 100

/** Seconds over which an alert rule may measure. */
export const alertWindowSeconds = { least: 60, most: 86_400, usual: 300 } as const

/** About one alert rule a mail goes out at most once in so long. */
export const alertMailMs: number = 60 * 60 * 1_000

/** To one reviewer a mail about cases that wait goes out at most once in so long. */
export const reviewMailMs: number = 15 * 60 * 1_000

/** Letters of one kind about one member or thing within `letterHourMs`, of what a session alone changes. */
export const lettersPerHour = 10
/** As `lettersPerHour`, about all members or things of an organization. */
export const lettersOfKindPerHour = 50
/** See `lettersPerHour`. */
export const letterHourMs: number = 60 * 60 * 1_000

/** UTF-16 units of a list's cursor. */
export const cursorLength = 300

/**
 * Requests of a key within a rolling minute: of a customer key without a rate of its own, and of an application key
 * unless the host says otherwise.
 */
export const usualRatePerMinute = 600

/** The most requests of a customer key within a rolling minute that staff may set. */
export const highestRatePerMinute = 1_000_000

/** Rows of a page where the caller names no number. */
export const usualPageSize = 20

/** What one organization, or one case, may hold; beyond it a command is refused with the code named. */
export interface Limits {
  /** `webhook_limit`. */
  readonly webhooksPerTenant: number
}

/** Those that a host may change. */
export const defaultLimits: Limits = { webhooksPerTenant: 100 }

/** URLs that answered 410 and are remembered for a webhook; with so many it takes no other URL: `endpoint_gone`. */
export const goneUrlsPerWebhook = 100

/** Windows of a webhook that no delivered `subscription.events_missed` reported yet; beyond it the oldest two become one. */
export const unreportedWindowsPerWebhook = 100

/** Windows of a webhook that were reported and are still shown. */
export const reportedWindowsPerWebhook = 20

/** From the request of a deletion to its purge, where the host gives no other. */
export const deletionGraceMs: number = 7 * 24 * 60 * 60 * 1_000

/** As `deletionGraceMs`, for sandboxes and pre-production environments. */
export const shortDeletionGraceMs: number = 60 * 60 * 1_000

/** How far the times of what staff saw before a deletion may lie ahead of the service's clock. */
export const staffClockAheadMs: number = 5 * 60 * 1_000

/** Tries of a purge's step, lost ones included, before it goes to the operators. */
export const purgeTries = 5

/** Days that a message and its deliveries stay once the last of these ended. */
export const endedMessageDays = 30

/** Keys of an application that are not revoked: `application_key_limit`. */
export const activeKeysPerApplication = 20

/** Revoked keys of an application, of each kind, that lists show; with a new key the oldest beyond it are removed. */
export const revokedKeysPerApplication = 100

/** Customer keys of an application that are not revoked: `too_many_keys`. */
export const activeCustomerKeysPerApplication = 10

/** Applications of an organization, deleted ones too, whose tombstones stay: `application_limit`. */
export const applicationsPerTenant = 10_000

/** Invitations of an organization that are pending: `invitation_limit`. */
export const pendingInvitationsPerTenant = 100

/** What is advised of customer keys (interface, Customer key). */
export const keyHygiene = {
  /** A key should be replaced this long after it was issued. */
  rotationDays: 90,
  /** An active key that was not used for so long should be revoked. */
  unusedDays: 30,
} as const

/** Days that an Enterprise organization may be given as its retention. */
export const customRetention = { least: 365, most: 3650 } as const

/** Questions of one case: `follow_up_limit`. */
export const followUpsPerCase = 20

/** Ms from its opening within which a case expires. */
export const caseMs: number = 366 * 24 * 3_600_000

/** Bytes that a case holds of its callers' texts and documents, as JSON in UTF-8: `case_too_large`. */
export const caseBytes: number = 2 * 1_048_576

/** Of `caseBytes`: kept for the decision and the report of what followed, so that a full case can still be closed. */
export const caseBytesToClose = 262_144

/** What one request to ingest, and one step, may hold. */
export const ingestLimits = {
  /** Bytes of a body, after inflation. */
  bodyBytes: 16_777_216,
  spansPerRequest: 10_000,
  attributesPerStep: 128,
  sessionsPerBatch: 500,
  /** Steps of a session that comes in spans; those that a re-homing brings come on top. */
  stepsPerSession: 20_000,
  /** Steps of a submitted session. */
  stepsPerSubmission: 5_000,
  /** Policy results, and scores, of a submitted session. */
  resultsPerSubmission: 1_000,
  /** UTF-16 units of a submission's batchId. */
  batchId: 128,
  /** UTF-16 units of an attribute's key. */
  attributeKey: 200,
  /** Bytes of one content (input, output, attributes), as JSON in UTF-8. */
  contentBytes: 1_048_576,
  /** UTF-16 units of one content that redaction goes over, about; of a larger one nothing is kept then. */
  redactedContent: 4_194_304,
  /** UTF-16 units of a name that redaction goes over; a longer one is not kept then. */
  redactedText: 4_096,
} as const

/** What one evidence document may hold: `evidence_too_large`. */
export const evidenceLimits = {
  /** Bytes of sealed content; a document is signed whole, in memory. */
  contentBytes: 67_108_864,
  /** Steps that a printed document lists with their content. */
  printedSteps: 1_000,
  /** Characters of one field of content that are printed. */
  printedField: 3_000,
  /** Of one bulk export; more is `invalid_request`. */
  applicationsPerExport: 20,
  /** The latest of each, in a bulk export. */
  sessionsPerApplication: 50,
} as const

/** The defaults with these changes; throws a RangeError for a limit that is no whole number of at least 1. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given }
  for (const [name, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`limit ${name}: expected an integer of at least 1, got ${value}`)
  return limits
}
