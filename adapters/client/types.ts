// Generated from the route table by .ci/client.mjs: change that, and run `npm run describe`.

/** Answer of auth.acceptInvitation, auth.acceptPasswordReset. */
export interface AcceptedAnswer {
  readonly member: MemberAnswer
  readonly tenantId: string
}

/** Answer of alertRules.create, alertRules.read, alertRules.update. */
export interface AlertRuleAnswer {
  readonly alertRuleId: string
  readonly name: string
  readonly applicationId: string | null
  readonly metricName:
    | 'sessions.count'
    | 'sessions.failed_percent'
    | 'sessions.duration_p95_ms'
    | 'steps.error_percent'
    | 'tokens.total'
    | 'policy.violations'
    | 'reviews.open'
    | 'reviews.overdue'
    | 'quality.mean'
    | 'governance.score'
    | 'quota.used_percent'
    | 'deliveries.dead_lettered'
  readonly comparator: 'gt' | 'gte' | 'lt' | 'lte'
  readonly threshold: number
  readonly recoveryThreshold: number | null
  readonly severity: 'info' | 'warning' | 'critical'
  readonly windowSeconds: number
  readonly enabled: boolean
  readonly state: 'ok' | 'triggered'
  readonly currentValue: number | null
  readonly stateSince: string
}

/** Answer of alertRules.list. */
export interface AlertRulesAnswer {
  readonly alertRules: readonly AlertRuleAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Part of answers. */
export interface AnchorAnswer {
  readonly anchorVersion: '1.0' | null
  readonly ledger: string | null
  readonly sequence: number | null
  readonly commitment: string | null
  readonly previousHash: string | null
  readonly anchoredAt: string | null
  readonly keyId: string | null
  readonly signature: string | null
  readonly entryHash: string | null
  readonly nonce: string | null
  readonly status: 'pending' | 'recorded' | 'submitted' | 'included'
  readonly timeStamp: string | null
}

/** Answer of anchors.list. */
export interface AnchorsAnswer {
  readonly anchors: readonly AnchorAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of annotations.create, annotations.remove. */
export interface AnnotationAnswer {
  readonly annotationId: string
  readonly sessionId: string
  readonly stepId: string | null
  readonly label: string | null
  readonly text: string | null
  readonly createdBy: string
  readonly createdAt: string
}

/** Answer of annotations.list. */
export interface AnnotationsAnswer {
  readonly annotations: readonly AnnotationAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of applications.read. */
export type AnyApplicationAnswer = ApplicationAnswer | TombstoneAnswer

/** Answer of applications.create, applications.update, applications.promote and others. */
export interface ApplicationAnswer {
  readonly applicationId: string
  readonly name: string
  readonly description: string | null
  readonly stage: 'development' | 'staging' | 'production'
  readonly lifecycleState: 'active' | 'pending_deletion' | 'purging'
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly promotedAt: string | null
  readonly deletion: {
    readonly requestedAt: string
    readonly requestedBy: string
    readonly purgeAt: string
    readonly blockedByHold: boolean
  } | null
  readonly purgedAt: null
  readonly health: {
    readonly status: 'healthy' | 'degraded' | 'unhealthy' | 'unknown'
    readonly since: string
  } | null
  readonly settings: {
    readonly governanceThreshold: number | null
    readonly qualityThreshold: number | null
  } | null
  readonly outcomeCallback: OutcomeCallbackAnswer | null
}

/** Answer of applicationKeys.revoke. */
export interface ApplicationKeyAnswer {
  readonly keyId: string
  readonly prefix: string
  readonly applicationId: string
  readonly label: string
  readonly createdAt: string
  readonly createdBy: string
  readonly status: 'Active' | 'Revoked'
  readonly revokedAt: string | null
}

/** Answer of applicationKeys.list. */
export interface ApplicationKeysAnswer {
  readonly applicationKeys: readonly ApplicationKeyAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of applications.list. */
export interface ApplicationsAnswer {
  readonly applications: readonly ApplicationAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of description.events. */
export interface AsyncApiAnswer {
  readonly asyncapi: '3.0.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly channels: Readonly<Record<string, unknown>>
}

/** Answer of reviewCases.listCallbackAttempts. */
export interface AttemptsAnswer {
  readonly attempts: readonly CallbackAttemptAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Part of answers. */
export interface AuditEntryAnswer {
  readonly position: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: Readonly<Record<string, string | number | boolean | null>>
  readonly previousHash: string
  readonly hash: string
}

/** Answer of authenticators.enrol, authenticators.rename, authenticators.revoke and others. */
export interface AuthenticatorAnswer {
  readonly authenticatorId: string
  readonly name: string
  readonly use: 'signing' | 'sign_in'
  readonly credentialId: string
  readonly algorithm: -8 | -7 | -257
  readonly aaguid: string
  readonly attestedBy: string | null
  readonly backedUp: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

/** Part of answers. */
export interface AuthenticatorChangeAnswer {
  readonly statementVersion: '1.0'
  readonly statementType: 'authenticator-change'
  readonly tenantId: string
  readonly memberId: string
  readonly change: 'add' | 'remove' | 'weaken'
  readonly subject: string | null
  readonly settingDigest: string | null
  readonly issuedAt: string
  readonly nonce: string
}

/** Answer of authenticators.stateChange. */
export interface AuthenticatorChangeStatementAnswer {
  readonly statement: AuthenticatorChangeAnswer
  readonly options: Readonly<Record<string, unknown>>
  readonly expiresAt: string
}

/** Answer of authenticators.startRegistration. */
export interface AuthenticatorRegistrationAnswer {
  readonly options: Readonly<Record<string, unknown>>
  readonly expiresAt: string
}

/** Answer of authenticators.list, members.authenticators. */
export interface AuthenticatorsAnswer {
  readonly authenticators: readonly AuthenticatorAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of ingest.submit, ingest.readBatch. */
export interface BatchAnswer {
  readonly batchId: string
  readonly merkleRoot: string
  readonly treeSize: number
  readonly accepted: number
  readonly duplicates: number
  readonly sessions: readonly {
    readonly sessionId: string
    readonly leafIndex: number
    readonly leafHash: string
    readonly status: 'accepted' | 'duplicate'
    readonly reviewCaseIds: readonly string[]
  }[]
}

/** Answer of auth.startProvider. */
export interface BegunAtProviderAnswer {
  readonly url: string
  readonly expiresAt: string
}

/** Answer of auth.startPasskey. */
export interface BegunSignInAnswer {
  readonly statement: SignInAnswer
  readonly options: Readonly<Record<string, unknown>>
  readonly expiresAt: string
}

/** Part of answers. */
export interface CallbackAttemptAnswer {
  readonly attemptId: string
  readonly callbackId: string
  readonly attempt: number
  readonly trigger: 'event' | 'retry' | 'test' | 'replay' | 'verification'
  readonly startedAt: string
  readonly latencyMs: number
  readonly outcome: 'delivered' | 'failed'
  readonly error: string | null
  readonly responseStatus: number | null
  readonly bodySha256: string | null
}

/** Answer of reviewCases.open, reviewCases.find, reviewCases.read and others. */
export interface CaseAnswer {
  readonly schemaVersion: 1
  readonly reviewCaseId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly stepId: string | null
  readonly caseVersion: number
  readonly eventSequence: number
  readonly state: 'open' | 'decided' | 'cancelled' | 'expired'
  readonly decision:
    | 'approved'
    | 'rejected'
    | 'follow_up_required'
    | 'response_submitted'
    | 'cancelled'
    | 'expired'
    | null
  readonly reviewTier: 'standard' | 'high' | 'urgent'
  readonly dueAt: string
  readonly expiresAt: string
  readonly overdueAt: string | null
  readonly reasonCategory:
    | 'policy_requires_human_review'
    | 'high_risk_action'
    | 'sensitive_data'
    | 'other'
  readonly cancellationReason:
    | 'end_user_cancelled'
    | 'parent_workflow_ended'
    | 'safer_alternative_completed'
    | 'checkpoint_unavailable'
    | 'checkpoint_superseded'
    | 'application_lifecycle'
    | 'policy_rule_withdrawn'
    | null
  readonly presentation: Readonly<Record<string, unknown>> | null
  readonly presentationDigest: string | null
  readonly policyResults: readonly unknown[]
  readonly requestedBy: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly closedAt: string | null
  readonly decidedBy: string | null
  readonly reviewerComment: string | null
  readonly response: unknown
  readonly followUps: readonly {
    readonly question: string
    readonly askedAt: string
    readonly answer: string | null
    readonly answeredAt: string | null
  }[]
  readonly callback: {
    readonly state: 'none' | 'pending' | 'received' | 'failed'
    readonly attempts: number
    readonly lastAttemptAt: string | null
  }
  readonly continuation: {
    readonly outcome: 'resumed' | 'terminated' | 'remained_paused' | 'superseded' | 'failed'
    readonly reportedAt: string
    readonly detail: string | null
  } | null
  readonly history: readonly {
    readonly eventSequence: number
    readonly caseVersion: number
    readonly step: string
    readonly at: string
    readonly actor: string
  }[]
  readonly caseUrl: string
  readonly assignment: { readonly reviewerId: string; readonly assignedAt: string } | null
  readonly checkpoint: {
    readonly checkpointId: string
    readonly resumeToken?: string | null | undefined
  }
  readonly adopted: boolean
  readonly decisionSignature: DecisionSignatureAnswer | null
}

/** Part of answers. */
export interface CaseIntegrityAnswer {
  readonly leafInput: CaseRecordAnswer | null
  readonly leafInputStatus: 'present' | 'not_sealed'
  readonly leafHash: string | null
  readonly merkle: EvidenceMerkleAnswer | null
  readonly anchor: AnchorAnswer | null
}

/** Answer of reviewCases.proof. */
export interface CaseProofAnswer {
  readonly reviewCaseId: string
  readonly sessionId: string
  readonly applicationId: string
  readonly hashAlgorithm: 'rfc9162-sha256'
  readonly batchId: string
  readonly leafIndex: number
  readonly treeSize: number
  readonly inclusionPath: readonly string[]
  readonly merkleRoot: string
  readonly leafHash: string
  readonly anchor: AnchorAnswer
  readonly leafInput: CaseRecordAnswer
}

/** Part of answers. */
export interface CaseRecordAnswer {
  readonly leafType: 'review-case'
  readonly recordVersion: '1.0'
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly checkpointId: string
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly state: 'decided' | 'cancelled' | 'expired'
  readonly decision:
    | 'approved'
    | 'rejected'
    | 'follow_up_required'
    | 'response_submitted'
    | 'cancelled'
    | 'expired'
    | null
  readonly reasonCategory:
    | 'policy_requires_human_review'
    | 'high_risk_action'
    | 'sensitive_data'
    | 'other'
  readonly presentationDigest: string | null
  readonly commentDigest: string | null
  readonly responseDigest: string | null
  readonly decidedBy: string | null
  readonly openedAt: string
  readonly closedAt: string
  readonly decisionSignature: SealedSignatureAnswer | null
}

/** Part of answers. */
export interface CaseRowAnswer {
  readonly schemaVersion: 1
  readonly reviewCaseId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly stepId: string | null
  readonly caseVersion: number
  readonly eventSequence: number
  readonly state: 'open' | 'decided' | 'cancelled' | 'expired'
  readonly decision:
    | 'approved'
    | 'rejected'
    | 'follow_up_required'
    | 'response_submitted'
    | 'cancelled'
    | 'expired'
    | null
  readonly reviewTier: 'standard' | 'high' | 'urgent'
  readonly dueAt: string
  readonly expiresAt: string
  readonly overdueAt: string | null
  readonly reasonCategory:
    | 'policy_requires_human_review'
    | 'high_risk_action'
    | 'sensitive_data'
    | 'other'
  readonly cancellationReason:
    | 'end_user_cancelled'
    | 'parent_workflow_ended'
    | 'safer_alternative_completed'
    | 'checkpoint_unavailable'
    | 'checkpoint_superseded'
    | 'application_lifecycle'
    | 'policy_rule_withdrawn'
    | null
  readonly presentation?: Readonly<Record<string, unknown>> | null | undefined
  readonly presentationDigest: string | null
  readonly policyResults: readonly unknown[]
  readonly requestedBy: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly closedAt: string | null
  readonly decidedBy: string | null
  readonly reviewerComment: string | null
  readonly response: unknown
  readonly followUps: readonly {
    readonly question: string
    readonly askedAt: string
    readonly answer: string | null
    readonly answeredAt: string | null
  }[]
  readonly callback: {
    readonly state: 'none' | 'pending' | 'received' | 'failed'
    readonly attempts: number
    readonly lastAttemptAt: string | null
  }
  readonly continuation: {
    readonly outcome: 'resumed' | 'terminated' | 'remained_paused' | 'superseded' | 'failed'
    readonly reportedAt: string
    readonly detail: string | null
  } | null
  readonly history: readonly {
    readonly eventSequence: number
    readonly caseVersion: number
    readonly step: string
    readonly at: string
    readonly actor: string
  }[]
  readonly caseUrl: string
  readonly assignment: { readonly reviewerId: string; readonly assignedAt: string } | null
  readonly checkpoint: {
    readonly checkpointId: string
    readonly resumeToken?: string | null | undefined
  }
  readonly adopted: boolean
  readonly decisionSignature: DecisionSignatureAnswer | null
}

/** Answer of customerKeys.revoke. */
export interface CustomerKeyAnswer {
  readonly keyId: string
  readonly prefix: string
  readonly applicationId: string
  readonly type: 'primary ingest' | 'secondary' | 'management'
  readonly createdAt: string
  readonly createdBy: string
  readonly lastUsedAt: string | null
  readonly status: 'Active' | 'Revoked'
  readonly revokedAt: string | null
  readonly rotationDueAt: string | null
  readonly unused30d: boolean
}

/** Answer of customerKeys.list. */
export interface CustomerKeysAnswer {
  readonly customerKeys: readonly CustomerKeyAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Part of answers. */
export interface DecisionSignatureAnswer {
  readonly statement: DecisionStatementAnswer
  readonly credentialId: string
  readonly authenticatorData: string
  readonly clientDataJSON: string
  readonly signature: string
  readonly publicKey: Readonly<Record<string, unknown>>
  readonly responseNonce: string | null
}

/** Part of answers. */
export interface DecisionStatementAnswer {
  readonly statementVersion: '1.0'
  readonly statementType: 'review-decision'
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly checkpointId: string
  readonly resumeTokenDigest: string | null
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly askedDigest: string | null
  readonly presentationDigest: string
  readonly decision: 'approved' | 'rejected' | 'response_submitted'
  readonly commentDigest: string | null
  readonly responseDigest: string | null
  readonly memberId: string
  readonly issuedAt: string
  readonly nonce: string
}

/** Answer of webhooks.listDeliveries. */
export interface DeliveriesAnswer {
  readonly rows: readonly DeliveryAnswer[]
  readonly next: string | null
  readonly totalCount: number
}

/** Part of answers. */
export interface DeliveryAnswer {
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: string
  readonly family: 'standard' | 'legacy'
  readonly kind: 'event' | 'notice' | 'test'
  readonly status: 'pending' | 'delivering' | 'retry_scheduled' | 'delivered' | 'dead_lettered'
  readonly round: number
  readonly attempts: number
  readonly lastAttemptAt: string | null
  readonly lastResponseStatus: number | null
  readonly lastError: string | null
  readonly nextAttemptAt: string | null
  readonly deadlineAt: string | null
  readonly createdAt: string
}

/** Part of answers. */
export interface DeliveryAttemptAnswer {
  readonly attemptId: string
  readonly attempt: number
  readonly trigger: 'event' | 'retry' | 'test' | 'replay' | 'verification'
  readonly startedAt: string
  readonly latencyMs: number
  readonly outcome: 'delivered' | 'failed'
  readonly error: string | null
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseStatus: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: string | null
  readonly truncated: boolean
}

/** Answer of webhooks.test. */
export interface DeliveryLogAnswer {
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: string
  readonly family: 'standard' | 'legacy'
  readonly attemptId: string
  readonly attempt: number
  readonly trigger: 'event' | 'retry' | 'test' | 'replay' | 'verification'
  readonly startedAt: string
  readonly latencyMs: number
  readonly outcome: 'delivered' | 'failed'
  readonly error: string | null
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseStatus: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: string | null
  readonly truncated: boolean
  readonly requestBody: string
}

/** Answer of webhooks.deliveryLogs. */
export interface DeliveryLogsAnswer {
  readonly deliveryLogs: readonly DeliveryLogAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of entitlements.read. */
export interface EntitlementsAnswer {
  readonly plan: 'Builder' | 'Team' | 'Enterprise'
  readonly retentionDays: number
  readonly sessionsPerMonth: number | null
  readonly sessionsUsed: number
  readonly periodStart: string
  readonly periodEnd: string
  readonly features: {
    readonly sessionEvidence: boolean
    readonly subjectPack: boolean
    readonly reviewCases: boolean
    readonly webhooks: boolean
    readonly alertRules: boolean
    readonly bulkExport: boolean
    readonly auditorPack: boolean
    readonly blockchainCertificate: boolean
    readonly notificationChannels: boolean
    readonly customRetention: boolean
  }
  readonly notes: readonly string[]
}

/** Answer of auditLog.list. */
export interface EntriesAnswer {
  readonly entries: readonly AuditEntryAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
  readonly scannedTo: number | null
}

/** Answer of erasureRequests.certificate. */
export interface ErasureCertificateAnswer {
  readonly certificateVersion: '1.0'
  readonly certificateType: 'erasure'
  readonly organizationName: string
  readonly tenantId: string
  readonly erasureRequestId: string
  readonly dataSubjectId: string
  readonly applicationIds: readonly string[]
  readonly requestedAt: string
  readonly completedAt: string
  readonly method: 'crypto-shredding'
  readonly counts: Readonly<Record<string, number>>
  readonly retained: readonly string[]
  readonly signatures: readonly SignatureAnswer[]
}

/** Answer of erasureRequests.create, erasureRequests.read, erasureRequests.reject. */
export interface ErasureRequestAnswer {
  readonly erasureRequestId: string
  readonly dataSubjectId: string
  readonly applicationId: string | null
  readonly reason: 'consent_withdrawn' | 'no_longer_needed' | 'objection' | 'unlawful' | 'other'
  readonly status: 'received' | 'scheduled' | 'blocked_by_hold' | 'completed' | 'rejected'
  readonly waitingFor: 'hold' | 'callback' | null
  readonly requestedBy: string
  readonly requestedAt: string
  readonly completedAt: string | null
  readonly counts: {
    readonly applications: number
    readonly sessions: number
    readonly payloads: number
    readonly cases: number
    readonly annotations: number
  } | null
  readonly certificateUrl: string | null
}

/** Answer of erasureRequests.list. */
export interface ErasureRequestsAnswer {
  readonly erasureRequests: readonly ErasureRequestAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Part of answers. */
export interface ErrorAnswer {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code:
    | 'invalid_request'
    | 'invalid_url'
    | 'refused_address'
    | 'authentication_required'
    | 'invalid_credentials'
    | 'account_suspended'
    | 'forbidden'
    | 'sandbox_read_only'
    | 'not_found'
    | 'application_gone'
    | 'blocked_by_hold'
    | 'not_pending'
    | 'purge_started'
    | 'too_many_attempts'
    | 'invalid_transition'
    | 'already_assigned'
    | 'version_conflict'
    | 'presentation_changed'
    | 'case_expired'
    | 'requester_cannot_review'
    | 'follow_up_pending'
    | 'reviewer_not_eligible'
    | 'continuation_conflict'
    | 'callback_not_configured'
    | 'callback_gone'
    | 'idempotency_conflict'
    | 'endpoint_gone'
    | 'already_rotating'
    | 'not_shared_secret'
    | 'application_limit'
    | 'webhook_limit'
    | 'application_key_limit'
    | 'too_many_keys'
    | 'alert_rule_limit'
    | 'channel_limit'
    | 'authenticator_limit'
    | 'follow_up_limit'
    | 'invitation_limit'
    | 'signature_required'
    | 'signature_invalid'
    | 'authenticator_cloned'
    | 'authenticator_not_allowed'
    | 'authenticator_revoked'
    | 'request_pending'
    | 'reveal_expired'
    | 'case_too_large'
    | 'quota_exceeded'
    | 'plan_required'
    | 'ambiguous_session'
    | 'not_sealed'
    | 'session_conflict'
    | 'merkle_root_mismatch'
    | 'evidence_too_large'
    | 'package_expired'
    | 'last_admin'
    | 'already_member'
    | 'already_invited'
    | 'email_taken'
    | 'invitation_expired'
    | 'busy'
    | 'unavailable'
    | 'cross_site'
    | 'method_not_allowed'
    | 'not_acceptable'
    | 'unsupported_media_type'
    | 'body_too_large'
    | 'precondition_failed'
    | 'rate_limited'
    | 'body_already_parsed'
    | 'internal'
  readonly detail: string
  readonly requestId: string
  readonly errors: readonly {
    readonly code: string
    readonly detail: string
    readonly pointer: string | null
    readonly parameter: string | null
  }[]
  readonly case?: CaseAnswer | undefined
  readonly written?: false | null | undefined
  readonly quota?:
    | { readonly limit: number | null; readonly used: number; readonly periodEnd: string }
    | undefined
  readonly expected?: string | undefined
  readonly computed?: string | undefined
  readonly check?: string | undefined
  readonly sessionId?: string | undefined
  readonly results?:
    | readonly {
        readonly eventId: string
        readonly result: 'replayed' | 'already_delivered' | 'in_progress'
      }[]
    | undefined
}

/** Answer of reviewEvents.list. */
export interface EventsAnswer {
  readonly subscriptionId: string
  readonly events: readonly ReviewEventAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of evidence.read. */
export interface EvidenceAnswer {
  readonly evidenceVersion: '1.0'
  readonly generatedAt: string
  readonly asOf: string
  readonly tenantId: string
  readonly organizationName: string
  readonly application: {
    readonly applicationId: string
    readonly name: string
    readonly stage: 'development' | 'staging' | 'production'
  }
  readonly session: SessionAnswer
  readonly steps: readonly StepAnswer[]
  readonly policyResults: readonly EvidencePolicyResultAnswer[]
  readonly reviewCases: readonly EvidenceCaseAnswer[]
  readonly sessionReviews: readonly SessionReviewAnswer[]
  readonly annotations: readonly AnnotationAnswer[]
  readonly flags: readonly FlagAnswer[]
  readonly scores: readonly {
    readonly name: string
    readonly value: number
    readonly label: string | null
    readonly stepId: string | null
  }[]
  readonly integrity: EvidenceIntegrityAnswer
  readonly erasure: {
    readonly erasedSubjects: readonly string[]
    readonly payloadsUnreadable: number
  }
  readonly signatures: readonly SignatureAnswer[]
}

/** Part of answers. */
export interface EvidenceCaseAnswer {
  readonly schemaVersion: 1
  readonly reviewCaseId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly stepId: string | null
  readonly caseVersion: number
  readonly eventSequence: number
  readonly state: 'open' | 'decided' | 'cancelled' | 'expired'
  readonly decision:
    | 'approved'
    | 'rejected'
    | 'follow_up_required'
    | 'response_submitted'
    | 'cancelled'
    | 'expired'
    | null
  readonly reviewTier: 'standard' | 'high' | 'urgent'
  readonly dueAt: string
  readonly expiresAt: string
  readonly overdueAt: string | null
  readonly reasonCategory:
    | 'policy_requires_human_review'
    | 'high_risk_action'
    | 'sensitive_data'
    | 'other'
  readonly cancellationReason:
    | 'end_user_cancelled'
    | 'parent_workflow_ended'
    | 'safer_alternative_completed'
    | 'checkpoint_unavailable'
    | 'checkpoint_superseded'
    | 'application_lifecycle'
    | 'policy_rule_withdrawn'
    | null
  readonly presentation: Readonly<Record<string, unknown>> | null
  readonly presentationDigest: string | null
  readonly policyResults: readonly unknown[]
  readonly requestedBy: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly closedAt: string | null
  readonly decidedBy: string | null
  readonly reviewerComment: string | null
  readonly response: unknown
  readonly followUps: readonly {
    readonly question: string
    readonly askedAt: string
    readonly answer: string | null
    readonly answeredAt: string | null
  }[]
  readonly callback: {
    readonly state: 'none' | 'pending' | 'received' | 'failed'
    readonly attempts: number
    readonly lastAttemptAt: string | null
  }
  readonly continuation: {
    readonly outcome: 'resumed' | 'terminated' | 'remained_paused' | 'superseded' | 'failed'
    readonly reportedAt: string
    readonly detail: string | null
  } | null
  readonly history: readonly {
    readonly eventSequence: number
    readonly caseVersion: number
    readonly step: string
    readonly at: string
    readonly actor: string
  }[]
  readonly caseUrl: string
  readonly assignment: { readonly reviewerId: string; readonly assignedAt: string } | null
  readonly checkpoint: { readonly checkpointId: string }
  readonly reviewer: EvidenceReviewerAnswer | null
  readonly commentDigest: string | null
  readonly responseDigest: string | null
  readonly nonces: { readonly comment: string | null; readonly response: string | null }
  readonly decisionSignature: SealedSignatureAnswer | null
  readonly integrity: CaseIntegrityAnswer
}

/** Part of answers. */
export interface EvidenceIntegrityAnswer {
  readonly canonicalization: 'RFC8785'
  readonly hashAlgorithm: 'rfc9162-sha256'
  readonly revision: number
  readonly leafSource: 'submitted' | 'record' | null
  readonly leafInput: unknown
  readonly leafInputStatus: 'present' | 'erased' | 'redacted' | 'not_sealed'
  readonly leafHash: string | null
  readonly merkle: EvidenceMerkleAnswer | null
  readonly anchor: AnchorAnswer | null
  readonly earlier: readonly {
    readonly revision: number
    readonly leafHash: string
    readonly merkle: EvidenceMerkleAnswer
    readonly anchor: AnchorAnswer | null
  }[]
}

/** Part of answers. */
export interface EvidenceMerkleAnswer {
  readonly batchId: string
  readonly leafIndex: number
  readonly treeSize: number
  readonly inclusionPath: readonly string[]
  readonly merkleRoot: string
}

/** Part of answers. */
export interface EvidencePolicyResultAnswer {
  readonly ruleId: string
  readonly ruleVersion: number | null
  readonly ruleName: string
  readonly effect: 'allow' | 'deny' | 'require_review'
  readonly severity: 'info' | 'warning' | 'critical'
  readonly source: 'service' | 'application'
  readonly stepId: string | null
  readonly matchedAt: string
  readonly reviewCaseId: string | null
  readonly late?: true | undefined
}

/** Part of answers. */
export interface EvidenceReviewerAnswer {
  readonly name: string
  readonly role: 'CustomerAdmin' | 'CustomerAuditor'
  readonly signIn: 'password' | 'passkey' | 'provider' | 'host'
}

/** Answer of ingest.otlp. */
export interface ExportAnswer {
  readonly partialSuccess?:
    | { readonly rejectedSpans: string; readonly errorMessage: string }
    | undefined
}

/** Answer of flags.raise, flags.clear. */
export interface FlagAnswer {
  readonly flagId: string
  readonly flag: 'quality' | 'safety' | 'privacy' | 'compliance' | 'other'
  readonly severity: 'info' | 'warning' | 'critical'
  readonly note: string | null
  readonly source: 'member' | 'policy' | 'score'
  readonly raisedBy: string | null
  readonly raisedAt: string
  readonly clearedBy: string | null
  readonly clearedAt: string | null
}

/** Answer of flags.list. */
export interface FlagsAnswer {
  readonly flags: readonly FlagAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of ingestRules.read, ingestRules.set. */
export interface IngestRulesAnswer {
  readonly sessionAttribute: string | null
  readonly subjectAttribute: string | null
  readonly dropAttributes: readonly string[]
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** Answer of webhooks.readDelivery. */
export interface InspectedDeliveryAnswer {
  readonly delivery: DeliveryAnswer
  readonly requestBody: string | null
  readonly attempts: readonly DeliveryAttemptAnswer[]
  readonly attemptCount: number
  readonly schedule: readonly string[]
}

/** Answer of reviewEvents.read. */
export interface InspectedEventAnswer {
  readonly event: Readonly<Record<string, unknown>>
  readonly deliveries: readonly {
    readonly webhookId: string
    readonly deliveryId: string
    readonly eventId: string
    readonly eventType: string
    readonly family: 'standard' | 'legacy'
    readonly kind: 'event' | 'notice' | 'test'
    readonly status: 'pending' | 'delivering' | 'retry_scheduled' | 'delivered' | 'dead_lettered'
    readonly round: number
    readonly attempts: number
    readonly lastAttemptAt: string | null
    readonly lastResponseStatus: number | null
    readonly lastError: string | null
    readonly nextAttemptAt: string | null
    readonly deadlineAt: string | null
    readonly createdAt: string
  }[]
}

/** Answer of invitations.create, invitations.resend, invitations.withdraw. */
export interface InvitationAnswer {
  readonly invitationId: string
  readonly memberId: string
  readonly email: string
  readonly role: 'CustomerAdmin' | 'CustomerAuditor'
  readonly permissions: readonly ('Manage Integrations' | 'Review Cases' | 'Export Evidence')[]
  readonly status: 'pending' | 'accepted' | 'expired' | 'withdrawn'
  readonly invitedBy: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly acceptUrl: string | null
}

/** Answer of invitations.list. */
export interface InvitationsAnswer {
  readonly invitations: readonly InvitationAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of keyRequests.submit, keyRequests.read, keyRequests.cancel. */
export interface KeyRequestAnswer {
  readonly id: string
  readonly action: 'issue-customer-key' | 'issue-secondary-key' | 'revoke-key' | 'rotate-tenant-key'
  readonly applicationId: string | null
  readonly type: 'primary ingest' | 'secondary' | 'management' | null
  readonly keyId: string | null
  readonly status:
    | 'submitted'
    | 'approved'
    | 'executing'
    | 'executed'
    | 'failed'
    | 'rejected'
    | 'cancelled'
  readonly requestedBy: string
  readonly requestedAt: string
  readonly executedBy: string | null
  readonly executedAt: string | null
  readonly reason: string
  readonly staffReason: string | null
  readonly result: {
    readonly keyId: string | null
    readonly revealUntil: string | null
    readonly revealedAt: string | null
    readonly failure: { readonly code: string; readonly detail: string } | null
  } | null
}

/** Answer of keyRequests.list. */
export interface KeyRequestsAnswer {
  readonly keyRequests: readonly KeyRequestAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of webhookKeys.read, evidenceKeys.read. */
export interface KeySetAnswer {
  readonly keys: readonly {
    readonly kty: 'OKP'
    readonly crv: 'Ed25519'
    readonly x: string
    readonly kid: string
    readonly use: 'sig'
    readonly alg: 'EdDSA'
  }[]
}

/** Answer of reviewerKeys.list. */
export interface KeysAnswer {
  readonly keys: readonly ReviewerKeyAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of legalHolds.place, legalHolds.release. */
export interface LegalHoldAnswer {
  readonly holdId: string
  readonly dataSubjectId: string
  readonly applicationId: string | null
  readonly matter: string
  readonly placedBy: string
  readonly placedAt: string
  readonly releasedAt: string | null
  readonly releasedBy: string | null
  readonly releaseReason: string | null
}

/** Answer of legalHolds.list. */
export interface LegalHoldsAnswer {
  readonly legalHolds: readonly LegalHoldAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of auth.login, auth.passkey, auth.provider and others. */
export interface LoginAnswer {
  readonly member: MemberAnswer
  readonly tenantId: string
  readonly expiresAt: string
  readonly token: string
  readonly cookieName: string
}

/** Answer of auth.logout. */
export interface LogoutAnswer {
  readonly loggedOut: true
}

/** Part of answers. */
export interface MemberAnswer {
  readonly memberId: string
  readonly name: string
  readonly email: string
  readonly role: 'CustomerAdmin' | 'CustomerAuditor'
  readonly permissions: readonly ('Manage Integrations' | 'Review Cases' | 'Export Evidence')[]
}

/** Answer of members.setRole, members.deactivate, members.reactivate. */
export interface MemberRecordAnswer {
  readonly memberId: string
  readonly name: string | null
  readonly email: string
  readonly role: 'CustomerAdmin' | 'CustomerAuditor'
  readonly permissions: readonly ('Manage Integrations' | 'Review Cases' | 'Export Evidence')[]
  readonly status: 'Active' | 'Pending invitation' | 'Suspended'
  readonly addedAt: string
  readonly invitation: { readonly invitationId: string; readonly expiresAt: string } | null
}

/** Answer of auth.session. */
export interface MemberSessionAnswer {
  readonly member: MemberAnswer
  readonly tenantId: string
  readonly expiresAt: string | null
}

/** Answer of members.list. */
export interface MembersAnswer {
  readonly members: readonly MemberRecordAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of webhooks.missedWindows. */
export interface MissedWindowsAnswer {
  readonly missedWindows: readonly {
    readonly missedFrom: string
    readonly missedUntil: string | null
    readonly reason: 'endpoint_gone' | 'retries_exhausted' | 'owner'
    readonly reportedAt: string | null
  }[]
}

/** Answer of applicationKeys.create. */
export interface NewApplicationKeyAnswer {
  readonly keyId: string
  readonly prefix: string
  readonly applicationId: string
  readonly label: string
  readonly createdAt: string
  readonly createdBy: string
  readonly status: 'Active' | 'Revoked'
  readonly revokedAt: string | null
  readonly value: string
}

/** Answer of customerKeys.issue, keyRequests.reveal. */
export interface NewCustomerKeyAnswer {
  readonly keyId: string
  readonly prefix: string
  readonly applicationId: string
  readonly type: 'primary ingest' | 'secondary' | 'management'
  readonly createdAt: string
  readonly createdBy: string
  readonly lastUsedAt: string | null
  readonly status: 'Active' | 'Revoked'
  readonly revokedAt: string | null
  readonly rotationDueAt: string | null
  readonly unused30d: boolean
  readonly value: string
}

/** Answer of portal.readNotices, portal.setNotices. */
export interface NoticesAnswer {
  readonly reviewWaiting: boolean
  readonly sends: boolean
}

/** Answer of notificationChannels.create, notificationChannels.read, notificationChannels.update. */
export interface NotificationChannelAnswer {
  readonly channelId: string
  readonly kind: 'slack' | 'teams'
  readonly webhookUrl: string
  readonly eventTypes: readonly (
    | '*'
    | 'review.case.created'
    | 'review.case.assignment_changed'
    | 'review.case.follow_up_required'
    | 'review.case.decided'
    | 'review.case.cancelled'
    | 'review.case.expired'
    | 'review.case.overdue'
    | 'review.continuation.acknowledged'
    | 'review.continuation.delivery_failed'
    | 'alert.triggered'
    | 'alert.resolved'
    | 'session.flagged'
    | 'session.review.approved'
    | 'session.review.rejected'
    | 'governance.threshold_breached'
    | 'gdpr.erasure_completed'
    | 'gdpr.legal_hold_placed'
    | 'application.purge_completed'
    | 'quality.score_computed'
    | 'evidence_package.ready'
    | 'session.completed'
    | 'application.promoted'
    | 'health.status_changed'
    | 'compliance.rule_violation'
  )[]
  readonly enabled: boolean
  readonly state: 'active' | 'turned_off'
  readonly lastError: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Answer of notificationChannels.test. */
export interface NotificationChannelTestAnswer {
  readonly outcome: 'delivered' | 'failed'
  readonly responseStatus: number | null
  readonly error: string | null
}

/** Answer of notificationChannels.list. */
export interface NotificationChannelsAnswer {
  readonly notificationChannels: readonly NotificationChannelAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of auth.readInvitation. */
export interface OfferedInvitationAnswer {
  readonly organizationName: string
  readonly inviterName: string | null
  readonly email: string
  readonly role: 'CustomerAdmin' | 'CustomerAuditor'
  readonly permissions: readonly ('Manage Integrations' | 'Review Cases' | 'Export Evidence')[]
  readonly expiresAt: string
}

/** Answer of description.read. */
export interface OpenApiAnswer {
  readonly openapi: '3.1.1'
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, unknown>>
}

/** Answer of applications.setOutcomeCallback, applications.rotateCallbackSecret. */
export interface OutcomeCallbackAnswer {
  readonly url: string
  readonly enabled: boolean
  readonly signing: {
    readonly method: 'ed25519' | 'shared_secret'
    readonly publicKey: string | null
    readonly hasSecret: boolean
    readonly previousSecretValidUntil: string | null
    readonly secret?: string | undefined
  }
  readonly gone: boolean
  readonly updatedAt: string
}

/** Answer of evidencePackages.read. */
export interface PackageAnswer {
  readonly packageId: string
  readonly packType: 'bulk' | 'auditor' | 'subject'
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
  readonly sessionCount: number
  readonly createdAt: string
  readonly expiresAt: string
  readonly downloadUrl: string
  readonly applicationIds: readonly string[]
  readonly createdBy: string
}

/** Answer of evidencePackages.list. */
export interface PackagesAnswer {
  readonly packages: readonly PackageAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Part of answers. */
export interface PolicyRuleAnswer {
  readonly ruleId: string
  readonly version: number
  readonly name: string
  readonly enabled: boolean
  readonly match: {
    readonly stepTypes: readonly (
      | 'llm'
      | 'tool'
      | 'retrieval'
      | 'agent'
      | 'guardrail'
      | 'human'
      | 'other'
    )[]
    readonly toolNames: readonly string[]
    readonly attributes: readonly {
      readonly key: string
      readonly op:
        | 'eq'
        | 'ne'
        | 'in'
        | 'not_in'
        | 'gt'
        | 'gte'
        | 'lt'
        | 'lte'
        | 'contains'
        | 'starts_with'
        | 'glob'
        | 'exists'
      readonly value: (string | number | boolean) | readonly (string | number | boolean)[]
    }[]
    readonly dataCategories: readonly string[]
  }
  readonly effect: 'allow' | 'deny' | 'require_review'
  readonly severity: 'info' | 'warning' | 'critical'
  readonly reasonCategory:
    | 'policy_requires_human_review'
    | 'high_risk_action'
    | 'sensitive_data'
    | 'other'
  readonly reviewTier: 'standard' | 'high' | 'urgent'
  readonly dueInSeconds: number | null
  readonly expiresInSeconds: number | null
}

/** Answer of policyRules.read, policyRules.set. */
export interface PolicyRulesAnswer {
  readonly ruleSetVersion: number
  readonly rules: readonly PolicyRuleAnswer[]
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** Answer of profile.read, profile.update. */
export interface ProfileAnswer {
  readonly organizationName: string
  readonly contactEmail: string
  readonly country: string | null
  readonly timezone: string | null
  readonly updatedAt: string
}

/** Answer of sessions.proof. */
export interface ProofAnswer {
  readonly sessionId: string
  readonly applicationId: string
  readonly revision: number
  readonly hashAlgorithm: 'rfc9162-sha256'
  readonly batchId: string
  readonly leafIndex: number
  readonly treeSize: number
  readonly inclusionPath: readonly string[]
  readonly merkleRoot: string
  readonly leafHash: string
  readonly anchor: AnchorAnswer
}

/** Answer of portal.listQueue. */
export interface QueueAnswer {
  readonly queue: readonly QueuedCaseAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
  readonly scannedTo: string | null
}

/** Part of answers. */
export interface QueuedCaseAnswer {
  readonly reviewCaseId: string
  readonly applicationId: string
  readonly applicationName: string | null
  readonly sessionId: string
  readonly title: string | null
  readonly tool: string | null
  readonly reviewTier: 'standard' | 'high' | 'urgent'
  readonly reasonCategory:
    | 'policy_requires_human_review'
    | 'high_risk_action'
    | 'sensitive_data'
    | 'other'
  readonly state: 'open' | 'decided' | 'cancelled' | 'expired'
  readonly decision:
    | 'approved'
    | 'rejected'
    | 'follow_up_required'
    | 'response_submitted'
    | 'cancelled'
    | 'expired'
    | null
  readonly createdAt: string
  readonly dueAt: string
  readonly expiresAt: string
  readonly overdue: boolean
  readonly followUp: 'asked' | 'answered' | null
  readonly assignee: { readonly memberId: string; readonly name: string | null } | null
  readonly idleSince: string | null
  readonly requestedBy: string | null
  readonly caseVersion: number
  readonly eventSequence: number
}

/** Answer of webhooks.recover. */
export interface RecoveryAnswer {
  readonly selected: {
    readonly by: 'event' | 'given_up'
    readonly from: string
    readonly until: string
    readonly types: readonly string[] | null
  }
  readonly dryRun: boolean
  readonly counts: {
    readonly replayed: number
    readonly alreadyDelivered: number
    readonly inProgress: number
  }
  readonly results: readonly {
    readonly eventId: string
    readonly result: 'replayed' | 'already_delivered' | 'in_progress'
  }[]
}

/** Answer of redactionPolicies.read, redactionPolicies.set. */
export interface RedactionPoliciesAnswer {
  readonly policies: readonly {
    readonly redactionPolicyId: string
    readonly name: string
    readonly enabled: boolean
    readonly stepTypes: readonly (
      | 'llm'
      | 'tool'
      | 'retrieval'
      | 'agent'
      | 'guardrail'
      | 'human'
      | 'other'
    )[]
    readonly fields: readonly ('input' | 'output' | 'attributes' | 'metadata')[]
    readonly keys: readonly string[]
    readonly detect: 'email' | 'phone' | 'iban' | 'payment_card' | 'ip_address' | 'whole_value'
    readonly action: 'mask' | 'remove' | 'hash'
  }[]
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** Answer of alertRules.remove. */
export interface RemovedAlertRuleAnswer {
  readonly alertRuleId: string
  readonly deleted: true
}

/** Answer of notificationChannels.remove. */
export interface RemovedNotificationChannelAnswer {
  readonly channelId: string
  readonly deleted: true
}

/** Answer of webhooks.remove. */
export interface RemovedWebhookAnswer {
  readonly id: string
  readonly deleted: true
}

/** Answer of webhooks.replay. */
export interface ReplayAnswer {
  readonly results: readonly {
    readonly eventId: string
    readonly result: 'replayed' | 'brought_forward' | 'in_progress'
  }[]
}

/** Answer of reviewCases.replayCallback. */
export type ReplayedAnswer =
  | CaseAnswer
  | {
      readonly reviewCaseId: string
      readonly callback: {
        readonly state: 'none' | 'pending' | 'received' | 'failed'
        readonly attempts: number
        readonly lastAttemptAt: string | null
      }
    }

/** Answer of auth.requestPasswordReset. */
export interface ResetRequestedAnswer {
  readonly requested: true
}

/** Answer of reviewCases.list. */
export interface ReviewCasesAnswer {
  readonly reviewCases: readonly CaseRowAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Part of answers. */
export interface ReviewEventAnswer {
  readonly event: Readonly<Record<string, unknown>>
  readonly deliveryStatus:
    | 'pending'
    | 'delivering'
    | 'retry_scheduled'
    | 'delivered'
    | 'dead_lettered'
  readonly deliveredAt: string | null
}

/** Answer of portal.readStatistics. */
export interface ReviewStatisticsAnswer {
  readonly from: string
  readonly until: string
  readonly all: {
    readonly approved: number
    readonly rejected: number
    readonly responseSubmitted: number
    readonly cancelled: number
    readonly expired: number
    readonly medianMs: number | null
    readonly viewed: number
    readonly viewedBriefly: number
    readonly medianViewedMs: number | null
  }
  readonly days: readonly {
    readonly day: string
    readonly approved: number
    readonly rejected: number
    readonly responseSubmitted: number
    readonly cancelled: number
    readonly expired: number
    readonly medianMs: number | null
    readonly viewed: number
    readonly viewedBriefly: number
    readonly medianViewedMs: number | null
  }[]
  readonly tiers: readonly {
    readonly reviewTier: 'standard' | 'high' | 'urgent'
    readonly approved: number
    readonly rejected: number
    readonly responseSubmitted: number
    readonly cancelled: number
    readonly expired: number
    readonly medianMs: number | null
    readonly viewed: number
    readonly viewedBriefly: number
    readonly medianViewedMs: number | null
  }[]
  readonly reviewers: readonly {
    readonly memberId: string
    readonly name: string | null
    readonly approved: number
    readonly rejected: number
    readonly responseSubmitted: number
    readonly cancelled: number
    readonly expired: number
    readonly medianMs: number | null
    readonly viewed: number
    readonly viewedBriefly: number
    readonly medianViewedMs: number | null
  }[]
}

/** Answer of reviewerGuidelines.read, reviewerGuidelines.set. */
export interface ReviewerGuidelinesAnswer {
  readonly guidelines: string | null
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** Part of answers. */
export interface ReviewerKeyAnswer {
  readonly kty: 'OKP' | 'EC' | 'RSA'
  readonly crv?: 'Ed25519' | 'P-256' | undefined
  readonly x?: string | undefined
  readonly y?: string | undefined
  readonly n?: string | undefined
  readonly e?: string | undefined
  readonly alg: 'EdDSA' | 'ES256' | 'RS256'
  readonly use: 'sig'
  readonly kid: string
  readonly memberId: string
  readonly from: string
  readonly until: string | null
}

/** Part of answers. */
export interface RpcErrorAnswer {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: number
  readonly detail: string
  readonly requestId: string
  readonly errors: readonly {
    readonly code: string
    readonly detail: string
    readonly pointer: string | null
    readonly parameter: string | null
  }[]
  readonly case?: CaseAnswer | undefined
  readonly written?: false | null | undefined
  readonly quota?:
    | { readonly limit: number | null; readonly used: number; readonly periodEnd: string }
    | undefined
  readonly expected?: string | undefined
  readonly computed?: string | undefined
  readonly check?: string | undefined
  readonly sessionId?: string | undefined
  readonly results?:
    | readonly {
        readonly eventId: string
        readonly result: 'replayed' | 'already_delivered' | 'in_progress'
      }[]
    | undefined
  readonly message: string
}

/** Answer of scores.read. */
export interface ScoresAnswer {
  readonly scorer: string
  readonly governance: number | null
  readonly components: Readonly<Record<string, number>>
  readonly qualityMean: number | null
  readonly sessions: number
  readonly computedAt: string | null
}

/** Part of answers. */
export interface SealedSignatureAnswer {
  readonly statement: DecisionStatementAnswer
  readonly credentialId: string
  readonly authenticatorData: string
  readonly clientDataJSON: string
  readonly signature: string
  readonly publicKey: Readonly<Record<string, unknown>>
}

/** Answer of sessions.read. */
export interface SessionAnswer {
  readonly sessionId: string
  readonly applicationId: string
  readonly origin: 'otlp' | 'submission'
  readonly status: 'running' | 'completed' | 'failed'
  readonly startedAt: string
  readonly endedAt: string | null
  readonly durationMs: number | null
  readonly dataSubjectId: string | null
  readonly agent: { readonly name: string; readonly version: string | null } | null
  readonly models: readonly string[]
  readonly metadata: unknown
  readonly stepCount: number
  readonly errorCount: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly qualityScore: number | null
  readonly openFlags: number
  readonly openReviewCases: number
  readonly reviewState: 'approved' | 'rejected' | null
  readonly revision: number
  readonly sealed: { readonly batchId: string; readonly leafIndex: number } | null
  readonly payloadStatus: 'readable' | 'partly_erased' | 'erased' | 'none'
  readonly incompleteAtSource: boolean
  readonly receivedAt: string
  readonly completedAt: string | null
  readonly removeAfter: string | null
}

/** Answer of evidence.certificate. */
export interface SessionCertificateAnswer {
  readonly certificateVersion: '1.0'
  readonly certificateType: 'session-anchor'
  readonly issuedAt: string
  readonly organizationName: string
  readonly tenantId: string
  readonly leafDefinition: string
  readonly commitmentDefinition: string
  readonly proof: ProofAnswer
  readonly statement: string
  readonly signatures: readonly SignatureAnswer[]
}

/** Answer of sessionReviews.create. */
export interface SessionReviewAnswer {
  readonly sessionReviewId: string
  readonly sessionId: string
  readonly revision: number
  readonly leafHash: string | null
  readonly decision: 'approved' | 'rejected'
  readonly comment: string | null
  readonly reviewerId: string
  readonly reviewerName: string
  readonly reviewedAt: string
}

/** Answer of sessionReviews.list. */
export interface SessionReviewsAnswer {
  readonly sessionReviews: readonly SessionReviewAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of sessions.list. */
export interface SessionsAnswer {
  readonly sessions: readonly SessionAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
  readonly scannedTo: string | null
}

/** Part of answers. */
export interface SignInAnswer {
  readonly statementVersion: '1.0'
  readonly statementType: 'sign-in'
  readonly issuedAt: string
  readonly nonce: string
}

/** Part of answers. */
export interface SignInProviderAnswer {
  readonly issuer: string
  readonly clientId: string
  readonly emailDomains: readonly string[]
  readonly provision: {
    readonly permissions: readonly ('Manage Integrations' | 'Review Cases' | 'Export Evidence')[]
  } | null
  readonly required: boolean
  readonly breakGlassMemberId: string | null
  readonly redirectUri: string
  readonly updatedAt: string
}

/** Answer of signInProvider.remove. */
export interface SignInProviderRemovedAnswer {
  readonly removed: true
}

/** Answer of signInProvider.read, signInProvider.set. */
export interface SignInProviderSettingsAnswer {
  readonly provider: SignInProviderAnswer | null
}

/** Answer of signInRule.read, signInRule.set. */
export interface SignInRuleAnswer {
  readonly signIn: 'password' | 'password_and_passkey' | 'passkey'
}

/** Part of answers. */
export interface SignatureAnswer {
  readonly keyId: string
  readonly alg: 'Ed25519'
  readonly sig: string
}

/** Answer of signedDecisions.read, signedDecisions.set. */
export interface SignedDecisionsAnswer {
  readonly applicationId: string
  readonly signedDecisions: 'optional' | 'elevated' | 'required'
  readonly refuseSynced: boolean
}

/** Answer of signingKeys.rotate. */
export interface SigningKeyAnswer {
  readonly use: 'webhooks' | 'evidence'
  readonly keyVersion: number
  readonly publicKey: string
  readonly signsFrom: string
  readonly previousSignsUntil: string | null
}

/** Answer of signingKeys.list. */
export interface SigningKeysAnswer {
  readonly signingKeys: readonly SigningKeyAnswer[]
}

/** Part of answers. */
export interface SigningModelAnswer {
  readonly aaguid: string
  readonly label: string
}

/** Answer of signingModels.read, signingModels.set. */
export interface SigningModelsAnswer {
  readonly version: number
  readonly models: readonly SigningModelAnswer[]
  readonly verifiable: readonly string[]
}

/** Answer of reviewCases.stateDecision. */
export interface StatedDecisionAnswer {
  readonly statement: DecisionStatementAnswer
  readonly nonces: { readonly comment: string | null; readonly response: string | null }
  readonly options: Readonly<Record<string, unknown>>
  readonly expiresAt: string
}

/** Answer of sessions.readStep. */
export interface StepAnswer {
  readonly stepId: string
  readonly parentStepId: string | null
  readonly type: 'llm' | 'tool' | 'retrieval' | 'agent' | 'guardrail' | 'human' | 'other'
  readonly name: string
  readonly startedAt: string
  readonly endedAt: string
  readonly status: 'ok' | 'error'
  readonly model: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly toolName: string | null
  readonly dataSubjectId: string | null
  readonly dataCategories: readonly string[]
  readonly checkpointId: string | null
  readonly late: boolean
  readonly truncated: boolean
  readonly redactions: number
  readonly scores: readonly {
    readonly name: string
    readonly value: number
    readonly label: string | null
  }[]
  readonly payload: {
    readonly input: unknown
    readonly output: unknown
    readonly attributes: unknown
    readonly nonces: Readonly<Record<string, string>>
  } | null
  readonly payloadStatus: 'readable' | 'erased' | 'none'
}

/** Answer of sessions.listSteps. */
export interface StepsAnswer {
  readonly steps: readonly StepAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** Answer of subjects.lookup. */
export interface SubjectAnswer {
  readonly dataSubjectId: string
  readonly applicationIds: readonly string[]
  readonly sessionCount: number
  readonly caseCount: number
  readonly activeHolds: number
}

/** Answer of portal.readSummary. */
export interface SummaryAnswer {
  readonly serverTime: string
  readonly reviewCases: {
    readonly mine: number
    readonly unassigned: number
    readonly overdue: number
    readonly answered: number
    readonly soonestDueAt: string | null
  } | null
  readonly webhooks: {
    readonly turnedOff: number
    readonly failing: number
    readonly deadLettered: number
    readonly unverified: number
  }
  readonly sandbox: boolean
}

/** Part of answers. */
export interface TombstoneAnswer {
  readonly applicationId: string
  readonly name: null
  readonly description: null
  readonly stage: null
  readonly lifecycleState: 'purged'
  readonly version: null
  readonly createdAt: null
  readonly updatedAt: null
  readonly promotedAt: null
  readonly deletion: null
  readonly purgedAt: string
  readonly health: null
  readonly settings: null
  readonly outcomeCallback: null
}

/** Answer of ingest.usage. */
export interface UsageAnswer {
  readonly applicationId: string
  readonly keyId: string
  readonly type: 'primary ingest' | 'secondary' | 'management'
  readonly ratePerMinute: number
  readonly sessionsUsed: number
  readonly sessionsPerMonth: number | null
  readonly periodEnd: string
}

/** Answer of webhooks.create, webhooks.read, webhooks.update and others. */
export interface WebhookAnswer {
  readonly id: string
  readonly url: string
  readonly eventTypes: readonly (
    | '*'
    | 'review.case.created'
    | 'review.case.assignment_changed'
    | 'review.case.follow_up_required'
    | 'review.case.decided'
    | 'review.case.cancelled'
    | 'review.case.expired'
    | 'review.case.overdue'
    | 'review.continuation.acknowledged'
    | 'review.continuation.delivery_failed'
    | 'alert.triggered'
    | 'alert.resolved'
    | 'session.flagged'
    | 'session.review.approved'
    | 'session.review.rejected'
    | 'governance.threshold_breached'
    | 'gdpr.erasure_completed'
    | 'gdpr.legal_hold_placed'
    | 'application.purge_completed'
    | 'quality.score_computed'
    | 'evidence_package.ready'
    | 'session.completed'
    | 'application.promoted'
    | 'health.status_changed'
    | 'compliance.rule_violation'
  )[]
  readonly description: string | null
  readonly status: 'receiving' | 'turned_off'
  readonly statusReason: 'endpoint_gone' | 'retries_exhausted' | 'owner' | null
  readonly turnedOffAt: string | null
  readonly signing: {
    readonly method: 'ed25519' | 'shared_secret'
    readonly keyVersion: number
    readonly publicKey: string | null
    readonly nextPublicKey: string | null
    readonly nextSignsFrom: string | null
    readonly hasSecret: boolean
    readonly previousSecretValidUntil: string | null
    readonly secret?: string | undefined
  }
  readonly verification: {
    readonly state: 'pending' | 'verified' | 'failed'
    readonly requestedAt: string
    readonly verifiedAt: string | null
  }
  readonly createdAt: string
  readonly updatedAt: string
}

/** Answer of webhooks.statistics. */
export interface WebhookStatisticsAnswer {
  readonly hours: readonly {
    readonly from: string
    readonly delivered: number
    readonly failed: number
    readonly p50Ms: number | null
    readonly p95Ms: number | null
  }[]
}

/** Answer of webhooks.list. */
export interface WebhooksAnswer {
  readonly webhooks: readonly WebhookAnswer[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}
