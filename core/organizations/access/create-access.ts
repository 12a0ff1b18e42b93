import { authenticateApplication } from '../api-keys/authenticate-application.ts'
import { authenticateCustomerKey } from '../api-keys/authenticate-customer-key.ts'
import { createLogin } from '../logins/login.ts'
import { authenticateMember, logout, readSession } from '../logins/sessions.ts'
import { createTries, type Tries } from '../logins/tries.ts'
import { acceptInvitation } from '../members/accept-invitation.ts'
import { acceptPasswordReset } from '../passwords/accept-reset.ts'
import { changePassword } from '../passwords/change-password.ts'
import { issuePasswordReset } from '../passwords/issue-reset.ts'
import { requestPasswordReset } from '../passwords/request-reset.ts'
import { checkFeature } from './check-feature.ts'
import { createMember, createTenant } from './commands.ts'
import type { AccessDeps } from './deps.ts'
import type { ThrottledTries } from './records.ts'
import type { AccessUseCases } from './use-cases.ts'

/** Members and sessions. */
export type MemberUseCases = Omit<AccessUseCases, 'checkNamed'>

/** Throttled tries of logins and of resets; neither delays the other. */
export type AccessTries = Readonly<Record<ThrottledTries, Tries>>

/** The tries of a process, whose failures are stored; the host drains them before it ends. */
export function createAccessTries(ports: AccessDeps): AccessTries {
  return { logins: createTries(ports, 'logins'), resets: createTries(ports, 'resets') }
}

/** The use cases of tenants, members and sessions. */
export function createAccess(
  ports: AccessDeps,
  { logins, resets }: AccessTries = createAccessTries(ports),
): MemberUseCases {
  return {
    createTenant: createTenant(ports),
    createMember: createMember(ports),
    checkFeature: checkFeature(ports),
    ...createLogin(ports, logins),
    acceptInvitation: acceptInvitation(ports, logins),
    changePassword: changePassword(ports, logins),
    requestPasswordReset: requestPasswordReset(ports),
    issuePasswordReset: issuePasswordReset(ports),
    acceptPasswordReset: acceptPasswordReset(ports, resets),
    authenticateMember: authenticateMember(ports),
    authenticateApplication: authenticateApplication(ports),
    authenticateCustomerKey: authenticateCustomerKey(ports),
    session: readSession(ports),
    logout: logout(ports),
  }
}
