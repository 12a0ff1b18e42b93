import {
  collections,
  createService,
  logs,
  type Result,
  type StaffActor,
  unwrap,
} from '@countersign/core'
import { auditLog } from '@countersign/core/ledger'
import {
  createManualClock,
  createMemoryStore,
  newApplication,
  newMember,
  newOrganization,
  plainPorts,
} from '@countersign/core/testing'
import type { Scheduler } from 'fast-check'
import { keyRequests } from '../../../keys/requests/records.ts'
import { customerKeys } from '../../../organizations/api-keys/key-records.ts'

export const start: number = Date.UTC(2026, 10, 21, 9, 0, 0)
export const hour = 3_600_000
export const system = { kind: 'system' } as const
export const staff: StaffActor = { kind: 'staff', name: 'ops' }

export const value = unwrap

export function code(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.refusal.code
}

/** The service on the memory store, with an organization of two admins and an auditor, and an application. */
export async function createWorld() {
  const store = createMemoryStore({ collections, logs })
  const clock = createManualClock(start)
  const service = createService({
    ports: {
      ...plainPorts(3),
      store,
      clock,
    },
    ingestUrl: 'https://ingest.example',
  })
  const { keyRequests: requests } = service
  const { tenantId, admin: ada } = await newOrganization(service)
  const bea = await newMember(service, tenantId, 'bea')
  const auditor = await newMember(service, tenantId, 'rob', 'CustomerAuditor')
  const applicationId = await newApplication(service, ada)

  /** A request for a key that was approved and executed: its value waits to be revealed. */
  async function promised(): Promise<string> {
    const reason = 'a new backend'
    const input = { applicationId, reason }
    const { id } = value(await requests.submit(ada, { action: 'issue-customer-key', ...input }))
    value(await requests.approve(staff, { requestId: id }))
    value(await requests.execute(staff, { requestId: id }))
    return id
  }

  return {
    store,
    clock,
    service,
    access: service.access,
    customerKeys: service.customerKeys,
    requests,
    tenantId,
    applicationId,
    ada,
    bea,
    auditor,
    promised,
    keys: () => store.rows(customerKeys).map(({ row }) => row),
    stored: (id: string) => store.rows(keyRequests).find(({ row }) => row.requestId === id)?.row,
    /** Actions of the audit log with their actor, oldest first. */
    audited: () =>
      [...(store.entries(auditLog).get(tenantId) ?? [])].map(({ entry }) => {
        const { action, actor, detail } = JSON.parse(new TextDecoder().decode(entry))
        return { action, actor, detail } as {
          readonly action: string
          readonly actor: string
          readonly detail: Readonly<Record<string, unknown>>
        }
      }),
    /** From now on every call of the store waits for its turn, in an order that the scheduler draws. */
    interleave(scheduler: Scheduler) {
      const turn = () => scheduler.schedule(Promise.resolve())
      const { read, commit } = store
      store.read = async (...given) => {
        await turn()
        return read(...given)
      }
      store.commit = async (...given) => {
        await turn()
        return commit(...given)
      }
    },
  }
}

export type World = Awaited<ReturnType<typeof createWorld>>

export function secretOf(compound: string): string {
  return compound.split('.').at(-1) ?? ''
}
