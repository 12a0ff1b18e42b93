import { takingData } from './applications/load.ts'
import { outgoing } from './base/events/outgoing.ts'
import type { Versioned } from './base/ports/store.ts'
import type { Actor } from './kernel/callers/actor.ts'
import type { Right } from './kernel/callers/authorize.ts'
import { isoTime } from './kernel/ledger/iso-time.ts'
import type { Ledger } from './kernel/ledger/ledger.ts'
import { one } from './kernel/ledger/reads.ts'
import { ok, type RefusalCode } from './kernel/ledger/refusal.ts'
import type { Post } from './kernel/mail/post.ts'
import type { KernelPorts } from './kernel/ports.ts'
import {
  answered,
  fromResult,
  mapped,
  type Query,
  Refused,
  rowUnder,
  together,
} from './kernel/query.ts'
import { entitled } from './organizations/access/entitled.ts'
import { members } from './organizations/access/records.ts'
import { memberStanding } from './organizations/access/standing.ts'
import { applicationKeys, customerKeys } from './organizations/api-keys/key-records.ts'
import type { Intake } from './outbox/kind.ts'
import { routings } from './webhooks/records.ts'
import { eventTime } from './webhooks/routing/event-time.ts'
import { fanOut, routingOf } from './webhooks/routing/fan-out.ts'

/** What operations need of the rooms. */
export function createKernelPorts(host: {
  readonly ledger: Ledger
  readonly intake: Intake
  readonly post: Post
}): KernelPorts {
  const { ledger, intake, post } = host
  return {
    ledger,
    post,
    entitled,
    admit,
    async fanOut(unit, tenantId, events) {
      const { now, id } = unit
      const [routed] = await unit.read([routingOf(tenantId)])
      const routing = one(routings, routed)
      const at = isoTime(eventTime(routing, now))
      const sent = events.map((event) =>
        'body' in event ? event : outgoing(event, { id: id('evt'), at, tenantId }),
      )
      return fanOut({ routing, tenantId, events: sent, now, id, intake })
    },
  }
}

function admit(actor: Actor, right: Right | null): Query<Actor, RefusalCode> {
  switch (actor.kind) {
    case 'staff':
    case 'system':
      return answered(actor)
    case 'member': {
      // A guest belongs to another tenant and only reads, so there is no row to check.
      if (actor.guest) return answered(actor)
      const { tenantId, memberId } = actor
      return {
        ...rowUnder(members, [tenantId, memberId]),
        of([found]) {
          const standing = memberStanding(actor, right, found)
          return fromResult(standing.ok ? ok(standing.value.actor) : standing)
        },
      }
    }
    case 'application': {
      const { tenantId, applicationId, keyId } = actor
      const key = rowUnder(applicationKeys, [tenantId, applicationId, keyId])
      return keyOf(actor, mapped(key, valid('application')))
    }
    case 'customerKey':
      return keyOf(
        actor,
        mapped(rowUnder(customerKeys, [actor.tenantId, actor.keyId]), valid('customer')),
      )
  }
}

/** A key that may still be used, of an application that takes data. */
function keyOf(
  actor: Extract<Actor, { readonly applicationId: string }>,
  key: Query<unknown, 'authentication_required'>,
): Query<Actor, RefusalCode> {
  const application = takingData(actor.tenantId, actor.applicationId)
  return mapped(together({ key, application }), () => actor)
}

function valid(name: string) {
  return <Row extends { readonly revokedAt: number | null }>(key: Versioned<Row> | null) =>
    key && key.row.revokedAt === null
      ? key
      : new Refused('authentication_required', `the ${name} key is no longer valid`)
}
