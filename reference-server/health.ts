import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '@countersign/core/ports'
import Router from '@koa/router'
import type { Registry } from 'prom-client'
import { createReadiness, type ProbedStore } from './readiness.ts'

export interface Health {
  readonly router: Router
  /** From here on the server is not ready: load balancers look elsewhere while it drains. */
  drain(): void
  close(): void
}

/** A loop that lags more than this can't keep the ten seconds of an acknowledgement. */
const lagLimitMs = 2_000

/** `/livez`, `/readyz`, `/metrics` and `/api.html`, for operators on the staff listener. */
export function createHealth(options: {
  readonly store: ProbedStore
  readonly clock: Clock
  readonly registry: Registry
  /** The description of the API for people; null where there is none. */
  readonly page: () => Promise<Uint8Array | null>
}): Health {
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  const readiness = createReadiness(options.store, options.clock)
  let draining = false
  const router = new Router()
  router.get('/livez', (ctx) => {
    const lagMs = Math.round(lag.max / 1e6)
    lag.reset()
    ctx.status = lagMs > lagLimitMs ? 503 : 200
    ctx.body = { live: lagMs <= lagLimitMs, loopLagMs: lagMs }
  })
  router.get('/readyz', async (ctx) => {
    const store = await readiness()
    const ready = store === 'ok' && !draining
    ctx.status = ready ? 200 : 503
    ctx.body = { ready, store, draining }
  })
  router.get('/metrics', async (ctx) => {
    ctx.type = options.registry.contentType
    ctx.body = await options.registry.metrics()
  })
  router.get('/api.html', async (ctx) => {
    const page = await options.page()
    if (!page) return
    ctx.type = 'html'
    ctx.body = Buffer.from(page)
  })
  return {
    router,
    drain: () => {
      draining = true
    },
    close: () => lag.disable(),
  }
}
