// Generated from the route table by .ci/client.mjs: change that, and run `npm run describe`.
import type { CallOptions, CaseReference, FileAnswer, SeenCase } from './call.ts'
import type { Pages } from './pages.ts'
import type {
  AcceptedAnswer,
  AlertRuleAnswer,
  AlertRulesAnswer,
  AnchorAnswer,
  AnchorsAnswer,
  AnnotationAnswer,
  AnnotationsAnswer,
  AnyApplicationAnswer,
  ApplicationAnswer,
  ApplicationKeyAnswer,
  ApplicationKeysAnswer,
  ApplicationsAnswer,
  AsyncApiAnswer,
  AttemptsAnswer,
  AuditEntryAnswer,
  AuthenticatorAnswer,
  AuthenticatorChangeStatementAnswer,
  AuthenticatorRegistrationAnswer,
  AuthenticatorsAnswer,
  BegunAtProviderAnswer,
  BegunSignInAnswer,
  CallbackAttemptAnswer,
  CaseAnswer,
  CaseProofAnswer,
  CaseRowAnswer,
  CustomerKeyAnswer,
  CustomerKeysAnswer,
  DeliveriesAnswer,
  DeliveryLogAnswer,
  DeliveryLogsAnswer,
  EntitlementsAnswer,
  EntriesAnswer,
  ErasureCertificateAnswer,
  ErasureRequestAnswer,
  ErasureRequestsAnswer,
  EventsAnswer,
  EvidenceAnswer,
  FlagAnswer,
  FlagsAnswer,
  IngestRulesAnswer,
  InspectedDeliveryAnswer,
  InspectedEventAnswer,
  InvitationAnswer,
  InvitationsAnswer,
  KeyRequestAnswer,
  KeyRequestsAnswer,
  KeySetAnswer,
  LegalHoldAnswer,
  LegalHoldsAnswer,
  LoginAnswer,
  LogoutAnswer,
  MemberRecordAnswer,
  MemberSessionAnswer,
  MembersAnswer,
  MissedWindowsAnswer,
  NewApplicationKeyAnswer,
  NewCustomerKeyAnswer,
  NoticesAnswer,
  NotificationChannelAnswer,
  NotificationChannelsAnswer,
  NotificationChannelTestAnswer,
  OfferedInvitationAnswer,
  OpenApiAnswer,
  OutcomeCallbackAnswer,
  PackageAnswer,
  PackagesAnswer,
  PolicyRulesAnswer,
  ProfileAnswer,
  ProofAnswer,
  QueueAnswer,
  QueuedCaseAnswer,
  RecoveryAnswer,
  RedactionPoliciesAnswer,
  RemovedAlertRuleAnswer,
  RemovedNotificationChannelAnswer,
  RemovedWebhookAnswer,
  ReplayAnswer,
  ReplayedAnswer,
  ResetRequestedAnswer,
  ReviewCasesAnswer,
  ReviewEventAnswer,
  ReviewerGuidelinesAnswer,
  ReviewStatisticsAnswer,
  ScoresAnswer,
  SessionAnswer,
  SessionCertificateAnswer,
  SessionReviewAnswer,
  SessionReviewsAnswer,
  SessionsAnswer,
  SignedDecisionsAnswer,
  SignInProviderRemovedAnswer,
  SignInProviderSettingsAnswer,
  SignInRuleAnswer,
  SigningKeyAnswer,
  SigningKeysAnswer,
  SigningModelsAnswer,
  StatedDecisionAnswer,
  StepAnswer,
  StepsAnswer,
  SubjectAnswer,
  SummaryAnswer,
  WebhookAnswer,
  WebhookStatisticsAnswer,
  WebhooksAnswer,
} from './types.ts'

/** The operations of the portal host, by group. */
export interface PortalApi {
  readonly auth: {
    /** Log a member in. */
    login(
      input: { readonly email: string; readonly password: string },
      options?: CallOptions,
    ): Promise<LoginAnswer>
    /** Begin a sign-in by a passkey. */
    startPasskey(
      input?: Readonly<Record<string, never>>,
      options?: CallOptions,
    ): Promise<BegunSignInAnswer>
    /** Log a member in by their passkey. */
    passkey(
      input: {
        readonly credential: {
          readonly statement: {
            readonly statementVersion: '1.0'
            readonly statementType: 'sign-in'
            readonly issuedAt: string
            readonly nonce: string
          }
          readonly credentialId: string
          readonly authenticatorData: string
          readonly clientDataJSON: string
          readonly signature: string
          readonly userHandle: string
        }
      },
      options?: CallOptions,
    ): Promise<LoginAnswer>
    /** Begin a sign-in by the organization's OpenID provider. */
    startProvider(
      input: { readonly email: string },
      options?: CallOptions,
    ): Promise<BegunAtProviderAnswer>
    /** Log in whom the organization's OpenID provider signed in. */
    provider(input: { readonly query: string }, options?: CallOptions): Promise<LoginAnswer>
    /** End the session, or all sessions of the member. */
    logout(
      input?: { readonly everywhere?: boolean | undefined },
      options?: CallOptions,
    ): Promise<LogoutAnswer>
    /** Read the member behind the session. */
    session(
      input?: Readonly<Record<string, never>>,
      options?: CallOptions,
    ): Promise<MemberSessionAnswer>
    /** Read who invites to what, by the token of the invitation. */
    readInvitation(
      input: { readonly token: string },
      options?: CallOptions,
    ): Promise<OfferedInvitationAnswer>
    /** Become a member by an invitation, without a session. */
    acceptInvitation(
      input: { readonly token: string; readonly name: string; readonly password: string },
      options?: CallOptions,
    ): Promise<AcceptedAnswer>
    /** Change the own password, and end all other sign-ins. */
    changePassword(
      input: { readonly current: string; readonly next: string },
      options?: CallOptions,
    ): Promise<LoginAnswer>
    /** Ask for a mail with the link of a reset; the answer is always the same. */
    requestPasswordReset(
      input: { readonly email: string },
      options?: CallOptions,
    ): Promise<ResetRequestedAnswer>
    /** Choose a password by the token of a reset, and end all sign-ins. */
    acceptPasswordReset(
      input: { readonly token: string; readonly password: string },
      options?: CallOptions,
    ): Promise<AcceptedAnswer>
  }
  readonly signInProvider: {
    /** Read the organization's OpenID provider. */
    read(
      input?: Readonly<Record<string, never>>,
      options?: CallOptions,
    ): Promise<SignInProviderSettingsAnswer>
    /** Set the organization's OpenID provider; all admins are told by mail. */
    set(
      input: {
        readonly issuer: string
        readonly clientId: string
        readonly emailDomains: readonly string[]
        readonly provision?:
          | {
              readonly permissions: readonly (
                | 'Manage Integrations'
                | 'Review Cases'
                | 'Export Evidence'
              )[]
            }
          | null
          | undefined
        readonly required: boolean
        readonly breakGlassMemberId?: string | null | undefined
        readonly clientSecret?: string | undefined
        readonly password?: string | undefined
        readonly assertion?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'authenticator-change'
                readonly tenantId: string
                readonly memberId: string
                readonly change: 'add' | 'remove' | 'weaken'
                readonly subject?: string | null | undefined
                readonly settingDigest?: string | null | undefined
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
      },
      options?: CallOptions,
    ): Promise<SignInProviderSettingsAnswer>
    /** Remove the organization's OpenID provider; all admins are told by mail. */
    remove(
      input?: {
        readonly password?: string | undefined
        readonly assertion?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'authenticator-change'
                readonly tenantId: string
                readonly memberId: string
                readonly change: 'add' | 'remove' | 'weaken'
                readonly subject?: string | null | undefined
                readonly settingDigest?: string | null | undefined
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
      },
      options?: CallOptions,
    ): Promise<SignInProviderRemovedAnswer>
  }
  readonly signInRule: {
    /** Read how members sign in. */
    read(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<SignInRuleAnswer>
    /** Set how members sign in; all admins are told by mail. */
    set(
      input: {
        readonly signIn: 'password' | 'password_and_passkey' | 'passkey'
        readonly password?: string | undefined
        readonly assertion?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'authenticator-change'
                readonly tenantId: string
                readonly memberId: string
                readonly change: 'add' | 'remove' | 'weaken'
                readonly subject?: string | null | undefined
                readonly settingDigest?: string | null | undefined
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
      },
      options?: CallOptions,
    ): Promise<SignInRuleAnswer>
  }
  readonly applications: {
    /** List applications. */
    list(
      input?: {
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
        readonly stage?: 'development' | 'staging' | 'production' | undefined
      },
      options?: CallOptions,
    ): Pages<ApplicationsAnswer, ApplicationAnswer>
    /** Create an application. */
    create(
      input: {
        readonly name: string
        readonly description?: string | null | undefined
        readonly settings?:
          | {
              readonly governanceThreshold?: number | null | undefined
              readonly qualityThreshold?: number | null | undefined
            }
          | null
          | undefined
        readonly stage?: 'development' | 'staging' | 'production' | undefined
      },
      options?: CallOptions,
    ): Promise<ApplicationAnswer>
    /** Read an application, or what stays of it. */
    read(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<AnyApplicationAnswer>
    /** Change name, description and thresholds of an application. */
    update(
      input: {
        readonly applicationId: string
        readonly version?: number | undefined
        readonly name?: string | undefined
        readonly description?: string | null | undefined
        readonly settings?:
          | {
              readonly governanceThreshold?: number | null | undefined
              readonly qualityThreshold?: number | null | undefined
            }
          | null
          | undefined
      },
      options?: CallOptions,
    ): Promise<ApplicationAnswer>
    /** Raise the stage of an application. */
    promote(
      input: {
        readonly applicationId: string
        readonly to: 'development' | 'staging' | 'production'
      },
      options?: CallOptions,
    ): Promise<ApplicationAnswer>
    /** Mark an application for deletion and start its grace period. */
    requestDeletion(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<ApplicationAnswer>
    /** Take back a deletion whose purge has not begun. */
    cancelDeletion(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<ApplicationAnswer>
    /** Set where outcomes are sent. */
    setOutcomeCallback(
      input: {
        readonly applicationId: string
        readonly url: string
        readonly enabled: boolean
        readonly signing?: { readonly method: 'ed25519' | 'shared_secret' } | undefined
      },
      options?: CallOptions,
    ): Promise<OutcomeCallbackAnswer>
    /** Remove where outcomes are sent, and give up what is still owed. */
    removeOutcomeCallback(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<ApplicationAnswer>
    /** Rotate the secret of the outcome callback and show it once. */
    rotateCallbackSecret(
      input: { readonly applicationId: string; readonly force?: boolean | undefined },
      options?: CallOptions,
    ): Promise<OutcomeCallbackAnswer>
  }
  readonly applicationKeys: {
    /** List keys of an application, without their values. */
    list(
      input: {
        readonly applicationId: string
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<ApplicationKeysAnswer, ApplicationKeyAnswer>
    /** Create a key and show its value once. */
    create(
      input: { readonly applicationId: string; readonly label: string },
      options?: CallOptions,
    ): Promise<NewApplicationKeyAnswer>
    /** Revoke a key for good. */
    revoke(
      input: { readonly applicationId: string; readonly keyId: string },
      options?: CallOptions,
    ): Promise<ApplicationKeyAnswer>
  }
  readonly customerKeys: {
    /** List the customer keys of all applications, without their values. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<CustomerKeysAnswer, CustomerKeyAnswer>
    /** Issue a secondary key of an application and show its value once. */
    issue(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<NewCustomerKeyAnswer>
    /** Revoke a customer key for good. */
    revoke(input: { readonly keyId: string }, options?: CallOptions): Promise<CustomerKeyAnswer>
  }
  readonly signingKeys: {
    /** List the newest signing key of each use. */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<SigningKeysAnswer>
    /** Rotate the key that signs events, or the one that signs evidence. */
    rotate(
      input: { readonly use: 'webhooks' | 'evidence' },
      options?: CallOptions,
    ): Promise<SigningKeyAnswer>
  }
  readonly members: {
    /** List members, pending ones included, the oldest first. */
    list(
      input?: {
        readonly status?: 'Active' | 'Pending invitation' | 'Suspended' | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<MembersAnswer, MemberRecordAnswer>
    /** Set role and permissions of a member, and end their sessions. */
    setRole(
      input: {
        readonly memberId: string
        readonly role: 'CustomerAdmin' | 'CustomerAuditor'
        readonly permissions: readonly (
          | 'Manage Integrations'
          | 'Review Cases'
          | 'Export Evidence'
        )[]
      },
      options?: CallOptions,
    ): Promise<MemberRecordAnswer>
    /** Suspend a member and end their sessions at once. */
    deactivate(
      input: { readonly memberId: string; readonly confirm: true },
      options?: CallOptions,
    ): Promise<MemberRecordAnswer>
    /** Let a suspended member log in again. */
    reactivate(
      input: { readonly memberId: string },
      options?: CallOptions,
    ): Promise<MemberRecordAnswer>
    /** List a member's authenticators, revoked ones too. */
    authenticators(
      input: {
        readonly memberId: string
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<AuthenticatorsAnswer, AuthenticatorAnswer>
    /** Revoke a member's authenticator; they are told by mail. */
    revokeAuthenticator(
      input: { readonly memberId: string; readonly authenticatorId: string },
      options?: CallOptions,
    ): Promise<AuthenticatorAnswer>
  }
  readonly invitations: {
    /** List invitations, newest first. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<InvitationsAnswer, InvitationAnswer>
    /** Invite an address for 72 hours. */
    create(
      input: {
        readonly email: string
        readonly role?: 'CustomerAdmin' | 'CustomerAuditor' | undefined
        readonly permissions?:
          | readonly ('Manage Integrations' | 'Review Cases' | 'Export Evidence')[]
          | undefined
      },
      options?: CallOptions,
    ): Promise<InvitationAnswer>
    /** Send a new token in place of the last. */
    resend(
      input: { readonly invitationId: string },
      options?: CallOptions,
    ): Promise<InvitationAnswer>
    /** Withdraw a pending invitation. */
    withdraw(
      input: { readonly invitationId: string },
      options?: CallOptions,
    ): Promise<InvitationAnswer>
  }
  readonly authenticators: {
    /** List the own authenticators, revoked ones too. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<AuthenticatorsAnswer, AuthenticatorAnswer>
    /** Begin the registration of an authenticator. */
    startRegistration(
      input: {
        readonly use: 'signing' | 'sign_in'
        readonly password?: string | undefined
        readonly assertion?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'authenticator-change'
                readonly tenantId: string
                readonly memberId: string
                readonly change: 'add' | 'remove' | 'weaken'
                readonly subject?: string | null | undefined
                readonly settingDigest?: string | null | undefined
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
        readonly token?: string | undefined
      },
      options?: CallOptions,
    ): Promise<AuthenticatorRegistrationAnswer>
    /** Get the statement of a change, to be signed. */
    stateChange(
      input: {
        readonly change: 'add' | 'remove' | 'weaken'
        readonly subject?: string | null | undefined
        readonly settingDigest?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<AuthenticatorChangeStatementAnswer>
    /** Enrol an authenticator; its member is told by mail. */
    enrol(
      input: {
        readonly name: string
        readonly use: 'signing' | 'sign_in'
        readonly credential: {
          readonly id: string
          readonly response: { readonly clientDataJSON: string; readonly attestationObject: string }
        }
      },
      options?: CallOptions,
    ): Promise<AuthenticatorAnswer>
    /** Rename an own authenticator. */
    rename(
      input: { readonly authenticatorId: string; readonly name: string },
      options?: CallOptions,
    ): Promise<AuthenticatorAnswer>
    /** Revoke an own authenticator; its member is told by mail. */
    revoke(
      input: {
        readonly authenticatorId: string
        readonly password?: string | undefined
        readonly assertion?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'authenticator-change'
                readonly tenantId: string
                readonly memberId: string
                readonly change: 'add' | 'remove' | 'weaken'
                readonly subject?: string | null | undefined
                readonly settingDigest?: string | null | undefined
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
      },
      options?: CallOptions,
    ): Promise<AuthenticatorAnswer>
  }
  readonly signedDecisions: {
    /** Read which decisions must be signed. */
    read(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<SignedDecisionsAnswer>
    /** Set which decisions must be signed. */
    set(
      input: {
        readonly applicationId: string
        readonly signedDecisions: 'optional' | 'elevated' | 'required'
        readonly refuseSynced: boolean
        readonly assertion?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'authenticator-change'
                readonly tenantId: string
                readonly memberId: string
                readonly change: 'add' | 'remove' | 'weaken'
                readonly subject?: string | null | undefined
                readonly settingDigest?: string | null | undefined
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
      },
      options?: CallOptions,
    ): Promise<SignedDecisionsAnswer>
  }
  readonly signingModels: {
    /** Read of which models authenticators must be that sign decisions. */
    read(
      input?: Readonly<Record<string, never>>,
      options?: CallOptions,
    ): Promise<SigningModelsAnswer>
    /** Set of which models authenticators must be that sign decisions. */
    set(
      input: {
        readonly models: readonly { readonly aaguid: string; readonly label: string }[]
        readonly version?: number | undefined
        readonly assertion?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'authenticator-change'
                readonly tenantId: string
                readonly memberId: string
                readonly change: 'add' | 'remove' | 'weaken'
                readonly subject?: string | null | undefined
                readonly settingDigest?: string | null | undefined
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
      },
      options?: CallOptions,
    ): Promise<SigningModelsAnswer>
  }
  readonly profile: {
    /** Read the organization's profile. */
    read(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<ProfileAnswer>
    /** Replace the organization's profile. */
    update(
      input: {
        readonly organizationName: string
        readonly contactEmail: string
        readonly country?: string | null | undefined
        readonly timezone?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<ProfileAnswer>
  }
  readonly entitlements: {
    /** Read what the plan includes, and what of it is used. */
    read(
      input?: Readonly<Record<string, never>>,
      options?: CallOptions,
    ): Promise<EntitlementsAnswer>
  }
  readonly auditLog: {
    /** List entries of the audit log, newest first. */
    list(
      input?: {
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
        readonly before?: number | undefined
        readonly actor?: string | undefined
        readonly action?: string | undefined
        readonly subject?: string | undefined
        readonly from?: string | undefined
        readonly until?: string | undefined
      },
      options?: CallOptions,
    ): Pages<EntriesAnswer, AuditEntryAnswer>
  }
  readonly keyRequests: {
    /** Ask staff to issue-customer-key, issue-secondary-key, revoke-key or rotate-tenant-key. */
    submit(
      input: {
        readonly action: string
        readonly applicationId?: string | undefined
        readonly type?: 'primary ingest' | 'secondary' | 'management' | undefined
        readonly keyId?: string | undefined
        readonly reason: string
      },
      options?: CallOptions,
    ): Promise<KeyRequestAnswer>
    /** List key requests, newest first. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<KeyRequestsAnswer, KeyRequestAnswer>
    /** Read a key request. */
    read(input: { readonly requestId: string }, options?: CallOptions): Promise<KeyRequestAnswer>
    /** Withdraw a key request that nobody has approved. */
    cancel(input: { readonly requestId: string }, options?: CallOptions): Promise<KeyRequestAnswer>
    /** Issue the key of an executed request and show its value to the requester, once. */
    reveal(
      input: { readonly requestId: string },
      options?: CallOptions,
    ): Promise<NewCustomerKeyAnswer>
  }
  readonly reviewCases: {
    /** List cases, newest first. */
    list(
      input?: {
        readonly state?: 'open' | 'decided' | 'cancelled' | 'expired' | undefined
        readonly assignee?: string | undefined
        readonly tier?: 'standard' | 'high' | 'urgent' | undefined
        readonly applicationId?: string | undefined
        readonly sessionId?: string | undefined
        readonly include?: 'presentation' | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<ReviewCasesAnswer, CaseRowAnswer>
    /** Read a case. */
    read(input: CaseReference, options?: CallOptions): Promise<CaseAnswer>
    /** Prove that a closed case is sealed under a Merkle root. */
    proof(input: CaseReference, options?: CallOptions): Promise<CaseProofAnswer>
    /** Take an unassigned case. */
    claim(input: SeenCase, options?: CallOptions): Promise<CaseAnswer>
    /** Hand a case to another reviewer. */
    reassign(
      input: SeenCase & { readonly reviewerId: string },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Ask the application a question. */
    requestFollowUp(
      input: SeenCase & { readonly question: string },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Get the statement of a decision, to be signed. */
    stateDecision(
      input: CaseReference & {
        readonly caseVersion: number
        readonly presentationDigest: string
        readonly decision: 'approved' | 'rejected' | 'response_submitted'
        readonly comment?: string | null | undefined
        readonly response?: unknown
      },
      options?: CallOptions,
    ): Promise<StatedDecisionAnswer>
    /** Decide a case. */
    decide(
      input: SeenCase & {
        readonly presentationDigest: string
        readonly decision: 'approved' | 'rejected' | 'response_submitted'
        readonly comment?: string | null | undefined
        readonly response?: unknown
        readonly viewedMs?: number | undefined
        readonly signature?:
          | {
              readonly statement: {
                readonly statementVersion: '1.0'
                readonly statementType: 'review-decision'
                readonly tenantId: string
                readonly applicationId: string
                readonly sessionId: string
                readonly checkpointId: string
                readonly resumeTokenDigest?: string | null | undefined
                readonly reviewCaseId: string
                readonly caseVersion: number
                readonly askedDigest?: string | null | undefined
                readonly presentationDigest: string
                readonly decision: 'approved' | 'rejected' | 'response_submitted'
                readonly commentDigest?: string | null | undefined
                readonly responseDigest?: string | null | undefined
                readonly memberId: string
                readonly issuedAt: string
                readonly nonce: string
              }
              readonly nonces: {
                readonly comment?: string | null | undefined
                readonly response?: string | null | undefined
              }
              readonly credentialId: string
              readonly authenticatorData: string
              readonly clientDataJSON: string
              readonly signature: string
            }
          | undefined
      },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Cancel a case that needs no decision any more. */
    cancel(
      input: SeenCase & {
        readonly reasonCategory:
          | 'end_user_cancelled'
          | 'parent_workflow_ended'
          | 'safer_alternative_completed'
          | 'checkpoint_unavailable'
          | 'checkpoint_superseded'
          | 'application_lifecycle'
          | 'policy_rule_withdrawn'
      },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Send a failed outcome callback again. */
    replayCallback(input: CaseReference, options?: CallOptions): Promise<ReplayedAnswer>
    /** List the attempts of seven days to send the outcome callback, newest first. */
    listCallbackAttempts(
      input: CaseReference & {
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<AttemptsAnswer, CallbackAttemptAnswer>
  }
  readonly reviewerGuidelines: {
    /** Read the guidelines of an application's reviewers. */
    read(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<ReviewerGuidelinesAnswer>
    /** Replace the guidelines of an application's reviewers. */
    set(
      input: { readonly applicationId: string; readonly guidelines?: string | null | undefined },
      options?: CallOptions,
    ): Promise<ReviewerGuidelinesAnswer>
  }
  readonly portal: {
    /** Read in numbers what waits for the member. */
    readSummary(
      input?: Readonly<Record<string, never>>,
      options?: CallOptions,
    ): Promise<SummaryAnswer>
    /** List cases for their reviewers, by when they are due. */
    listQueue(
      input?: {
        readonly state?: 'open' | 'decided' | 'cancelled' | 'expired' | undefined
        readonly assignee?: string | undefined
        readonly tier?: 'standard' | 'high' | 'urgent' | undefined
        readonly applicationId?: string | undefined
        readonly overdue?: boolean | undefined
        readonly followUp?: 'asked' | 'answered' | undefined
        readonly idleMinutes?: number | undefined
        readonly sort?: 'dueAt' | '-dueAt' | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<QueueAnswer, QueuedCaseAnswer>
    /** Read how cases ended, and how soon. */
    readStatistics(
      input?: { readonly days?: number | undefined },
      options?: CallOptions,
    ): Promise<ReviewStatisticsAnswer>
    /** Read what the member is told by mail. */
    readNotices(
      input?: Readonly<Record<string, never>>,
      options?: CallOptions,
    ): Promise<NoticesAnswer>
    /** Choose what the member is told by mail. */
    setNotices(
      input: { readonly reviewWaiting: boolean },
      options?: CallOptions,
    ): Promise<NoticesAnswer>
  }
  readonly webhooks: {
    /** List webhooks. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<WebhooksAnswer, WebhookAnswer>
    /** Create a webhook and show its secret once. */
    create(
      input: {
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
        readonly description?: string | null | undefined
        readonly signing?:
          | {
              readonly method?: 'ed25519' | 'shared_secret' | undefined
              readonly secret?: string | null | undefined
            }
          | undefined
        readonly secret?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<WebhookAnswer>
    /** Read a webhook. */
    read(input: { readonly webhookId: string }, options?: CallOptions): Promise<WebhookAnswer>
    /** Change a webhook; absent members keep. */
    update(
      input: {
        readonly webhookId: string
        readonly url?: string | undefined
        readonly eventTypes?:
          | readonly (
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
          | undefined
        readonly description?: string | null | undefined
        readonly signing?:
          | {
              readonly method?: 'ed25519' | 'shared_secret' | undefined
              readonly secret?: string | null | undefined
            }
          | undefined
        readonly secret?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<WebhookAnswer>
    /** Remove a webhook. */
    remove(
      input: { readonly webhookId: string },
      options?: CallOptions,
    ): Promise<RemovedWebhookAnswer>
    /** Send a sample event once. */
    test(input: { readonly webhookId: string }, options?: CallOptions): Promise<DeliveryLogAnswer>
    /** Send a new challenge. */
    requestVerification(
      input: { readonly webhookId: string },
      options?: CallOptions,
    ): Promise<WebhookAnswer>
    /** Rotate the secret and show it once. */
    rotateSecret(
      input: {
        readonly webhookId: string
        readonly secret?: string | undefined
        readonly force?: boolean | undefined
      },
      options?: CallOptions,
    ): Promise<WebhookAnswer>
    /** Turn a webhook on. */
    turnOn(input: { readonly webhookId: string }, options?: CallOptions): Promise<WebhookAnswer>
    /** Turn a webhook off. */
    turnOff(input: { readonly webhookId: string }, options?: CallOptions): Promise<WebhookAnswer>
    /** List delivery attempts of seven days, newest first. */
    deliveryLogs(
      input: {
        readonly webhookId: string
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<DeliveryLogsAnswer, DeliveryLogAnswer>
    /** List what a webhook was owed, newest first. */
    listDeliveries(
      input: {
        readonly webhookId: string
        readonly status?: 'pending' | 'retry_scheduled' | 'delivered' | 'dead_lettered' | undefined
        readonly type?:
          | 'review.case.created'
          | 'review.case.assignment_changed'
          | 'review.case.follow_up_required'
          | 'review.case.decided'
          | 'review.case.cancelled'
          | 'review.case.expired'
          | 'review.case.overdue'
          | 'review.continuation.acknowledged'
          | 'review.continuation.delivery_failed'
          | 'subscription.verification_requested'
          | 'subscription.disabled'
          | 'subscription.signing_key_rotating'
          | 'subscription.events_missed'
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
          | undefined
        readonly from?: string | undefined
        readonly until?: string | undefined
        readonly after?: string | undefined
        readonly limit?: number | undefined
      },
      options?: CallOptions,
    ): Promise<DeliveriesAnswer>
    /** Read a delivery with its body, attempts and schedule. */
    readDelivery(
      input: { readonly webhookId: string; readonly eventId: string },
      options?: CallOptions,
    ): Promise<InspectedDeliveryAnswer>
    /** Send one event again. */
    replay(
      input: { readonly webhookId: string; readonly eventId: string },
      options?: CallOptions,
    ): Promise<ReplayAnswer>
    /** Send what was dead-lettered in a span of time again. */
    recover(
      input: {
        readonly webhookId: string
        readonly from: string
        readonly until: string
        readonly types?: readonly string[] | undefined
        readonly by?: 'event' | 'given_up' | undefined
        readonly dryRun?: boolean | undefined
      },
      options?: CallOptions,
    ): Promise<RecoveryAnswer>
    /** List the spans of time in which a webhook was off. */
    missedWindows(
      input: { readonly webhookId: string },
      options?: CallOptions,
    ): Promise<MissedWindowsAnswer>
    /** Count the attempts of each hour, with their latency. */
    statistics(
      input: { readonly webhookId: string; readonly hours?: number | undefined },
      options?: CallOptions,
    ): Promise<WebhookStatisticsAnswer>
  }
  readonly reviewEvents: {
    /** List events that a webhook was owed, newest first. */
    list(
      input: {
        readonly subscriptionId: string
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<EventsAnswer, ReviewEventAnswer>
    /** Read an event with its deliveries to all webhooks. */
    read(input: { readonly eventId: string }, options?: CallOptions): Promise<InspectedEventAnswer>
  }
  readonly webhookKeys: {
    /** Read the tenant's public keys as a JWK set. */
    read(input: { readonly tenantId: string }, options?: CallOptions): Promise<KeySetAnswer>
  }
  readonly sessions: {
    /** List sessions, the latest first. */
    list(
      input?: {
        readonly applicationId?: string | undefined
        readonly status?: 'running' | 'completed' | 'failed' | undefined
        readonly origin?: 'otlp' | 'submission' | undefined
        readonly from?: string | undefined
        readonly until?: string | undefined
        readonly flagged?: boolean | undefined
        readonly openReview?: boolean | undefined
        readonly dataSubjectId?: string | undefined
        readonly minQuality?: number | undefined
        readonly maxQuality?: number | undefined
        readonly sort?: '-startedAt' | 'startedAt' | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<SessionsAnswer, SessionAnswer>
    /** Read a session. */
    read(
      input: { readonly sessionId: string; readonly applicationId?: string | undefined },
      options?: CallOptions,
    ): Promise<SessionAnswer>
    /** List a session's steps in order, without content. */
    listSteps(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<StepsAnswer, StepAnswer>
    /** Read a step with its content. */
    readStep(
      input: {
        readonly sessionId: string
        readonly stepId: string
        readonly applicationId?: string | undefined
      },
      options?: CallOptions,
    ): Promise<StepAnswer>
    /** Prove that a session is sealed under a Merkle root. */
    proof(
      input: { readonly sessionId: string; readonly applicationId?: string | undefined },
      options?: CallOptions,
    ): Promise<ProofAnswer>
  }
  readonly anchors: {
    /** List the entries of the anchor ledger, the latest first. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<AnchorsAnswer, AnchorAnswer>
  }
  readonly policyRules: {
    /** Read the policy rules of an application. */
    read(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<PolicyRulesAnswer>
    /** Replace the policy rules; cases of withdrawn rules are cancelled. */
    set(
      input: {
        readonly applicationId: string
        readonly ruleSetVersion: number
        readonly rules: readonly {
          readonly ruleId?: string | undefined
          readonly version?: number | undefined
          readonly name: string
          readonly enabled?: boolean | undefined
          readonly match?:
            | {
                readonly stepTypes?:
                  | readonly (
                      | 'llm'
                      | 'tool'
                      | 'retrieval'
                      | 'agent'
                      | 'guardrail'
                      | 'human'
                      | 'other'
                    )[]
                  | undefined
                readonly toolNames?: readonly string[] | undefined
                readonly attributes?:
                  | readonly {
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
                      readonly value:
                        | (string | number | boolean)
                        | readonly (string | number | boolean)[]
                    }[]
                  | undefined
                readonly dataCategories?: readonly string[] | undefined
              }
            | undefined
          readonly effect: 'allow' | 'deny' | 'require_review'
          readonly severity?: 'info' | 'warning' | 'critical' | undefined
          readonly reasonCategory?:
            | 'policy_requires_human_review'
            | 'high_risk_action'
            | 'sensitive_data'
            | 'other'
            | undefined
          readonly reviewTier?: 'standard' | 'high' | 'urgent' | undefined
          readonly dueInSeconds?: number | null | undefined
          readonly expiresInSeconds?: number | null | undefined
        }[]
      },
      options?: CallOptions,
    ): Promise<PolicyRulesAnswer>
  }
  readonly redactionPolicies: {
    /** Read the redaction policies of an application. */
    read(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<RedactionPoliciesAnswer>
    /** Replace the redaction policies, which apply before anything is stored. */
    set(
      input: {
        readonly applicationId: string
        readonly policies: readonly {
          readonly redactionPolicyId?: string | undefined
          readonly name: string
          readonly enabled?: boolean | undefined
          readonly stepTypes?:
            | readonly ('llm' | 'tool' | 'retrieval' | 'agent' | 'guardrail' | 'human' | 'other')[]
            | undefined
          readonly fields?: readonly ('input' | 'output' | 'attributes' | 'metadata')[] | undefined
          readonly keys?: readonly string[] | undefined
          readonly detect:
            | 'email'
            | 'phone'
            | 'iban'
            | 'payment_card'
            | 'ip_address'
            | 'whole_value'
          readonly action: 'mask' | 'remove' | 'hash'
        }[]
      },
      options?: CallOptions,
    ): Promise<RedactionPoliciesAnswer>
  }
  readonly ingestRules: {
    /** Read the ingest rules of an application. */
    read(
      input: { readonly applicationId: string },
      options?: CallOptions,
    ): Promise<IngestRulesAnswer>
    /** Replace the ingest rules: which attributes name session and subject, and which are dropped. */
    set(
      input: {
        readonly applicationId: string
        readonly sessionAttribute?: string | null | undefined
        readonly subjectAttribute?: string | null | undefined
        readonly dropAttributes?: readonly string[] | undefined
      },
      options?: CallOptions,
    ): Promise<IngestRulesAnswer>
  }
  readonly scores: {
    /** Read the scores of an application over 7 days. */
    read(input: { readonly applicationId: string }, options?: CallOptions): Promise<ScoresAnswer>
  }
  readonly alertRules: {
    /** List alert rules with their state. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<AlertRulesAnswer, AlertRuleAnswer>
    /** Create an alert rule, which is judged at once. */
    create(
      input: {
        readonly name: string
        readonly applicationId?: string | null | undefined
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
        readonly recoveryThreshold?: number | null | undefined
        readonly severity: 'info' | 'warning' | 'critical'
        readonly windowSeconds?: number | undefined
        readonly enabled?: boolean | undefined
      },
      options?: CallOptions,
    ): Promise<AlertRuleAnswer>
    /** Read an alert rule with its state. */
    read(input: { readonly alertRuleId: string }, options?: CallOptions): Promise<AlertRuleAnswer>
    /** Replace an alert rule; no event tells of it. */
    update(
      input: {
        readonly alertRuleId: string
        readonly name: string
        readonly applicationId?: string | null | undefined
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
        readonly recoveryThreshold?: number | null | undefined
        readonly severity: 'info' | 'warning' | 'critical'
        readonly windowSeconds?: number | undefined
        readonly enabled?: boolean | undefined
      },
      options?: CallOptions,
    ): Promise<AlertRuleAnswer>
    /** Remove an alert rule; no event tells of it. */
    remove(
      input: { readonly alertRuleId: string },
      options?: CallOptions,
    ): Promise<RemovedAlertRuleAnswer>
  }
  readonly notificationChannels: {
    /** List chat channels. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<NotificationChannelsAnswer, NotificationChannelAnswer>
    /** Create a chat channel, which hears of events at once. */
    create(
      input: {
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
        readonly enabled?: boolean | undefined
      },
      options?: CallOptions,
    ): Promise<NotificationChannelAnswer>
    /** Read a chat channel. */
    read(
      input: { readonly channelId: string },
      options?: CallOptions,
    ): Promise<NotificationChannelAnswer>
    /** Change a chat channel; absent members keep. */
    update(
      input: {
        readonly channelId: string
        readonly webhookUrl?: string | undefined
        readonly eventTypes?:
          | readonly (
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
          | undefined
        readonly enabled?: boolean | undefined
      },
      options?: CallOptions,
    ): Promise<NotificationChannelAnswer>
    /** Remove a chat channel. */
    remove(
      input: { readonly channelId: string },
      options?: CallOptions,
    ): Promise<RemovedNotificationChannelAnswer>
    /** Send a sample message once. */
    test(
      input: { readonly channelId: string },
      options?: CallOptions,
    ): Promise<NotificationChannelTestAnswer>
  }
  readonly evidence: {
    /** Export the signed evidence of a session. */
    read(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly format?: 'json' | undefined
      },
      options?: CallOptions,
    ): Promise<EvidenceAnswer>
    /** Export the structure of session and steps as CSV. */
    csv(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly bom?: boolean | undefined
      },
      options?: CallOptions,
    ): Promise<FileAnswer>
    /** Export the evidence of a session as PDF. */
    pack(
      input: { readonly sessionId: string; readonly applicationId?: string | undefined },
      options?: CallOptions,
    ): Promise<FileAnswer>
    /** Export the certificate of a session's seal, as PDF or JSON by Accept. */
    certificate(
      input: { readonly sessionId: string; readonly applicationId?: string | undefined },
      options?: CallOptions,
    ): Promise<SessionCertificateAnswer>
    /** Export the certificate of a session's seal, as PDF or JSON by Accept; here as PDF. */
    certificatePdf(
      input: { readonly sessionId: string; readonly applicationId?: string | undefined },
      options?: CallOptions,
    ): Promise<FileAnswer>
  }
  readonly evidencePackages: {
    /** Export the latest sessions of applications as a ZIP. */
    exportBulk(
      input: { readonly applicationIds: readonly string[] },
      options?: CallOptions,
    ): Promise<FileAnswer>
    /** Export what an auditor checks applications by, as a ZIP. */
    exportAuditor(
      input: { readonly applicationIds: readonly string[] },
      options?: CallOptions,
    ): Promise<FileAnswer>
    /** Export what is held of a data subject, as a ZIP or its report as PDF. */
    exportSubject(
      input: { readonly dataSubjectId: string; readonly format?: 'zip' | 'pdf' | undefined },
      options?: CallOptions,
    ): Promise<FileAnswer>
    /** List packages, newest first. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<PackagesAnswer, PackageAnswer>
    /** Read a package. */
    read(input: { readonly packageId: string }, options?: CallOptions): Promise<PackageAnswer>
    /** Download a package's copy. */
    download(input: { readonly packageId: string }, options?: CallOptions): Promise<FileAnswer>
  }
  readonly evidenceKeys: {
    /** Read the tenant's public evidence keys as a JWK set. */
    read(input: { readonly tenantId: string }, options?: CallOptions): Promise<KeySetAnswer>
  }
  readonly flags: {
    /** List the flags of a session. */
    list(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<FlagsAnswer, FlagAnswer>
    /** Flag a session; an open flag of its kind is returned. */
    raise(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly flag: 'quality' | 'safety' | 'privacy' | 'compliance' | 'other'
        readonly severity?: 'info' | 'warning' | 'critical' | undefined
        readonly note?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<FlagAnswer>
    /** Clear a flag. */
    clear(
      input: {
        readonly sessionId: string
        readonly flagId: string
        readonly applicationId?: string | undefined
      },
      options?: CallOptions,
    ): Promise<FlagAnswer>
  }
  readonly annotations: {
    /** List the annotations of a session. */
    list(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<AnnotationsAnswer, AnnotationAnswer>
    /** Annotate a session or one of its steps. */
    create(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly text: string
        readonly stepId?: string | null | undefined
        readonly label?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<AnnotationAnswer>
    /** Remove an annotation, by its author or an admin. */
    remove(
      input: {
        readonly sessionId: string
        readonly annotationId: string
        readonly applicationId?: string | undefined
      },
      options?: CallOptions,
    ): Promise<AnnotationAnswer>
  }
  readonly sessionReviews: {
    /** List the reviews of a session. */
    list(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<SessionReviewsAnswer, SessionReviewAnswer>
    /** Review a completed session; decides no case. */
    create(
      input: {
        readonly sessionId: string
        readonly applicationId?: string | undefined
        readonly decision: 'approved' | 'rejected'
        readonly comment?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<SessionReviewAnswer>
  }
  readonly subjects: {
    /** Look up what is held of a data subject. */
    lookup(input: { readonly dataSubjectId: string }, options?: CallOptions): Promise<SubjectAnswer>
  }
  readonly erasureRequests: {
    /** Ask for the erasure of a data subject's data. */
    create(
      input: {
        readonly dataSubjectId: string
        readonly applicationId?: string | null | undefined
        readonly reason:
          | 'consent_withdrawn'
          | 'no_longer_needed'
          | 'objection'
          | 'unlawful'
          | 'other'
        readonly confirm: true
      },
      options?: CallOptions,
    ): Promise<ErasureRequestAnswer>
    /** List erasure requests, newest first. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<ErasureRequestsAnswer, ErasureRequestAnswer>
    /** Read an erasure request. */
    read(
      input: { readonly erasureRequestId: string },
      options?: CallOptions,
    ): Promise<ErasureRequestAnswer>
    /** Reject an erasure request before its first key is destroyed. */
    reject(
      input: { readonly erasureRequestId: string; readonly reason: string },
      options?: CallOptions,
    ): Promise<ErasureRequestAnswer>
    /** Read the signed certificate of a completed erasure, as JSON or PDF by Accept. */
    certificate(
      input: { readonly erasureRequestId: string },
      options?: CallOptions,
    ): Promise<ErasureCertificateAnswer>
    /** Read the signed certificate of a completed erasure, as JSON or PDF by Accept; here as PDF. */
    certificatePdf(
      input: { readonly erasureRequestId: string },
      options?: CallOptions,
    ): Promise<FileAnswer>
  }
  readonly legalHolds: {
    /** Place a legal hold on a data subject. */
    place(
      input: {
        readonly dataSubjectId: string
        readonly applicationId?: string | null | undefined
        readonly matter: string
      },
      options?: CallOptions,
    ): Promise<LegalHoldAnswer>
    /** List legal holds, newest first. */
    list(
      input?: {
        readonly active?: boolean | undefined
        readonly page?: number | undefined
        readonly pageSize?: number | undefined
      },
      options?: CallOptions,
    ): Pages<LegalHoldsAnswer, LegalHoldAnswer>
    /** Release a legal hold. */
    release(
      input: { readonly holdId: string; readonly reason: string },
      options?: CallOptions,
    ): Promise<LegalHoldAnswer>
  }
  readonly description: {
    /** Read the description of this API as OpenAPI 3.1. */
    read(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<OpenApiAnswer>
    /** Read the catalogue of events and the outcome callback as AsyncAPI 3.0. */
    events(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<AsyncApiAnswer>
  }
}
