import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Listing, ListQuery } from '@countersign/core/ledger'
import { put } from '../../../kernel/ledger/reads.ts'
import { members } from '../../../organizations/access/records.ts'
import {
  memoryPorts,
  openCase,
  organization,
  processOn,
  storeSession,
  value,
} from '../../removal/erasure/world.ts'

const page: ListQuery = { page: 1, pageSize: 100 }

/** An organization whose lists take more than one read each. */
async function world() {
  const ports = memoryPorts()
  const process = processOn(ports)
  const { service } = process
  const acme = await organization(service)
  const { tenantId, admin, first: applicationId, second, application } = acme
  const steps = Array.from({ length: 60 }, (_, at) => ({ stepId: `step ${at}`, text: 'x' }))
  for (let at = 0; at < 60; at++)
    await storeSession(process, {
      ...{ tenantId, applicationId, sessionId: `session ${at}`, subject: null },
      steps: at === 0 ? steps : [],
    })
  for (let at = 0; at < 10; at++) await openCase(service, application, `session ${at}`)
  const deactivate = async () => {
    const was = ports.store.rows(members).find(({ row }) => row.memberId === admin.memberId)
    assert.ok(was)
    const row = { ...was.row, status: 'Suspended' as const }
    await ports.store.commit({ tenant: tenantId, puts: [put(members, row, was)] })
  }
  return { service, admin, second, deactivate }
}

type World = Awaited<ReturnType<typeof world>>

const lists: Readonly<Record<string, (w: World) => Promise<Listing<unknown>>>> = {
  sessions: async ({ service, admin }) => value(await service.sessions.list(admin, page)),
  'sessions without an open case': async ({ service, admin }) =>
    value(await service.sessions.list(admin, { openReview: false, ...page })),
  steps: async ({ service, admin }) =>
    value(await service.sessions.listSteps(admin, { sessionId: 'session 0', ...page })),
  cases: async ({ service, admin }) => value(await service.reviewCases.list(admin, page)),
  'cases behind an application that is being deleted': async ({ service, admin, second }) => {
    value(await service.applications.requestDeletion(admin, { applicationId: second }))
    return value(await service.reviewCases.list(admin, { ...page }))
  },
}

describe('a list that is read in pieces', () => {
  for (const [name, open] of Object.entries(lists))
    it(`ends with an error once its reader was deactivated: ${name}`, async () => {
      const w = await world()
      const { pieces } = await open(w)
      assert.equal((await pieces.next()).done, false)
      await w.deactivate()
      await assert.rejects(async () => pieces.next(), { code: 'authentication_required' })
    })
})
