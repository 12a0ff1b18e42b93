import { createMember, createTenant } from './access/commands.ts'
import {
  countedLetters,
  endedSessions,
  failedTries,
  members,
  rosters,
  spentStatements,
  tenants,
} from './access/records.ts'
import { resumeTenant, suspendTenant } from './access/suspension.ts'
import { applicationKeys, customerKeys } from './api-keys/key-records.ts'
import { auditLogOperations } from './audit-log.ts'
import {
  listMemberAuthenticators,
  revokeMemberAuthenticator,
} from './authenticators/members-authenticators.ts'
import { authenticatorOperations } from './authenticators/operations.ts'
import { authenticators } from './authenticators/records.ts'
import { listReviewerKeys } from './authenticators/reviewer-keys.ts'
import { signingModelOperations } from './authenticators/set-signing-models.ts'
import { readEntitlements } from './entitlements.ts'
import { login } from './logins/login.ts'
import { loginFailureAudit } from './logins/login-audit.ts'
import { signInByPasskey, startPasskeySignIn } from './logins/passkey.ts'
import { logout, readMemberSession } from './logins/sessions.ts'
import { signInRuleOperations } from './logins/set-sign-in-rule.ts'
import { acceptInvitation } from './members/accept-invitation.ts'
import { deactivateMember, reactivateMember, setRole } from './members/change-member.ts'
import { invitationExpiry } from './members/invitation-expiry.ts'
import { invite, resendInvitation, withdrawInvitation } from './members/invite.ts'
import { listInvitations, listMembers } from './members/list-members.ts'
import { readInvitation } from './members/read-invitation.ts'
import { invitations } from './members/records.ts'
import { acceptPasswordReset } from './passwords/accept-reset.ts'
import { changePassword } from './passwords/change-password.ts'
import { issuePasswordReset } from './passwords/issue-reset.ts'
import { passwordResets } from './passwords/records.ts'
import { createResetSending, requestPasswordReset } from './passwords/request-reset.ts'
import { profileOperations } from './profile.ts'
import { providerOperations } from './providers/operations.ts'
import { providerIdentities, signInDomains, signInProviders } from './providers/records.ts'
import { signInByProvider, startProvider } from './providers/sign-in.ts'
import { planRetention, setPlan } from './set-plan.ts'

/** What this room contributes to the service. */
export const room = {
  tables: [
    tenants,
    members,
    endedSessions,
    spentStatements,
    countedLetters,
    rosters,
    invitations,
    passwordResets,
    failedTries,
    authenticators,
    signInProviders,
    signInDomains,
    providerIdentities,
    applicationKeys,
    customerKeys,
  ],
  groups: {
    auditLog: auditLogOperations,
    authenticators: authenticatorOperations,
    auth: [
      ...[login, startPasskeySignIn, signInByPasskey, startProvider, signInByProvider],
      ...[logout, readMemberSession, readInvitation, acceptInvitation],
      ...[changePassword, requestPasswordReset, issuePasswordReset, acceptPasswordReset],
    ],
    entitlements: [readEntitlements],
    invitations: [listInvitations, invite, resendInvitation, withdrawInvitation],
    members: [
      ...[createMember, listMembers, setRole, deactivateMember, reactivateMember],
      ...[listMemberAuthenticators, revokeMemberAuthenticator],
    ],
    profile: profileOperations,
    reviewerKeys: [listReviewerKeys],
    signInProvider: providerOperations,
    signInRule: signInRuleOperations,
    signingModels: signingModelOperations,
    tenants: [createTenant, suspendTenant, resumeTenant, setPlan],
  } as const,
  handlers: (host: Parameters<typeof createResetSending>[0]) => [
    invitationExpiry,
    loginFailureAudit,
    createResetSending(host),
    planRetention,
  ],
}
