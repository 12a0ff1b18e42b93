import assert from 'node:assert/strict'
import { collections } from '@countersign/core'
import { commit } from '@countersign/core/ledger'
import type { ChangeSet, Collection, Observer } from '@countersign/core/ports'
import { createPackageCleanUp, packagesPart } from '../../../evidence/packages/clean-up.ts'
import { evidencePackages, packagePath } from '../../../evidence/packages/records.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import type { WorkHandler } from '../../../kernel/work/handler.ts'
import type { Runner } from '../../../kernel/work/runner.ts'
import { type Delivery, deliveries } from '../../../outbox/records.ts'
import type { PurgeDeps } from '../../../removal/lifecycle/deps.ts'
import { createPurge } from '../../../removal/lifecycle/purge.ts'
import { purgePlanOf } from '../../../removal/lifecycle/purge-plan.ts'
import { createRemains } from '../../../removal/lifecycle/remains.ts'
import { purgeSweep } from '../../../removal/lifecycle/sweep.ts'
import {
  bytesOf,
  day,
  memoryPorts,
  openCase,
  organization,
  type Ports,
  type Process,
  processOn,
  storeSession,
  value,
} from '../erasure/world.ts'

export const all = collections as readonly unknown[] as readonly Collection[]
export const grace = 'grace@example.com'
export const alan = 'alan@example.com'

/** What the observer of a process heard. */
export interface Heard {
  readonly name: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** A process with the purge's handlers on its runner. */
export function purgeProcess(
  ports: Ports,
  substitute: (handler: WorkHandler) => WorkHandler = (handler) => handler,
): Process & { readonly purger: Runner; readonly heard: readonly Heard[] } {
  const process = processOn(ports)
  const heard: Heard[] = []
  const observer: Observer = {
    event: (name, facts) => {
      heard.push({ name, facts })
    },
  }
  const deps: PurgeDeps = {
    ...process.deps,
    observer,
    cancelCase: async (reviewCaseId, reasonCategory) => {
      await process.service.reviewCases.cancel({ kind: 'system' }, { reviewCaseId, reasonCategory })
    },
  }
  const handlers = [
    createPurge(deps, purgePlanOf(all, packagesPart)),
    createRemains(deps),
    purgeSweep,
    createPackageCleanUp(deps),
  ]
  return { ...process, heard, purger: process.runnerOf(handlers.map(substitute)) }
}

/** An organization whose first application has something in most collections, and whose second has a session. */
export async function filled() {
  const ports = memoryPorts()
  const { clock } = ports
  const process = purgeProcess(ports)
  const { service, ledger, deps } = process
  const acme = await organization(service)
  const { tenantId, first, second, admin, application } = acme
  value(await service.webhooks.create(admin, { url: 'https://hook.example/', eventTypes: ['*'] }))
  value(
    await service.applications.setOutcomeCallback(admin, {
      applicationId: first,
      url: 'https://callback.example/',
      enabled: true,
      signing: { method: 'shared_secret' },
    }),
  )
  value(
    await service.customerKeys.provision(
      { kind: 'system' },
      { tenantId, applicationId: first, type: 'primary ingest' },
    ),
  )
  value(
    await service.policyRules.set(admin, {
      applicationId: first,
      ruleSetVersion: 0,
      rules: [{ name: 'payments', match: {}, effect: 'deny' }],
    }),
  )
  const system = { kind: 'system' } as const
  value(await service.tenants.setPlan(system, { tenantId, plan: 'Team' }))
  value(
    await service.notificationChannels.create(admin, {
      kind: 'slack',
      webhookUrl: 'https://chat.example/hook',
      eventTypes: ['*'],
    }),
  )
  value(
    await service.alertRules.create(admin, {
      name: 'open cases',
      applicationId: first,
      metricName: 'reviews.open',
      comparator: 'gt',
      threshold: 10,
      severity: 'warning',
    }),
  )
  const keep = (applicationId: string, sessionId: string, subject: string) =>
    storeSession(process, {
      tenantId,
      applicationId,
      sessionId,
      subject,
      steps: [{ stepId: 'a', text: `content of ${sessionId}` }],
      metadata: `metadata of ${sessionId}`,
    })
  await keep(first, 'one', grace)
  await keep(first, 'two', alan)
  await keep(second, 'kept', grace)
  value(await service.annotations.create(admin, { sessionId: 'one', text: 'a note on one' }))
  value(await service.flags.raise(admin, { sessionId: 'two', flag: 'quality' }))
  const theirs = { dataSubjectId: alan, applicationId: first } as const
  const { holdId } = value(await service.legalHolds.place(admin, { ...theirs, matter: 'a claim' }))
  value(await service.legalHolds.release(admin, { holdId, reason: 'settled' }))
  const { erasureRequestId } = value(
    await service.erasureRequests.create(admin, { ...theirs, reason: 'other', confirm: true }),
  )
  value(await service.erasureRequests.reject(admin, { erasureRequestId, reason: 'not theirs' }))
  value(
    await service.keyRequests.submit(admin, {
      action: 'issue-secondary-key',
      applicationId: first,
      reason: 'another backend',
    }),
  )
  const closed = await openCase(service, application, 'one')
  value(
    await service.reviewCases.cancel(application, {
      reviewCaseId: closed.reviewCaseId,
      reasonCategory: 'end_user_cancelled',
    }),
  )
  // Still open when the grace period ends.
  await openCase(service, application, 'two', { expiresAt: clock.now() + 30 * day })
  const packageId = 'exp_00000000000000000000000000'
  await deps.blobs.put([{ path: packagePath({ tenantId, packageId }), bytes: bytesOf('copy') }])
  const archived = await ledger.execute(tenantId, async ({ now }) =>
    commit(
      {
        puts: [
          put(
            evidencePackages,
            {
              tenantId,
              packageId,
              packType: 'bulk',
              forAdmins: 0,
              applicationIds: [second, first],
              fileName: 'x.zip',
              mediaType: 'application/zip',
              bytes: 4,
              sha256: '0'.repeat(64),
              sessionCount: 1,
              createdBy: admin.memberId,
              createdAt: now,
              expiresAt: now + day,
              key: new Uint8Array(32),
            },
            null,
          ),
        ],
      },
      null,
    ),
  )
  assert.ok(archived.ok)
  return { ...ports, ...acme, process, packageId }
}

export type Filled = Awaited<ReturnType<typeof filled>>

/** Ends every delivery that has not, as the dispatcher would. */
export async function endDeliveries(
  { store, clock }: Pick<Filled, 'store' | 'clock'>,
  which: (delivery: Delivery) => boolean = () => true,
): Promise<void> {
  const unended = store.rows(deliveries).filter(({ row }) => row.due !== null && which(row))
  const now = clock.now()
  const set: ChangeSet = {
    tenant: null,
    puts: unended.map((was) =>
      put(
        deliveries,
        { ...was.row, status: 'delivered', due: null, deliveredAt: now, endedAt: now },
        was,
      ),
    ),
  }
  assert.ok((await store.commit(set)).committed)
}

/** Rows of all collections that name an application anywhere, as `<collection> <row as JSON>`. */
export function naming(
  { store }: Pick<Filled, 'store'>,
  applicationId: string,
): readonly { readonly collection: string; readonly row: Record<string, unknown> }[] {
  return all.flatMap((collection) =>
    store
      .rows(collection)
      .filter(({ row }) => textOf(row).includes(applicationId))
      .map(({ row }) => ({ collection: collection.name, row })),
  )
}

/** JSON of a row, with its bytes as text. */
export function textOf(row: object): string {
  return JSON.stringify(row, (_, each: unknown) =>
    each instanceof Uint8Array ? new TextDecoder('latin1').decode(each) : each,
  )
}
