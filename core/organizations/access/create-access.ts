import { authenticateApplication } from '../api-keys/authenticate-application.ts'
import { authenticateCustomerKey } from '../api-keys/authenticate-customer-key.ts'
import { createLoginAdmission } from '../logins/login-admission.ts'
import { createLoginFailures } from '../logins/login-audit.ts'
import { authenticateMember } from '../logins/sessions.ts'
import { createTries } from '../logins/tries.ts'
import { createResetRequests } from '../passwords/request-reset.ts'
import { checkFeature } from './check-feature.ts'
import type { AccessDeps } from './deps.ts'
import type { AccessTries } from './tools.ts'
import type { AccessUseCases } from './use-cases.ts'

/** The tries of a process, whose failures are stored; the host drains them before it ends. */
export function createAccessTries(ports: AccessDeps): AccessTries {
  return {
    logins: createTries(ports, 'logins'),
    resets: createTries(ports, 'resets'),
    admission: createLoginAdmission(ports.clock),
    failures: createLoginFailures(ports),
    resetRequests: createResetRequests(),
  }
}

/** How hosts come to know their callers. */
export function createAccess(
  ports: AccessDeps,
  { logins }: Pick<AccessTries, 'logins'>,
): Omit<AccessUseCases, 'checkNamed'> {
  return {
    checkFeature: checkFeature(ports),
    knownDevice: async (token) => (await logins.devices.recognize(token))?.subject ?? null,
    admitLogin: logins.admit,
    rejectLogin: logins.reject,
    authenticateMember: authenticateMember(ports),
    authenticateApplication: authenticateApplication(ports),
    authenticateCustomerKey: authenticateCustomerKey(ports),
  }
}
