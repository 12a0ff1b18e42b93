import type { LoginAdmission } from '../logins/login-admission.ts'
import type { LoginFailures } from '../logins/login-audit.ts'
import type { Tries } from '../logins/tries.ts'
import type { HourlyLimit } from '../passwords/hourly-limit.ts'
import type { AccessDeps } from './deps.ts'
import type { ThrottledTries } from './records.ts'

/** The requests of resets within an hour, by e-mail address and by network address. */
export interface ResetRequests {
  readonly emails: HourlyLimit
  readonly addresses: HourlyLimit
}

/** What a process remembers of those who try to log in. Tries of logins do not delay resets, nor the other way round. */
export interface AccessTries extends Readonly<Record<ThrottledTries, Tries>> {
  readonly admission: LoginAdmission
  readonly failures: LoginFailures
  readonly resetRequests: ResetRequests
}

/** What operations on members and sessions need of the host. */
export interface AccessTools extends AccessDeps {
  readonly tries: AccessTries
}
