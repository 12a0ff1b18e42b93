import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPackageCleanUp } from '../../../evidence/packages/clean-up.ts'
import { evidencePackages } from '../../../evidence/packages/records.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { tenants } from '../../../organizations/access/records.ts'
import { type Ingested, ingestedWorld } from './ingested.ts'
import { day, value } from './world.ts'

async function world(): Promise<Ingested> {
  const w = await ingestedWorld()
  const [tenant] = w.store.rows(tenants)
  assert.ok(tenant)
  const row = { ...tenant.row, plan: 'Enterprise' as const }
  assert.ok((await w.store.commit({ tenant: null, puts: [put(tenants, row, tenant)] })).committed)
  return w
}

const exportOf = {
  bulk: (w: Ingested) =>
    w.service.evidencePackages.exportBulk(w.admin, { applicationIds: [w.first] }),
  auditor: (w: Ingested) =>
    w.service.evidencePackages.exportAuditor(w.admin, { applicationIds: [w.first] }),
  subject: (w: Ingested) =>
    w.service.evidencePackages.exportSubject(w.admin, { dataSubjectId: 'grace' }),
} as const

/** Takes an export, with something that happens at its n-th piece; whether it came to its end. */
async function taken(
  w: Ingested,
  kind: keyof typeof exportOf,
  at: number,
  meanwhile: () => Promise<void>,
): Promise<{ readonly pieces: number; readonly whole: boolean }> {
  const file = value(await exportOf[kind](w))
  let pieces = 0
  try {
    for await (const _ of file.pieces) if (pieces++ === at) await meanwhile()
    return { pieces, whole: true }
  } catch (error) {
    assert.match(String(error), /erased/)
    return { pieces, whole: false }
  }
}

/** What the copies that are kept say. */
async function kept(w: Ingested): Promise<string> {
  let all = ''
  for (const { row } of w.store.rows(evidencePackages)) {
    const file = value(
      await w.service.evidencePackages.download(w.admin, { packageId: row.packageId }),
    )
    for await (const piece of file.pieces) all += Buffer.from(piece).toString()
  }
  return all
}

const meanwhiles = {
  'an erasure that ends': async (w: Ingested) => {
    value(await w.erase('grace'))
    await w.rest()
  },
  'an erasure that ends, and their return': async (w: Ingested) => {
    value(await w.erase('grace'))
    await w.rest()
    await w.send({ sessionId: 'again', text: 'she is back', subject: 'grace' })
  },
  'the end of one that had begun': (w: Ingested) => w.rest(),
} as const

describe('a copy of an export', () => {
  for (const kind of ['bulk', 'auditor', 'subject'] as const)
    for (const [name, meanwhile] of Object.entries(meanwhiles))
      it(`of ${kind} is not kept with what was erased (${name})`, async () => {
        let ends = 0
        for (const at of [0, 1, 3, 7, 15, 30]) {
          const w = await world()
          await w.send({ sessionId: 'hers', text: 'text of grace', subject: 'grace' })
          value(await w.annotate('hers', null, 'note of grace'))
          // Nothing of hers lies under a key here.
          const steps = [{ text: 'text of alan' }, { text: null, subject: 'grace' }]
          value(await w.submit({ sessionId: 'his', subject: 'alan', steps }))
          value(await w.annotate('his', 'step-1', 'note of hers'))
          if (name.startsWith('the end')) {
            value(await w.erase('grace'))
            await w.work(4)
            w.clock.jump(1)
          }
          const { pieces, whole } = await taken(w, kind, at, () => meanwhile(w))
          const more = pieces > at
          if (more && !whole) ends++
          await w.rest()
          const copies = await kept(w)
          for (const text of ['text of grace', 'note of grace', 'note of hers'])
            assert.ok(!more || !copies.includes(text), `${text}, at piece ${at}`)
        }
        assert.ok(ends > 0, 'no erasure met the export')
      })

  it('of bulk is kept when somebody else is erased meanwhile', async () => {
    const w = await world()
    await w.send({ sessionId: 'hers', text: 'text of grace', subject: 'grace' })
    const done = await taken(w, 'bulk', 3, async () => {
      await w.send({ sessionId: 'his', text: 'text of alan', subject: 'alan' })
      value(await w.erase('alan'))
      await w.rest()
    })
    assert.ok(done.whole)
    assert.ok((await kept(w)).includes('manifestVersion'))
  })

  it('is told to have expired for a month after it is gone', async () => {
    const w = await world()
    const file = value(await exportOf.bulk(w))
    for await (const _ of file.pieces);
    const code = async () => {
      const answer = await w.service.evidencePackages.download(w.admin, {
        packageId: file.packageId,
      })
      return answer.ok ? 'none' : answer.refusal.code
    }
    assert.equal(await code(), 'none')
    w.clock.jump(7 * day)
    assert.equal(await code(), 'package_expired')
    await w.process.runnerOf([createPackageCleanUp(w.process.deps)]).tick()
    assert.deepEqual(w.store.rows(evidencePackages), [])
    assert.equal(await code(), 'package_expired')
  })
})
