import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collections, createService, logs } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import type { Observer, Store } from '@countersign/core/ports'
import {
  byNewKey,
  createManualClock,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainArchives,
  plainPorts,
} from '@countersign/core/testing'
import { createApp, portalRouter } from '@countersign/koa'
import { rateWindow } from '@countersign/node'
import { observers } from '../logs.ts'
import { createMetrics } from '../metrics.ts'
import type { StoreFiles } from '../store-gauges.ts'

export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.refusal.code}: ${result.refusal.detail}`)
}

export const minute = 60_000
export const hour = 60 * minute

/** The service under the metrics of the server, with an organization, on doubles of every port. */
export async function openMetered(files?: () => StoreFiles) {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const lines: { readonly event: string; readonly fields: object }[] = []
  const log: Observer = { event: (event, fields) => void lines.push({ event, fields }) }
  const metrics = createMetrics(log)
  const memory = createMemoryStore({ collections, logs })
  const store = metrics.watch(memory, clock.now, files)
  const observer = observers(log, metrics.observer)
  const ports = { ...plainPorts(), archives: plainArchives, clock, observer }
  /** Another process on the same store, through what `between` puts before it. */
  const process = (between: (store: Store) => Store = (same) => same) =>
    createService({
      ports: { ...ports, random: ports.random.fork(), store: between(store) },
      ingestUrl: 'https://ingest.example',
      // Nothing here is made by a process that is not watched, and a poll is a step of the clock.
      dispatcher: { pollMs: hour },
      runner: { pollMs: hour },
    })
  const service = process()
  const { admin } = await newOrganization(service, { plan: 'Team' })
  const applicationId = await newApplication(service, admin, 'agent')
  const application = await byNewKey(service, admin, applicationId)
  let opened = 0

  return {
    clock,
    lines,
    metrics,
    store,
    memory,
    transport: ports.transport,
    service,
    process,
    admin,
    application,
    hook: async (url = 'https://a.example/hook', eventTypes = ['review.case.created']) =>
      value(await service.webhooks.create(admin, { url, eventTypes })).id,
    open: async (by = service) =>
      value(
        await by.reviewCases.open(application, {
          sessionId: `session-${++opened}`,
          checkpointId: 'payment',
          reasonCategory: 'high_risk_action',
          presentation: {},
          idempotencyKey: `open-${opened}`,
        }),
      ).reviewCaseId,
    /** The largest figure of those with these labels, as a scrape would tell it; undefined where there is none. */
    async figure(name: string, labels: Readonly<Record<string, string>> = {}) {
      const found = await metrics.registry.getSingleMetric(`countersign_${name}`)?.get()
      assert.ok(found, `no metric countersign_${name}`)
      const fits = (of: object) =>
        Object.entries(labels).every(([label, is]) => Reflect.get(of, label) === is)
      const fitting = found.values.filter((each) => fits(each.labels)).map(({ value }) => value)
      return fitting.length === 0 ? undefined : Math.max(...fitting)
    },
    /** One request to the portal, under the metrics' middleware. */
    async request(path: string, init: RequestInit): Promise<number> {
      const router = portalRouter({
        service,
        clock,
        observer,
        rateLimit: { window: rateWindow(), perMinute: 100 },
        portalRateLimit: { window: rateWindow(), perMember: 100, perAddress: 100 },
        sandboxTenantId: null,
      })
      const answer = createApp(router, {
        random: ports.random,
        observer,
        middleware: [metrics.middleware],
      })
      const server = createServer(answer.callback())
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      try {
        return (await fetch(`http://127.0.0.1:${port}${path}`, init)).status
      } finally {
        server.close()
      }
    },
  }
}
