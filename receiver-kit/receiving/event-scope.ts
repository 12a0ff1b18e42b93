import { isObject } from '@countersign/core/events'
import { type Message, readMessage } from '../events/read-event.ts'
import { admitEvent } from './admit-event.ts'
import type { Admission, Authentic } from './endpoint.ts'
import { type Served, servedBy } from './served.ts'

/** Whose events a receiver handles. */
export interface EventScopeOptions {
  /**
   * Applications whose events are stored and handled; default all. A webhook belongs to the organization, so events
   * of its other applications arrive too: they are acknowledged and not stored.
   */
  readonly applicationId?: Served
  /** Organizations whose events are accepted, others get `foreign_tenant`; default all. */
  readonly tenantId?: Served
}

export interface EventScope {
  admit(proof: Authentic, body: Uint8Array): Admission
  /** Why a stored message is not for this receiver; null when it is. Messages without an application always are. */
  foreign(message: Message): string | null
}

export function createEventScope({ applicationId, tenantId }: EventScopeOptions): EventScope {
  const everything = () => true
  const ownApplication =
    applicationId === undefined ? everything : servedBy('applicationId', applicationId)
  const ownTenant = tenantId === undefined ? everything : servedBy('tenantId', tenantId)
  const foreignTenant = (message: Message) => {
    const tenant = tenantId === undefined ? null : tenantOf(message)
    return tenant === null || ownTenant(tenant) ? null : tenant
  }
  const foreignApplication = (message: Message) => {
    const application = applicationOf(message)
    return application === null || ownApplication(application) ? null : application
  }
  return {
    admit(proof, body) {
      const admission = admitEvent(proof, body)
      if (!admission.ok || (tenantId === undefined && applicationId === undefined)) return admission
      const read = readMessage(body)
      if (!read.ok) return admission
      const { id, type } = read.value
      const tenant = foreignTenant(read.value)
      if (tenant !== null) return { ok: false, code: 'foreign_tenant', detail: notServed(tenant) }
      if (foreignApplication(read.value) !== null) return { ok: true, entry: null, id, type }
      return admission
    },
    foreign(message) {
      const id = foreignTenant(message) ?? foreignApplication(message)
      return id === null ? null : notServed(id)
    },
  }
}

const notServed = (id: string) => `an event of ${id} came to a receiver that does not serve it`

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
