import type { Service } from '@countersign/core'
import type { Clock, Observer } from '@countersign/core/ports'
import type { PortalRateLimit, RateLimit } from './rate-limit.ts'

/** What a router of either host needs: the service, and the settings of the HTTP layer. */
export interface ApiOptions {
  readonly service: Service
  readonly clock: Clock
  readonly observer: Observer
  /** Of each application key on the ingest host. */
  readonly rateLimit: RateLimit
  /** Of each member, and of each address without a session, on the portal host. */
  readonly portalRateLimit: PortalRateLimit
  /** The read-only tenant that `X-Service-Sandbox: true` shows; null where there is none. */
  readonly sandboxTenantId: string | null
  /** Only for a portal on loopback without TLS. */
  readonly insecureCookies?: boolean
}
