import type { Put, Versioned } from '../../base/ports/store.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { Times } from '../machine/command.ts'
import { type Route, type Routing, routings, type Webhook } from '../records.ts'
import { broughtBack, emptyRouting, marked } from './event-time.ts'

/**
 * The put of the tenant's routing row that goes with a change of one webhook (`before` null: it is new; `after` null:
 * it is removed); null when the change does not affect fan-out.
 */
export function rerouted(
  routing: Versioned<Routing> | null,
  change: { readonly before: Webhook | null; readonly after: Webhook | null },
  times: Times,
): Put | null {
  const { before, after } = change
  const one = after ?? before
  if (!one) return null
  const old = routing ? broughtBack(routing.row, times.now) : emptyRouting(one.tenantId)
  const route = after && routeOf(after)
  if (route && JSON.stringify(route) === JSON.stringify(before && routeOf(before))) return null
  const at = old.routes.findIndex(({ webhookId }) => webhookId === one.webhookId)
  const routes = old.routes.filter((_, index) => index !== at)
  if (route) routes.splice(at === -1 ? routes.length : at, 0, route)
  const floor = routes.every(({ receiving }) => receiving) ? null : old.floor
  return put(routings, marked({ ...old, routes, ...switched(old, change, times), floor }), routing)
}

function switched(
  old: Routing,
  { before, after }: { readonly before: Webhook | null; readonly after: Webhook | null },
  times: Times,
): Pick<Routing, 'changedAt' | 'horizon'> {
  const { changedAt, horizon } = old
  if (!before || !after || before.status === after.status) return { changedAt, horizon }
  if (after.status === 'receiving') return { changedAt: Math.max(changedAt, times.on), horizon }
  return { changedAt: Math.max(changedAt, times.off), horizon: Math.max(horizon, times.off) }
}

function routeOf(webhook: Webhook): Route {
  return {
    webhookId: webhook.webhookId,
    receiving: webhook.status === 'receiving',
    generation: webhook.generation,
    eventTypes: webhook.eventTypes,
  }
}
