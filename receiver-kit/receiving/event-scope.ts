import { isObject } from '@countersign/core/events'
import { type Message, readMessage } from '../events/read-event.ts'
import { admitEvent } from './admit-event.ts'
import type { Admission, Authentic } from './endpoint.ts'
import { type Served, servedBy } from './served.ts'

/** Whose events a receiver handles. */
export interface EventScopeOptions {
  /**
   * Applications whose events `onEvent` gets; default all. A webhook belongs to the organization, so events of its
   * other applications arrive too: they are stored, acknowledged and skipped.
   */
  readonly applicationId?: Served
  /** Organizations whose events are accepted, others get `foreign_tenant`; default all. */
  readonly tenantId?: Served
}

export interface EventScope {
  admit(proof: Authentic, body: Uint8Array): Admission
  /** Whether it names an application that is not served; false for events without an application. */
  isForeign(message: Message): boolean
}

export function createEventScope({ applicationId, tenantId }: EventScopeOptions): EventScope {
  const everything = () => true
  const ownApplication =
    applicationId === undefined ? everything : servedBy('applicationId', applicationId)
  const ownTenant = tenantId === undefined ? everything : servedBy('tenantId', tenantId)
  return {
    admit(proof, body) {
      const admission = admitEvent(proof, body)
      if (tenantId === undefined || !admission.ok) return admission
      const read = readMessage(body)
      const tenant = read.ok ? tenantOf(read.value) : null
      if (tenant === null || ownTenant(tenant)) return admission
      const detail = `an event of ${tenant} came to a receiver that does not serve it`
      return { ok: false, code: 'foreign_tenant', detail }
    },
    isForeign(message) {
      const application = applicationOf(message)
      return application !== null && !ownApplication(application)
    },
  }
}

/** `customerId` in the platform envelope. */
function tenantOf({ tenantId, customerId }: Message): string | null {
  return textOf(tenantId) ?? textOf(customerId)
}

function applicationOf({ applicationId, application }: Message): string | null {
  return textOf(applicationId) ?? (isObject(application) ? textOf(application.id) : null)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
