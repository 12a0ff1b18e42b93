import type { Service } from '@countersign/core'
import type { Clock, Observer } from '@countersign/core/ports'
import type { PortalRateLimit, RateLimit } from './rate-limit.ts'
import type { StaffToken } from './staff-tokens.ts'

/** What a router of any host needs: the service, and the settings of the HTTP layer. */
export interface ApiOptions {
  readonly service: Service
  readonly clock: Clock
  readonly observer: Observer
  /** Of each application key on the ingest host. */
  readonly rateLimit: RateLimit
  /** Of each member and of each of the staff, and of each address without a session. */
  readonly portalRateLimit: PortalRateLimit
  /** The read-only tenant that `X-Service-Sandbox: true` shows; null where there is none. */
  readonly sandboxTenantId: string | null
  /** Of the staff API; absent: nobody is let in there. */
  readonly staffTokens?: readonly StaffToken[]
  /** Only for a portal on loopback without TLS. */
  readonly insecureCookies?: boolean
}
