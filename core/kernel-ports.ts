import { takingData } from './applications/load.ts'
import { encodeEvent } from './base/events/envelope.ts'
import { envelopes } from './base/events/envelopes.ts'
import type { LegacyEvent, PlatformEvent } from './base/events/legacy.ts'
import type { Outgoing } from './base/events/outgoing.ts'
import type { Versioned } from './base/ports/store.ts'
import type { Actor } from './kernel/callers/actor.ts'
import type { Right } from './kernel/callers/authorize.ts'
import { isoTime } from './kernel/ledger/iso-time.ts'
import type { Ledger } from './kernel/ledger/ledger.ts'
import { one } from './kernel/ledger/reads.ts'
import { ok, type RefusalCode } from './kernel/ledger/refusal.ts'
import type { Post } from './kernel/mail/post.ts'
import type { Announced, KernelPorts } from './kernel/ports.ts'
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
        'body' in event ? event : eventOf(event, { id: id('evt'), at, tenantId }),
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

/** An event with what its commit gives it. */
function eventOf(
  event: Announced,
  { id, at, tenantId }: { readonly id: string; readonly at: string; readonly tenantId: string },
): Outgoing {
  const { type, data } = event
  const whole =
    'application' in event
      ? {
          ...{ id, type, timestamp: at, apiVersion: envelopes.platform.apiVersion[0] },
          ...{ customerId: tenantId, application: event.application, data },
        }
      : { id, type, timestamp: at, tenantId, applicationId: event.applicationId, data }
  return {
    ...{ id, type },
    applicationId: 'application' in event ? (event.application?.id ?? null) : event.applicationId,
    // Encoded on first use: most events have no receiver.
    get body() {
      return encodeEvent(whole as LegacyEvent | PlatformEvent)
    },
  }
}
