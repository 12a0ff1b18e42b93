import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '@countersign/core/ports'
import Router from '@koa/router'
import type { Registry } from 'prom-client'

export interface Health {
  readonly router: Router
  /** From here on the server is not ready: load balancers look elsewhere while it drains. */
  drain(): void
  close(): void
}

/** A loop that lags more than this can't keep the ten seconds of an acknowledgement. */
const lagLimitMs = 2_000
/** A write probe is a commit of its own, so it is made at most this often. */
const probeEveryMs = 1_000

/** `/livez`, `/readyz`, `/metrics` and `/api.html`, for operators on the staff listener. */
export function createHealth(options: {
  /** Rejects with what keeps the store from taking an ordinary write or from reading it back. */
  readonly probe: () => Promise<void>
  readonly clock: Clock
  readonly registry: Registry
  /** The description of the API for people; null where there is none. */
  readonly page: () => Promise<Uint8Array | null>
}): Health {
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  const canWrite = writeProbe(options.probe, options.clock)
  let draining = false
  const router = new Router()
  router.get('/livez', (ctx) => {
    const lagMs = Math.round(lag.max / 1e6)
    lag.reset()
    ctx.status = lagMs > lagLimitMs ? 503 : 200
    ctx.body = { live: lagMs <= lagLimitMs, loopLagMs: lagMs }
  })
  router.get('/readyz', async (ctx) => {
    const store = await canWrite()
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

/** Whether the store takes an ordinary write; the answer holds for a moment. */
function writeProbe(probe: () => Promise<void>, clock: Clock): () => Promise<string> {
  let asked = Number.NEGATIVE_INFINITY
  let answer: Promise<string> = Promise.resolve('unknown')
  return () => {
    if (clock.monotonic() - asked < probeEveryMs) return answer
    asked = clock.monotonic()
    answer = probe().then(
      () => 'ok',
      (error: Error) => `failed: ${error.message}`,
    )
    return answer
  }
}
