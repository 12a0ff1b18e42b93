import type { Clock, ExchangeError, ExchangeResult, Transport } from '@countersign/core/ports'
import { nodeClock } from '../clock.ts'
import { createDeadlineWheel } from './deadline-wheel.ts'
import { type RunningExchange, startExchange } from './exchange.ts'
import type { EgressOptions } from './guard.ts'
import { unsendable } from './header-check.ts'
import { createOrigin, type Origin } from './origin.ts'
import { type Checked, createEgressPolicy, type Target } from './policy.ts'
import { dnsResolver } from './resolve-name.ts'
import { trust } from './trust.ts'

/** Options of `createTransport`. */
export interface TransportOptions extends EgressOptions {
  /** PEM of an authority to trust beside Node's. */
  readonly ca?: string | Uint8Array
  readonly clock?: Clock
  /**
   * Connections to one host and port at the same time; further exchanges wait, within their deadline. Not less
   * than the sender's slots (256 unless given), or tenants of one host would take the connections from each other.
   */
  readonly connectionsPerOrigin?: number
}

/** A transport that holds connections until it is closed. */
export interface NodeTransport extends Transport {
  /** Aborts exchanges in flight and closes every connection. */
  close(): void
}

/** Ms after which an unused origin is dropped. */
const forgottenMs = 60_000
/** Most parsed targets in the cache; parsing is pure, so entries never go stale. */
const mostTargets = 10_000

/**
 * Sends over https to public addresses only: resolves the name, checks every address, and dials a checked one. One hard
 * deadline for the whole exchange; no redirects.
 */
export function createTransport(options: TransportOptions = {}): NodeTransport {
  const clock = options.clock ?? nodeClock()
  const policy = createEgressPolicy(options)
  const ports = {
    clock,
    policy,
    resolve: options.resolve ?? dnsResolver(),
    secureContext: trust(options.ca),
    connections: options.connectionsPerOrigin ?? 256,
  }
  const wheel = createDeadlineWheel<RunningExchange>(clock)
  const origins = new Map<string, Origin>()
  const targets = new Map<string, Checked<Target>>()
  let stopSweep: (() => void) | null = null
  let closed = false

  function targetOf(url: string): Checked<Target> {
    const known = targets.get(url)
    if (known) return known
    if (targets.size >= mostTargets) targets.clear()
    const target = policy.checkUrl(url)
    targets.set(url, target)
    return target
  }

  function originOf(target: Target): Origin {
    const known = origins.get(target.origin)
    if (known) return known
    const origin = createOrigin(target, ports)
    origins.set(target.origin, origin)
    stopSweep ??= clock.after(forgottenMs, sweep)
    return origin
  }

  function sweep(): void {
    const quiet = clock.monotonic() - forgottenMs
    for (const [name, origin] of origins)
      if (origin.lastUsed() <= quiet) {
        origin.close()
        origins.delete(name)
      }
    stopSweep = origins.size > 0 ? clock.after(forgottenMs, sweep) : null
  }

  return {
    post: (exchange) =>
      new Promise((resolve) => {
        if (closed) return resolve(refused('aborted', 'the transport is closed'))
        const target = targetOf(exchange.url)
        if (!target.ok) return resolve(refused('refused_address', target.detail))
        const header = unsendable(exchange.headers)
        if (header !== null) return resolve(refused('protocol', header))
        const origin = originOf(target.value)
        origin.submit(
          startExchange(exchange, target.value, { origin, wheel, clock, settled: resolve }),
        )
      }),
    close() {
      closed = true
      stopSweep?.()
      for (const origin of origins.values()) origin.close()
      for (const exchange of wheel.all()) exchange.abort()
      origins.clear()
    },
  }
}

function refused(error: ExchangeError, detail: string): ExchangeResult {
  return { kind: 'error', error, detail, latencyMs: 0 }
}
