import { collections } from '@countersign/core'
import { auditLog } from '@countersign/core/ledger'
import type { Collection, Read, Store } from '@countersign/core/ports'
import { newMember, provisionKey } from '@countersign/core/testing'
import type { StaffActor } from '../../kernel/callers/actor.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import { memoryPorts, openCase, organization, start, value } from '../removal/erasure/world.ts'
import { purgeProcess } from '../removal/lifecycle/world.ts'
import { span, spanOf, traceOf } from '../sessions/world.ts'

const all = collections as readonly unknown[] as readonly Collection[]
export const ops: StaffActor = { kind: 'staff', name: 'ops' }
const system = { kind: 'system' } as const

/** Does something right behind an answer of the store. */
type Behind = (reads: readonly Read[]) => Promise<void>

/** An organization with something of everything that a command changes. */
export async function world(commitOf: (store: Store) => Store['commit'] = ({ commit }) => commit) {
  const ports = memoryPorts()
  let behind: Behind | null = null
  const inner = ports.store
  const store: Store = {
    ...inner,
    commit: commitOf(inner),
    async read(...asked) {
      const found = await inner.read(...asked)
      await behind?.(asked[1])
      return found
    },
  }
  const process = purgeProcess({ ...ports, store })
  const { service } = process
  const { annotations, applications, flags, legalHolds, tenants } = service
  const acme = await organization(service)
  const { tenantId, first, admin, application } = acme
  value(await tenants.setPlan(system, { tenantId, plan: 'Enterprise' }))
  const bea = await newMember(service, tenantId, 'bea')
  const rob = await newMember(service, tenantId, 'rob')
  const guest = { email: 'new@acme.example', role: 'CustomerAuditor', permissions: [] } as const
  const invitation = value(await service.invitations.create(admin, guest))
  const webhook = value(
    await service.webhooks.create(admin, { url: 'https://hook.example/', eventTypes: ['*'] }),
  )
  const callback = { url: 'https://callback.example/', enabled: true } as const
  value(await applications.setOutcomeCallback(admin, { applicationId: first, ...callback }))
  const chat = { kind: 'slack', webhookUrl: 'https://chat.example/', eventTypes: ['*'] } as const
  const channel = value(await service.notificationChannels.create(admin, chat))
  const alert = value(
    await service.alertRules.create(admin, { ...alertInput, applicationId: first }),
  )
  const { key: customer } = await provisionKey(service, { tenantId, applicationId: first })
  const send = (sessionId: string, dataSubjectId: string, number: number) =>
    service.ingest.acceptSpans(customer, {
      spans: [
        span({
          traceId: traceOf(number),
          spanId: spanOf(number),
          sessionId,
          dataSubjectId,
          startedAt: start,
          endedAt: start + 1,
          input: 'text',
        }),
      ],
      rejected: {},
    })
  value(await send('one', 'grace', 1))
  const note = value(await annotations.create(admin, { sessionId: 'one', text: 'a note' }))
  const flag = value(await flags.raise(admin, { sessionId: 'one', flag: 'quality' }))
  const review = await openCase(service, application, 'one')
  const key = value(
    await service.applicationKeys.create(admin, { applicationId: first, label: 'second' }),
  )
  const asked = { applicationId: first, reason: 'a new backend' }
  const keyRequest = value(
    await service.keyRequests.submit(admin, { action: 'issue-secondary-key', ...asked }),
  )
  const hold = value(await legalHolds.place(admin, { dataSubjectId: 'mary', matter: 'x' }))
  return {
    ...{ ...ports, ...acme, process, service, bea, rob, invitation, webhook, channel, alert },
    ...{ customer, send, note, flag, review, key, keyRequest, hold },
    /** The digest of what the reviewer saw who claimed the case. */
    shown: { digest: '' },
    actBehindReads: (act: Behind | null) => {
      behind = act
    },
  }
}

export type World = Awaited<ReturnType<typeof world>>
/** A command: one unit of work, or several. */
export type Command = (w: World) => Promise<Result<unknown>>

export const alertInput = {
  name: 'open cases',
  metricName: 'reviews.open',
  comparator: 'gt',
  threshold: 10,
  severity: 'warning',
} as const

/** Runs of 12 characters or more that are not a word are drawn at random: ids, digests, secrets. */
const masked = (text: string) =>
  text.replaceAll(/[\w+/=-]{12,}/g, (run) => (/^[a-z_]+$/.test(run) ? run : '*'))

/** Every row and audit entry, without what is drawn at random and the numbers that tell their order. */
export function stateOf({ store, tenantId }: World): readonly string[] {
  const textOf = (of: string, row: unknown) => {
    const text = JSON.stringify(row, (name, each: unknown) =>
      each instanceof Uint8Array || inOrder.has(name) ? null : each,
    )
    return `${of} ${masked(text)}`
  }
  const entries = [...(store.entries(auditLog).get(tenantId) ?? [])].map(({ entry }) =>
    textOf('audit', JSON.parse(new TextDecoder().decode(entry))),
  )
  const rows = all.flatMap((each) => store.rows(each).map(({ row }) => textOf(each.name, row)))
  return [...rows, ...entries].toSorted()
}

const inOrder = new Set([
  'changes',
  'position',
  'sequence',
  'caseSequence',
  'eventSequence',
  'leafIndex',
])
