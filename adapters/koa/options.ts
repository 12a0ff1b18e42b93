import type { Service } from '@countersign/core'
import type { Clock, Observer } from '@countersign/core/ports'
import type { PortalRateLimit, RateLimit } from './rate-limit.ts'

/** A bearer token of the staff API, known by its hash alone. */
export interface StaffToken {
  /** Of the actor: 1 to 100 of `A-Z a-z 0-9 _ -`. */
  readonly name: string
  /** Hex SHA-256 of the token's UTF-8 bytes. */
  readonly sha256: string
}

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
  /** The service that has that tenant, where it is another than `service`. */
  readonly sandboxService?: () => Promise<Service>
  /** Of the staff API; absent: nobody is let in there. */
  readonly staffTokens?: readonly StaffToken[]
  /** Only for a portal on loopback without TLS. */
  readonly insecureCookies?: boolean
}
