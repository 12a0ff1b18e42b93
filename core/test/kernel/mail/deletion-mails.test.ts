import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  createMemoryStore,
  newApplication,
  newOrganization,
  plainSealer,
} from '@countersign/core/testing'
import { mailContext, owedMails } from '../../../kernel/mail/records.ts'
import { collections, logs } from '../../../rooms.ts'
import { serviceOn, value } from '../sealing/world.ts'

it('a deletion is told to the contact address once when it is asked for, and once when it is cancelled', async () => {
  const store = createMemoryStore({ collections, logs })
  const sealer = plainSealer()
  const service = serviceOn(store, sealer)
  const { tenantId, admin: ada } = await newOrganization(service)
  const applicationId = await newApplication(service, ada, 'Payments')
  for (let time = 1; time <= 2; time++)
    value(await service.applications.requestDeletion(ada, { applicationId }))
  const staff = { kind: 'staff', name: 'ops' } as const
  const asked = {
    ticket: '4712',
    identity: { method: 'video call', verifiedBy: 'security', verifiedAt: 0 },
    authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada Lovelace', signedAt: 0 },
  }
  for (let time = 1; time <= 2; time++)
    value(await service.tenants.requestDeletion(staff, { tenantId, ...asked }))
  value(await service.tenants.cancelDeletion(staff, { tenantId }))
  value(await service.applications.cancelDeletion(ada, { applicationId }))

  const letters = store.rows(owedMails).map(({ row: { mailId, sealed } }) => {
    const plain = sealer.open(sealed, mailContext(tenantId, mailId))
    return JSON.parse(new TextDecoder().decode(plain)) as { to: string | null; subject: string }
  })
  assert.deepEqual(letters.map(({ to, subject }) => `${to}: ${subject}`).toSorted(), [
    'null: Deletion of Acme cancelled',
    'null: Deletion of Acme requested',
    'null: Deletion of Payments cancelled',
    'null: Deletion of Payments requested',
  ])
})
